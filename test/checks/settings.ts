/** Generates the tables of docs/settings.md from the sources: configuration keys, environment variables, limits. */
import { join } from 'node:path';
import type { Setting } from '@coppice/engine';
import { providerDefinitions } from '@coppice/engine';
import { isTestFile, isTypeScript, type Workspace, workspaceRoot } from './workspace.ts';

/**
 * What each environment variable is for. A variable that the sources read but that is missing here is reported, and so
 * is the reverse.
 */
const variables: Readonly<Record<string, string>> = {
  ANTHROPIC_CUSTOM_HEADERS: 'Headers that `coppice proxy -- claude` keeps and adds its own to.',
  AWS_ACCESS_KEY_ID: 'The name of the key for the object store of attachments.',
  AWS_DEFAULT_REGION: 'See `AWS_REGION`.',
  AWS_ENDPOINT_URL: 'See `AWS_ENDPOINT_URL_S3`.',
  AWS_ENDPOINT_URL_S3:
    'The address of the object store of attachments, such as `https://objects.example.org`. Default: Amazon S3.',
  AWS_REGION: 'The region of the object store of attachments. Default: `us-east-1`.',
  AWS_SECRET_ACCESS_KEY: 'The key for the object store of attachments.',
  AWS_SESSION_TOKEN: 'The token that belongs to a temporary key for the object store of attachments.',
  CI: 'If set, `coppice serve` opens no browser.',
  COPPICE_CONFIG:
    'The configuration file; an absolute path, or one that begins with `~/`. Default: `~/.coppice/config.toml`.',
  COPPICE_FAULT: 'Makes a store fail at a given point. For tests; has no effect without `COPPICE_TEST_FAULTS`.',
  COPPICE_MODEL: 'The model that answers; replaces `model` of the configuration file.',
  COPPICE_PAGER: 'The program that shows long output; replaces `PAGER`. `cat` or an empty value shows it directly.',
  COPPICE_SECRET:
    'The secret that encrypts the keys of users on a shared server, at least 16 characters. Default: a file that is created once, `~/.config/coppice/secret`.',
  COPPICE_SECRET_OLD: 'The secret before, while `coppice keys rotate --users` encrypts the keys again.',
  COPPICE_SERVER:
    'The URL of a running server that commands work on instead of a store; `--server` and `--store` replace it.',
  COPPICE_STORE: 'The address of the store; replaces `store` of the configuration file.',
  COPPICE_TEST_FAULTS: '`1` enables `COPPICE_FAULT`. For tests.',
  COPPICE_TOKEN:
    'The token of `coppice serve`, and of the server that `--server` names. Default: a token that is created once and kept in a file.',
  DISPLAY: 'On Linux a browser is opened only if this or `WAYLAND_DISPLAY` is set.',
  EDITOR: 'The editor for long messages in `coppice chat`.',
  FORCE_COLOR: 'Any value but `0` turns colours on.',
  GEMINI_CLI_CUSTOM_HEADERS: 'Headers that `coppice proxy -- gemini` keeps and adds its own to.',
  NO_COLOR: 'Any value turns colours off.',
  OLLAMA_HOST: 'The address of Ollama: a host, a port, or both.',
  OPENAI_API_KEY: 'The key for OpenAI; `coppice proxy -- codex` also forwards it if Coppice has no key itself.',
  PAGER: 'The program that shows long output.',
  PATH: 'Where the pager is looked for.',
  PATHEXT: 'On Windows, the endings of programs that are looked for in `PATH`.',
  SSH_CONNECTION: 'If set, `coppice serve` opens no browser.',
  TERM: '`dumb` turns colours, the pager and the interface of the chat off.',
  VISUAL: 'The editor for long messages in `coppice chat`; replaces `EDITOR`.',
  WAYLAND_DISPLAY: 'See `DISPLAY`.',
  XDG_CONFIG_HOME: 'The folder for `coppice/secret`. Default: `~/.config`.',
};

function productSources(workspace: Workspace): readonly string[] {
  return workspace.paths.filter(
    (path) => /^packages\/[^/]+\/src\//.test(path) && isTypeScript(path) && !isTestFile(path),
  );
}

/** Returns the environment variables that the sources of the packages read by name. */
export function findEnvironmentVariables(workspace: Workspace): readonly string[] {
  const found = new Set<string>();
  for (const path of productSources(workspace)) {
    const text = workspace.read(path);
    // Excludes `import.meta.env`, whose values the build of the page decides.
    for (const [, dotted, quoted] of text.matchAll(
      /(?<!\bimport\.meta\.)\benv\)?(?:\.([A-Z][A-Z0-9_]+)|\['([A-Z][A-Z0-9_]+)'\])/g,
    ))
      found.add(dotted ?? quoted ?? '');
    // Matches a destructured environment: const { A: a, B } = process.env
    for (const [, names = ''] of text.matchAll(/\{([^{}]*)\} = (?:process|host)\.env\b/g))
      for (const [name] of names.matchAll(/\b[A-Z][A-Z0-9_]+\b/g)) found.add(name);
  }
  return [...found].sort();
}

