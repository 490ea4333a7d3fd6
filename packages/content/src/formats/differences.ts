// Compares a record that is imported again with the node that was made from it.
import type { ImportNode, Json, JsonObject, Message, Node } from '@coppice/core';
import { isText, textOf } from '@coppice/core';
import { blockDefinitionOf } from '../blocks/index.ts';
import { canonicalJson } from '../canonical-json.ts';
import { isJsonObject, listAt, omitKeys } from './fields.ts';
import { checksumOf, readImportMetadata, unpackRecord } from './original-record.ts';
import { getPreservedLines } from './preserved-lines.ts';

/** The difference between a record that is imported again and the node that was made from it. */
export interface RecordDifference {
  /** Whether the message differs; if not, only metadata does. */
  readonly said: boolean;
  /** Whether the node was edited here since. */
  readonly edited: boolean;
}

/** The state of a node that is imported again. */
export interface ReimportState {
  /** Whether it is a node that Coppice exported, which has no original record: then the content is compared. */
  readonly restored: boolean;
  /** Whether its parent is the same in source and tree; then differing links are ignored. */
  readonly inPlace: boolean;
}

/**
 * Compares a record that is imported again with its stored node; null if the source did not change, or if the same
 * change was made here.
 */
export function findDifference(
  node: Pick<Node, 'meta' | 'message'>,
  again: Pick<ImportNode, 'meta' | 'message'>,
  { restored, inPlace }: ReimportState,
): RecordDifference | null {
  const [before, now] = restored ? [] : [readImportMetadata(node.meta), readImportMetadata(again.meta ?? {})];
  const unsaid = before !== undefined && before.sum === now?.sum;
  if (unsaid && isSameRecord(before.record, now?.record, inPlace)) return null;
  const here = node.message === null ? '' : checksumOf(node.message.content);
  if (unsaid) return { said: false, edited: here !== before.sum };
  if (here === (now?.sum ?? checksumOf(again.message.content))) return null;
  const edited = here !== before?.sum;
  // The same record, only with other attachment files available.
  const was = edited ? undefined : wholeRecord(node);
  if (was !== undefined && isSameRecord(was, wholeRecord(again), true)) return { said: false, edited };
  return { said: true, edited };
}

/** Returns the original record of a message with its texts; undefined if there is none. */
function wholeRecord({ meta, message }: Pick<ImportNode, 'meta'> & Pick<Node, 'message'>): Json | undefined {
  const record = readImportMetadata(meta ?? {})?.record;
  return record === undefined || message === null ? undefined : unpackRecord(record, message);
}

function isSameRecord(one: Json | undefined, other: Json | undefined, inPlace: boolean): boolean {
  if (one === undefined || other === undefined) return one === other;
  // A store or a newer export may order the keys differently; the cheap comparison is tried first.
  if (JSON.stringify(one) === JSON.stringify(other) || canonicalJson(one) === canonicalJson(other)) return true;
  return canonicalJson(omitPosition(one, inPlace)) === canonicalJson(omitPosition(other, inPlace));
}

const links = ['parentUuid', 'logicalParentUuid', 'parentId', 'parentMessageId'] as const;
// Lines about the whole session follow the last message, which may be another one now.
const ofTheSession: ReadonlySet<unknown> = new Set(['custom-title', 'ai-title', 'last-prompt']);

/**
 * Returns a record without its place in the file, which changes when others are added or removed, and if `inPlace`
 * without its links.
 */
function omitPosition(record: Json, inPlace: boolean): Json {
  if (!isJsonObject(record)) return record;
  const own = inPlace ? { ...record, parent: null } : record;
  if (listAt(record, 'lines').length === 0 && listAt(record, 'after').length === 0) return own;
  const bare = (line: JsonObject) => (inPlace ? omitKeys(line, ...links) : line);
  return {
    ...own,
    parts: null,
    lines: getPreservedLines(record, 'lines').map(({ line }) => bare(line)),
    after: getPreservedLines(record, 'after').flatMap(({ line }) => (ofTheSession.has(line.type) ? [] : line)),
  };
}

// Formats join texts with line feeds or without a separator.
const squeezed = (text: string) => text.replace(/\s+/g, '');

/**
 * Whether a message that Coppice exported still has its content. It may be divided into other blocks, and content
 * without a place in the format, such as a file, may be replaced by text.
 */
export function hasSameContent({ kind, message }: Pick<Node, 'kind' | 'message'>, again: Message): boolean {
  // The state of an extension has no content to compare.
  if (message === null || kind === 'state') return true;
  const here = squeezed(textOf(message));
  let there = squeezed(textOf(again));
  if (there === here) return true;
  for (const block of message.content)
    if (!isText(block)) there = there.replace(squeezed(blockDefinitionOf(block).toText(block)), () => '');
  return there === here;
}
