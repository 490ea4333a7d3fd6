/** Copies parts of a session to another file; ids are kept. */
import {
  type CopiedEntry,
  getLineAndCommitFields,
  type SessionEntry,
  type SessionIndex,
} from '@coppice/content/sessions';
import { isJsonObject } from '@coppice/core/decode';

// The metadata fields of a line that are copied with it.
const copiedFields: ReadonlySet<string> = new Set(['timestamp', 'node', 'damaged']);
// Fields that depend on siblings; the siblings may not be copied.
const positionFields: ReadonlySet<string> = new Set(['position', 'groupId']);

/** Builds an entry for the other file that includes changes by later lines. */
function copyEntry(index: SessionIndex, at: number, parentUuid: string): SessionEntry {
  const { file } = index;
  const entry = file.entryAt(at);
  const amended = index.laterChanges(at);
  const ofItsFile = getLineAndCommitFields(entry);
  const rest = Object.fromEntries(
    Object.entries(entry).filter(([key]) => copiedFields.has(key) || !ofItsFile.has(key)),
  );
  const noted = isJsonObject(entry['node'])
    ? Object.fromEntries(Object.entries(entry['node']).filter(([key]) => !positionFields.has(key)))
    : {};
  const { message, status, meta } = amended ?? {};
  // Key, text and token count were computed from the old content, which a later line replaced.
  const reported = message === undefined ? noted : omitFields(noted, ['key', 'text', 'tokens', 'message', 'aliases']);
  const node = {
    ...reported,
    ...(status === undefined || status === 'success' ? {} : { status }),
    ...(message === undefined || entry.type === 'message' ? {} : { message }),
    ...(meta === undefined
      ? {}
      : { meta: { ...(isJsonObject(reported['meta']) ? reported['meta'] : {}), ...omitAbsent(meta) } }),
  };
  const done = status === 'success' ? omitFields(node, ['status']) : node;
  const { node: _, ...bare } = rest;
  return {
    ...bare,
    type: entry.type,
    uuid: entry.uuid,
    parentUuid,
    ...(message !== undefined && entry.type === 'message' ? { message } : {}),
    ...(Object.keys(done).length === 0 ? {} : { node: done }),
  };
}

function omitFields(
  fields: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)));
}

function omitAbsent(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

/** The source of ids and the time for added lines. */
interface CopyOptions {
  readonly newId: () => string;
  readonly time: string;
}

/** Returns the labels of copied entries and the session's name, as separate lines. */
function labelAndNameLines(
  index: SessionIndex,
  lines: ReadonlySet<number>,
  leaf: string,
  options: CopyOptions,
): SessionEntry[] {
  const { newId, time: timestamp } = options;
  const found: SessionEntry[] = [];
  for (const [at, { title }] of index.labels)
    if (lines.has(at))
      found.push({
        type: 'label',
        uuid: newId(),
        parentUuid: leaf,
        timestamp,
        targetUuid: index.file.uuidAt(at),
        label: title,
      });
  if (index.name !== undefined)
    found.push({ type: 'session_info', uuid: newId(), parentUuid: leaf, timestamp, name: index.name });
  return found;
}

/** Copies the path down to a line, as a chain below the other file's header; the line becomes its leaf. */
export function copyPathEntries(
  index: SessionIndex,
  to: number,
  header: string,
  options: CopyOptions,
): Iterable<CopiedEntries> {
  return copyLines(index, index.path(to).slice(1), to, header, options);
}

/** Copies the path down to a line and all of its descendants. */
export function copySubtreeEntries(
  index: SessionIndex,
  top: number,
  leaf: number,
  header: string,
  options: CopyOptions,
): Iterable<CopiedEntries> {
  const lines = index.path(top).slice(1);
  const open = [...index.children(top)].reverse();
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    lines.push(at);
    const below = index.children(at);
    for (let child = below.length - 1; child >= 0; child--) open.push(below[child] ?? at);
  }
  return copyLines(index, lines, lines.includes(leaf) ? leaf : top, header, options);
}

// Only these types have a field for copied commit metadata; in other entries it would become content.
const commitMetadataTypes: ReadonlySet<string> = new Set(['message', 'branch_summary', 'stack_summary']);

/** A copied entry: the original line if no later line changed it, else a new entry. */
type CopiedEntries = SessionEntry | CopiedEntry;

/** Copies lines, parents before children, below another header. */
function* copyLines(
  index: SessionIndex,
  lines: readonly number[],
  leaf: number,
  header: string,
  options: CopyOptions,
): Generator<CopiedEntries, void, undefined> {
  const { file } = index;
  for (const at of lines) {
    const parent = index.parent(at);
    const parentUuid = parent <= 0 ? header : file.uuidAt(parent);
    const type = file.typeAt(at);
    const rest =
      commitMetadataTypes.has(type) && index.laterChanges(at) === undefined ? (file.restAt?.(at) ?? null) : null;
    if (rest === null) yield copyEntry(index, at, parentUuid);
    else yield { type, uuid: file.uuidAt(at), parentUuid, rest };
  }
  const end = leaf <= 0 ? header : file.uuidAt(leaf);
  yield* labelAndNameLines(index, new Set(lines), end, options);
  // The last message is the leaf by default, so another leaf needs this line.
  const { newId, time: timestamp } = options;
  yield { type: 'leaf', uuid: newId(), parentUuid: end, timestamp };
}
