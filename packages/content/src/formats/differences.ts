// Compares a record that is imported again with its existing node.
import type { ImportNode, Json, JsonObject, Message, Node } from '@coppice/core';
import { isText, textOf } from '@coppice/core';
import { blockDefinitionOf } from '../blocks/index.ts';
import { canonicalJson } from '../canonical-json.ts';
import { isJsonObject, listAt, omitKeys } from './fields.ts';
import { comparedRecordOf, computeContentChecksum, readImportMetadata } from './original-record.ts';
import { getPreservedLines } from './preserved-lines.ts';

/** How a record that is imported again differs from its stored node. */
export interface RecordDifference {
  /** Whether the message differs; otherwise only metadata differs. */
  readonly messageDiffers: boolean;
  /** Whether the node was edited in Coppice after the first import. */
  readonly edited: boolean;
}

/** How a node that is imported again relates to the source. */
export interface ReimportState {
  /** Whether Coppice exported the node. Then it has no original record, and the content is compared. */
  readonly restored: boolean;
  /** Whether the node has the same parent in source and tree; then different links are ignored. */
  readonly inPlace: boolean;
}

/**
 * Compares a record that is imported again with its stored node. Returns null if the source did not change, or if the
 * same change was made in Coppice.
 */
export function findRecordDifference(
  node: Pick<Node, 'meta' | 'message'>,
  again: Pick<ImportNode, 'meta' | 'message'>,
  { restored, inPlace }: ReimportState,
): RecordDifference | null {
  const [before, now] = restored ? [] : [readImportMetadata(node.meta), readImportMetadata(again.meta ?? {})];
  const hasSameMessage = before !== undefined && before.sum === now?.sum;
  if (hasSameMessage && isSameRecord(before.record, now?.record, inPlace)) return null;
  const here = node.message === null ? '' : computeContentChecksum(node.message.content);
  if (hasSameMessage) return { messageDiffers: false, edited: here !== before.sum };
  if (here === (now?.sum ?? computeContentChecksum(again.message.content))) return null;
  const edited = here !== before?.sum;
  // The messages may differ only because other attachment files were found; then the records are still equal.
  const was = edited ? undefined : comparedRecordOf(node.meta, node.message);
  if (was !== undefined && isSameRecord(was, comparedRecordOf(again.meta ?? {}, again.message), true))
    return { messageDiffers: false, edited };
  return { messageDiffers: true, edited };
}

function isSameRecord(one: Json | undefined, other: Json | undefined, inPlace: boolean): boolean {
  if (one === undefined || other === undefined) return one === other;
  // A store or a newer export may order the keys differently. The cheaper comparison comes first.
  if (JSON.stringify(one) === JSON.stringify(other) || canonicalJson(one) === canonicalJson(other)) return true;
  return canonicalJson(omitPosition(one, inPlace)) === canonicalJson(omitPosition(other, inPlace));
}

const links = ['parentUuid', 'logicalParentUuid', 'parentId', 'parentMessageId'] as const;
// Types of lines about the whole session. They come after the last message, and another message may have become the
// last one.
const ofTheSession: ReadonlySet<unknown> = new Set(['custom-title', 'ai-title', 'last-prompt']);

/**
 * Returns a record without its position in the file, which changes when other records are added or removed. With
 * `inPlace` the links are removed as well.
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
 * Whether a message that Coppice exported still has the same content. The content may be divided into other blocks, and
 * content that the format cannot store, such as a file, may be replaced by text.
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
