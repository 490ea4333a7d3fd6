// Findings about structural problems that all readers share. The record is kept, and the problem is reported.
import type { Json, JsonObject } from '@coppice/core';
import type { ImportedNode } from './contract.ts';
import { getFilledText, isJsonObject } from './fields.ts';
import { buildFindingDetail } from './finding-details.ts';
import { buildFinding, type FindingSeverity, type ImportFinding } from './findings.ts';

/** Returns a finding for a parent that is not an id; the node becomes a child of the root. */
export function checkParentId(parent: Json | undefined, place: string): ImportFinding[] {
  if (parent === undefined || parent === null || typeof parent === 'string') return [];
  return [
    buildFinding('import/orphan', 'repair', place, buildFindingDetail('parent', JSON.stringify(parent).slice(0, 80))),
  ];
}

/**
 * Returns a finding for a field that is read as a list and has another value. A missing field and null are empty lists.
 */
export function checkListField(record: JsonObject, key: string, place: string): ImportFinding[] {
  const value = record[key];
  if (value === undefined || value === null || Array.isArray(value)) return [];
  return [buildFinding('import/record-unreadable', 'loss', place, buildFindingDetail('not-a-list', key))];
}

/** Builds the finding for an entry of a list, or a line, that is not read because it is not an object. */
export function buildNonObjectFinding(place: string): ImportFinding {
  return buildFinding('import/record-unreadable', 'loss', place, buildFindingDetail('not-an-object'), 1);
}

/** Returns a finding for more than one root; only a note in formats that allow several roots. */
export function checkRootCount(count: number, place: string, severity: FindingSeverity = 'note'): ImportFinding[] {
  return count > 1
    ? [buildFinding('import/several-roots', severity, place, buildFindingDetail('root-count', count))]
    : [];
}

/** Counts the records that are roots. One record may have become several nodes. */
export function countRoots(nodes: readonly ImportedNode[]): number {
  const places = new Set<string>();
  for (const { parentExternalId, place } of nodes) if (parentExternalId === null) places.add(place);
  return places.size;
}

/** Returns a finding for each node whose parent comes later in the list. */
export function findForwardParents(nodes: readonly ImportedNode[]): ImportFinding[] {
  const ids = new Set(nodes.map(({ externalId }) => externalId));
  const seen = new Set<string>();
  const found: ImportFinding[] = [];
  for (const { externalId, parentExternalId: parent, place } of nodes) {
    if (parent !== null && parent !== externalId && ids.has(parent) && !seen.has(parent))
      found.push(buildFinding('import/forward-parent', 'note', place));
    seen.add(externalId);
  }
  return found;
}

/** The parts of a file that have a type, role or sender. */
type TypedThing =
  | ('role' | 'sender' | 'type' | 'part' | 'entry' | 'block')
  | ('line' | 'item' | 'event' | 'attachment' | 'step' | 'fragment');

/** Returns a finding for an unknown value, such as the type of a part. */
export function checkKnownValue(
  what: TypedThing,
  word: Json | undefined,
  known: (word: string) => boolean,
  place: string,
  severity: FindingSeverity = 'note',
): ImportFinding[] {
  if (typeof word === 'string' && known(word)) return [];
  const isMissing = word === undefined || word === null;
  const reported = isMissing
    ? buildFindingDetail(`no-${what}`)
    : buildFindingDetail(what, JSON.stringify(word).slice(0, 80));
  return [buildFinding('import/unknown-type', severity, place, reported)];
}

/**
 * Returns a finding for a record with an unknown role. The role is guessed, so the finding is a repair, which strict
 * imports refuse.
 */
export function checkRole(
  what: 'role' | 'sender',
  word: Json | undefined,
  known: (word: string) => boolean,
  place: string,
): ImportFinding[] {
  return checkKnownValue(what, word, known, place, 'repair');
}

/**
 * Returns a finding if a message contains Anthropic's `tool_use` or `tool_result` blocks, in a format that has other
 * blocks.
 */
export function checkWireBlocks(content: Json | undefined, place: string): ImportFinding[] {
  const blocks = Array.isArray(content) ? content : [];
  const found = blocks.find(
    (block) => isJsonObject(block) && (block.type === 'tool_use' || block.type === 'tool_result'),
  );
  return isJsonObject(found) ? checkKnownValue('block', found.type, () => false, place, 'repair') : [];
}

// A record with one of these fields is part of a tree, whatever the value of the field is.
const linkField =
  /^(?:(?:parent|children|child|(?:in_?)?reply_?to)(?:_?(?:message|node|msg))?s?(?:_?(?:id|uuid)s?)?|(?:prev|previous|next)_?(?:(?:message|node|msg)(?:_?(?:id|uuid))?|id|uuid))$/i;
