/** Which files a conversation read and changed, told from the tools that were called. */
import { isToolUse, type Json, type JsonObject, type Message } from '@coppice/core';

/** Paths in the order in which they were last touched. What was changed is not listed as read. */
export interface TrackedFiles {
  readonly read: readonly string[];
  readonly changed: readonly string[];
}

/** Which tools read and change files, and under which names they are told paths. */
export interface FileTools {
  /** Names in small letters, without a server before them. */
  readonly read: readonly string[];
  readonly change: readonly string[];
  readonly paths: readonly string[];
}

/** The names that common agents and the reference servers use. */
export const defaultFileTools: FileTools = {
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

/** No files. */
export const noFiles: TrackedFiles = { read: [], changed: [] };

// Enough for any piece of work that a person would oversee; a list without end would crowd out the summary itself.
const mostFiles = 200;

/** The files of a list of messages, after those that were known before. */
export function trackFiles(
  messages: readonly Message[],
  before: TrackedFiles = noFiles,
  tools: FileTools = defaultFileTools,
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

/** A tool's name without the server it comes from: `files__read_file` reads as `read_file`. */
function bareName(name: string): string {
  return name.slice(name.lastIndexOf('__') + (name.includes('__') ? 2 : 1)).toLowerCase();
}

function pathsIn(parameters: JsonObject, keys: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const take = (value: Json) => {
    if (typeof value !== 'string') return;
    const path = value.trim();
    // A path is one line; what is longer is a text under a name that others use for paths.
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

/** Both lists as a marker's details. */
export function filesJson({ read, changed }: TrackedFiles): JsonObject {
  return { readFiles: read, modifiedFiles: changed };
}

/** The lists that a marker's details hold; none where they are something else. */
export function filesIn(details: JsonObject | undefined): TrackedFiles {
  const texts = (value: Json | undefined): string[] =>
    value !== undefined && isTextList(value) ? value.filter((one): one is string => typeof one === 'string') : [];
  if (details === undefined) return noFiles;
  return { read: texts(details.readFiles), changed: texts(details.modifiedFiles) };
}

/** Two lists as one, the second being the newer. */
export function joinFiles(before: TrackedFiles, after: TrackedFiles): TrackedFiles {
  const join = (a: readonly string[], b: readonly string[]) => [...a.filter((path) => !b.includes(path)), ...b];
  const changed = join(before.changed, after.changed);
  const read = join(before.read, after.read).filter((path) => !changed.includes(path));
  return { read: newest(read), changed: newest(changed) };
}

const headings = { read: '## Files read', changed: '## Files changed' } as const;

/** The lists as the end of a summary; empty where there are none. */
export function filesText({ read, changed }: TrackedFiles): string {
  const part = (heading: string, paths: readonly string[]) =>
    paths.length === 0 ? [] : [`${heading}\n${paths.map((path) => `- ${path}`).join('\n')}`];
  return [...part(headings.read, read), ...part(headings.changed, changed)].join('\n\n');
}

/** A summary without the lists at its end, which the next one writes anew. */
export function withoutFiles(summary: string): string {
  const lines = summary.split('\n');
  let end = lines.length;
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at]?.trim() ?? '';
    if (line === headings.read || line === headings.changed) end = at;
    else if (line !== '' && !line.startsWith('- ')) break;
  }
  return lines.slice(0, end).join('\n').trim();
}
