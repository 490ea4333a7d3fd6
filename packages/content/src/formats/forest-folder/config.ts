// Reads the two fields of `config.toml` about conversations. The file also contains API keys, so nothing else is read
// and the file is never stored.

/** A bookmark of `config.toml`. */
interface ConfigBookmark {
  readonly title: string;
  readonly nodeId: string;
}

/** The settings of `config.toml` about conversations. */
export interface ForestConfig {
  readonly currentNodeId: string | undefined;
  readonly bookmarks: readonly ConfigBookmark[];
}

const quoted = /^\s*([A-Za-z_]+)\s*=\s*("(?:[^"\\]|\\.)*"|'[^']*')\s*(?:#.*)?$/;

/** Parses a string value; undefined if it contains an escape that is invalid in JSON. */
function configValue(text: string): string | undefined {
  if (text.startsWith("'")) return text.slice(1, -1);
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the bookmarks and the current node. All other settings are skipped. */
export function readForestConfig(text: string): ForestConfig {
  const bookmarks: ConfigBookmark[] = [];
  let currentNodeId: string | undefined;
  let open: Map<string, string> | undefined;
  let table = '';
  const close = () => {
    const nodeId = open?.get('nodeId');
    if (nodeId !== undefined) bookmarks.push({ title: open?.get('title') ?? nodeId, nodeId });
    open = undefined;
  };
  for (const line of text.split('\n')) {
    const header = /^\s*(\[\[?[^\]]*\]\]?)\s*(?:#.*)?\r?$/.exec(line)?.[1];
    if (header !== undefined) {
      close();
      table = header.replaceAll(/\s/g, '');
      if (table === '[[bookmarks]]') open = new Map();
      continue;
    }
    const [, key = '', raw = ''] = quoted.exec(line.replace(/\r$/, '')) ?? [];
    if (key === '') continue;
    if (open === undefined && !(table === '' && key === 'currentNodeId')) continue;
    const value = configValue(raw);
    if (value === undefined) continue;
    if (open === undefined) currentNodeId = value;
    else open.set(key, value);
  }
  close();
  return { currentNodeId, bookmarks };
}