// Fields that contain other versions of the same message if their value is a list or an object.
const versionFields: ReadonlySet<string> = new Set([
  'ancestors',
  'siblings',
  'versions',
  'variants',
  'alternatives',
  'swipes',
  'replies',
  'branches',
  'regenerations',
]);

function linkIn(record: Json | undefined): string | undefined {
  if (!isJsonObject(record)) return undefined;
  for (const key of Object.keys(record)) {
    if (linkField.test(key)) return key;
    if (versionFields.has(key) && typeof record[key] === 'object' && record[key] !== null) return key;
  }
  return undefined;
}

// Shorter ids, such as numbers, may be equal to other values by chance.
const shortestLinkedId = 8;
const idFields = ['id', 'uuid', '_id', 'message_id', 'messageId'];
// Fields that name a thread, a session or a run of several messages. The id of a thread may be that of its first
// message.
const sharedField = /thread|conversation|session|chat|root|run|turn/i;

function idOf(message: Json): string | undefined {
  if (!isJsonObject(message)) return undefined;
  const id = idFields.map((key) => message[key]).find((value) => typeof value === 'string');
  return typeof id === 'string' && id.length >= shortestLinkedId ? id : undefined;
}

/**
 * Finds a field whose value is the id of another message that is not the previous or next one. Returns the index of the
 * message that has the field, and the field's name.
 */
function findLinkByValue(messages: readonly Json[]): readonly [index: number, key: string] | undefined {
  const places = new Map<string, number>();
  for (const [index, message] of messages.entries()) {
    const id = idOf(message);
    if (id !== undefined) places.set(id, index);
  }
  if (places.size < 2) return undefined;
  for (const [index, message] of messages.entries()) {
    if (!isJsonObject(message)) continue;
    for (const [key, value] of Object.entries(message)) {
      if (sharedField.test(key)) continue;
      for (const one of Array.isArray(value) ? value : [value]) {
        const named = typeof one === 'string' ? places.get(one) : undefined;
        if (named !== undefined && Math.abs(named - index) > 1) return [index, key];
      }
    }
  }
  return undefined;
}

/** Returns the index of the first message that names a parent, a child or another version, and the field. */
function findLink(messages: readonly Json[]): readonly [index: number, key: string] | undefined {
  for (const [index, message] of messages.entries()) {
    const key = linkIn(message);
    if (key !== undefined) return [index, key];
  }
  return findLinkByValue(messages);
}

/** Whether messages name parents, children or other versions. */
export function hasMessageLinks(messages: readonly Json[]): boolean {
  return findLink(messages) !== undefined;
}

/**
 * Returns a finding for a list whose messages name parents or children, in a format of plain lists. Undefined for a
 * plain list.
 */
export function checkMessageLinks(messages: readonly Json[], place: string): ImportFinding | undefined {
  const link = findLink(messages);
  if (link === undefined) return undefined;
  const [index, key] = link;
  const details = buildFindingDetail('branch-field', index, JSON.stringify(key));
  return buildFinding('import/other-format', 'loss', place, details, messages.length);
}

/** Returns a finding for a record whose id differs from its key. The key is used. */
export function checkRecordKey(key: string, id: Json | undefined, place: string): ImportFinding[] {
  if (id === undefined || id === null || id === key) return [];
  return [
    buildFinding('import/inferred', 'repair', place, buildFindingDetail('own-id', JSON.stringify(id).slice(0, 80))),
  ];
}

// The block types that readers use for files whose bytes are not in the export.
const named: ReadonlySet<string> = new Set(['claude-file', 'claude-attachment', 'open-webui-file', 'librechat-file']);

/** Returns a finding for each file that messages name but the export does not contain. */
export function findMissingFiles(nodes: readonly ImportedNode[]): ImportFinding[] {
  const found: ImportFinding[] = [];
  for (const { message, place } of nodes) {
    if (typeof message !== 'object' || message === null || !('content' in message)) continue;
    const blocks: readonly Json[] = Array.isArray(message.content) ? message.content : [];
    for (const block of blocks) {
      if (!isJsonObject(block) || typeof block.type !== 'string' || !named.has(block.type)) continue;
      const called =
        getFilledText(block, 'file_name') ?? getFilledText(block, 'filename') ?? getFilledText(block, 'name');
      found.push(
        buildFinding(
          'import/attachment-missing',
          'note',
          place,
          called?.slice(0, 200) ?? buildFindingDetail('no-name'),
        ),
      );
    }
  }
  return found;
}