/** Returns the differences between the variables that are read and those that are described. */
export function findUndescribedVariables(workspace: Workspace): readonly string[] {
  const read = findEnvironmentVariables(workspace);
  return [
    ...read.filter((name) => variables[name] === undefined).map((name) => `${name} is read and not described`),
    ...Object.keys(variables)
      .filter((name) => !read.includes(name))
      .map((name) => `${name} is described and not read`),
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Formats the tables of variables: by name, and the keys of the providers. */
export function formatVariableTables(): string {
  const keys = providerDefinitions.filter(({ keyNames }) => keyNames.length > 0);
  return [
    table(
      ['Variable', 'What it does'],
      Object.entries(variables).map(([name, about]) => [`\`${name}\``, about]),
    ),
    '### Keys of providers\n\nThe first one that is set is used. A key is sent to its own provider only.',
    table(
      ['Provider', 'Variables'],
      keys.map(({ name, keyNames }) => [`\`${name}\``, keyNames.map((key) => `\`${key}\``).join(', ')]),
    ),
  ].join('\n\n');
}

function valueText({ kind, bounds, words, secret }: Setting): string {
  if (words !== undefined) return words.map((word) => `\`"${word}"\``).join(', ');
  if (bounds === undefined) return secret === true ? 'text, never shown' : kind;
  const { min, max } = bounds;
  return max === undefined ? `${kind}, at least ${amount(min)}` : `${kind}, ${amount(min)} to ${amount(max)}`;
}

function amount(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 3 });
}

function defaultText({ default: value }: Setting): string {
  if (value === undefined) return '–';
  return typeof value === 'number' ? amount(value) : `\`${JSON.stringify(value)}\``;
}

function heading(path: readonly string[]): string {
  return `[${path.map((part) => (part.includes('/') ? `"${part}"` : part)).join('.')}]`;
}

/** Formats the keys of the configuration file, one table per section. */
export function formatConfigurationTables(settings: readonly Setting[]): string {
  const isIn = (path: readonly string[], setting: Setting) =>
    setting.kind !== 'section' &&
    setting.path.length === path.length + 1 &&
    path.every((part, at) => part === setting.path[at]);
  const sections = [
    { path: [], about: 'Keys above all sections.' },
    ...settings.filter(({ kind }) => kind === 'section'),
  ];
  return sections
    .map(({ path, about }) => ({ path, about, keys: settings.filter((setting) => isIn(path, setting)) }))
    .filter(({ keys }) => keys.length > 0)
    .map(({ path, about, keys }) => {
      const rows = keys.map((key) => [`\`${key.path.at(-1)}\``, valueText(key), defaultText(key), key.about]);
      const title = path.length === 0 ? 'Top level' : `\`${heading(path)}\``;
      return `### ${title}\n\n${about}\n\n${table(['Key', 'Value', 'Default', 'What it does'], rows)}`;
    })
    .join('\n\n');
}

/** An exported object of limits in the sources, as in `export const defaultToolLimits: ToolLimits = …`. */
interface LimitSet {
  readonly path: string;
  readonly constant: string;
  readonly type: string;
}

/** Returns all exported objects of limits. */
function findLimits(workspace: Workspace): readonly LimitSet[] {
  return productSources(workspace).flatMap((path) =>
    [...workspace.read(path).matchAll(/^export const (\w*(?:[lL]imits|Quotas)): (\w+) =/gm)].map(
      ([, constant = '', type = '']) => ({ path, constant, type }),
    ),
  );
}

/** Returns the comment of an interface and those of its fields by name, including inherited fields. */
function commentsOf(
  workspace: Workspace,
  type: string,
): { readonly about: string; readonly fields: ReadonlyMap<string, string> } {
  const declaration = new RegExp(
    `/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\nexport interface ${type}(?: extends (\\w+))? \\{([\\s\\S]*?)\\n\\}`,
  );
  for (const path of productSources(workspace)) {
    const [, about = '', base, body = ''] = declaration.exec(workspace.read(path)) ?? [];
    if (body === '') continue;
    const inherited = base === undefined ? [] : commentsOf(workspace, base).fields;
    const own = [...body.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s+readonly (\w+)/g)];
    return {
      about: plain(about),
      fields: new Map([...inherited, ...own.map(([, text = '', name = '']) => [name, plain(text)] as const)]),
    };
  }
  throw new Error(`No interface ${type} with a comment.`);
}

function plain(comment: string): string {
  return comment.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim();
}

/** Formats the limits with their defaults, one table per object. Throws if a limit has no comment. */
export async function formatLimitTables(workspace: Workspace): Promise<string> {
  const parts = await Promise.all(
    findLimits(workspace).map(async ({ path, constant, type }) => {
      const module: Readonly<Record<string, object>> = await import(/* @vite-ignore */ join(workspaceRoot, path));
      const { about, fields } = commentsOf(workspace, type);
      const rows = Object.entries(module[constant] ?? {}).map(([name, value]) => {
        const comment = fields.get(name);
        if (comment === undefined) throw new Error(`${path}: ${type}.${name} has no comment.`);
        return [`\`${name}\``, typeof value === 'number' ? amount(value) : '–', comment];
      });
      return `### ${type}\n\n${about}\n\n${table(['Limit', 'Default', 'What it limits'], rows)}`;
    }),
  );
  return parts.join('\n\n');
}
