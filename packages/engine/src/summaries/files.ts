/** Finds the files that a conversation read and changed, from its tool calls. */
import { isToolUse, type Json, type JsonObject, type Message } from '@coppice/core';

/** Paths of files, ordered by last use. A changed file is not listed as read too. */
export interface TrackedFiles {
  readonly read: readonly string[];
  readonly changed: readonly string[];
}

/** Which tools read and change files, and which of their parameters contain paths. */
export interface FileToolNames {
  /** Tool names in lower case, without the server prefix. */
  readonly read: readonly string[];
  readonly change: readonly string[];
  readonly paths: readonly string[];
}

/** The names that common agents and the MCP reference servers use. */
export const defaultFileToolNames: FileToolNames = {
  read: ['read', 'read_file', 'read_text_file', 'read_media_file', 'read_multiple_files', 'view', 'cat', 'open_file'],
  change: [
    'write',
    'edit',
    'write_file',
    'edit_file',
    'create_file',
    'append_file',
    'multiedit',
    'multi_edit',
    'notebookedit',
    'str_replace',
    'str_replace_based_edit_tool',
    'apply_patch',
    'move_file',
    'delete_file',
  ],
  paths: [
    'path',
    'file_path',
    'filepath',
    'file',
    'filename',
    'notebook_path',
    'paths',
    'files',
    'source',
    'destination',
  ],
};

export const noTrackedFiles: TrackedFiles = { read: [], changed: [] };

// Enough for any task that a user could follow; an unlimited list would take the space of the summary.
const mostFiles = 200;

/** Returns the files that the messages name, after those of `before`. */
export function trackFiles(
  messages: readonly Message[],
  before: TrackedFiles = noTrackedFiles,
  tools: FileToolNames = defaultFileToolNames,
): TrackedFiles {
  const [reading, changing, keys] = [new Set(tools.read), new Set(tools.change), new Set(tools.paths)];
  const read = new Set(before.read);
  const changed = new Set(before.changed);
  for (const message of messages)
    for (const block of message.content) {
      if (!isToolUse(block)) continue;
      const name = bareName(block.name);
      const touched = changing.has(name) ? changed : reading.has(name) ? read : null;
      if (touched === null) continue;
      for (const path of pathsIn(block.parameters, keys)) {
        touched.delete(path);
        touched.add(path);
      }
    }
  return { read: newest([...read].filter((path) => !changed.has(path))), changed: newest([...changed]) };
}

/** Returns a tool's name without its server: `read_file` for `files__read_file`. */
function bareName(name: string): string {
  return name.slice(name.lastIndexOf('__') + (name.includes('__') ? 2 : 1)).toLowerCase();
}

function pathsIn(parameters: JsonObject, keys: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const take = (value: Json) => {
    if (typeof value !== 'string') return;
    const path = value.trim();
    // A path is one short line. Other tools use the same parameter names for longer texts.
    if (path !== '' && path.length <= 1_024 && !/[\r\n]/.test(path)) found.push(path);
  };
  for (const [key, value] of Object.entries(parameters)) {
    if (!keys.has(key.toLowerCase())) continue;
    if (isTextList(value)) value.forEach(take);
    else take(value);
  }
  return found;
}

function isTextList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function newest(paths: readonly string[]): readonly string[] {
  return paths.slice(-mostFiles);
}

/** Converts both lists to the details of a marker. */
export function fileListsToJson({ read, changed }: TrackedFiles): JsonObject {
  return { readFiles: read, modifiedFiles: changed };
}

/** Reads the lists from a marker's details; empty if they are malformed. */
export function readFileLists(details: JsonObject | undefined): TrackedFiles {
  const texts = (value: Json | undefined): string[] =>
    value !== undefined && isTextList(value) ? value.filter((one): one is string => typeof one === 'string') : [];
  if (details === undefined) return noTrackedFiles;
  return { read: texts(details.readFiles), changed: texts(details.modifiedFiles) };
}

/** Joins two lists, of which the second is newer. */
export function joinFileLists(before: TrackedFiles, after: TrackedFiles): TrackedFiles {
  const join = (a: readonly string[], b: readonly string[]) => [...a.filter((path) => !b.includes(path)), ...b];
  const changed = join(before.changed, after.changed);
  const read = join(before.read, after.read).filter((path) => !changed.includes(path));
  return { read: newest(read), changed: newest(changed) };
}

const headings = { read: '## Files read', changed: '## Files changed' } as const;

/** Formats the lists as the end of a summary; empty if there are no files. */
export function formatFileLists({ read, changed }: TrackedFiles): string {
  const part = (heading: string, paths: readonly string[]) =>
    paths.length === 0 ? [] : [`${heading}\n${paths.map((path) => `- ${path}`).join('\n')}`];
  return [...part(headings.read, read), ...part(headings.changed, changed)].join('\n\n');
}

/** Removes the file lists from the end of a summary, because the next summary writes them again. */
export function stripFileLists(summary: string): string {
  const lines = summary.split('\n');
  let end = lines.length;
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at]?.trim() ?? '';
    if (line === headings.read || line === headings.changed) end = at;
    else if (line !== '' && !line.startsWith('- ')) break;
  }
  return lines.slice(0, end).join('\n').trim();
}
