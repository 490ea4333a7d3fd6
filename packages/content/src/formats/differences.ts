// How a record that comes in again differs from the one that a node was made of.
import type { ImportNode, Json, JsonObject, Message, Node } from '@coppice/core';
import { isText, textOf } from '@coppice/core';
import { blockDefinitionOf } from '../blocks/index.ts';
import { canonicalJson } from '../canonical-json.ts';
import { isJsonObject, listAt, omitKeys } from './fields.ts';
import { checksumOf, readNote, unpackRecord } from './original-record.ts';
import { linesAt } from './preserved-lines.ts';

/** How a record that comes in again differs from the one that a node was made of. */
export interface Difference {
  /** Whether it says something else; if not, only what is beside the text differs. */
  readonly said: boolean;
  /** Whether the node was edited here meanwhile. */
  readonly edited: boolean;
}

/** What is known of a node that comes in again. */
export interface Reimport {
  /** Whether it is one of our own that comes back, which has no record beside it: what it says is compared. */
  readonly restored: boolean;
  /** Whether it hangs there where it hangs here: its links say nothing new then, whatever it hung on when it came in. */
  readonly inPlace: boolean;
}

/**
 * Compares a record that comes in again with the node that it was stored as; null where nothing changed at the source, or
 * where the same was changed here.
 */
export function differenceOf(
  node: Pick<Node, 'meta' | 'message'>,
  again: Pick<ImportNode, 'meta' | 'message'>,
  { restored, inPlace }: Reimport,
): Difference | null {
  const [before, now] = restored ? [] : [readNote(node.meta), readNote(again.meta ?? {})];
  const unsaid = before !== undefined && before.sum === now?.sum;
  if (unsaid && isSameRecord(before.record, now?.record, inPlace)) return null;
  const here = node.message === null ? '' : checksumOf(node.message.content);
  if (unsaid) return { said: false, edited: here !== before.sum };
  if (here === (now?.sum ?? checksumOf(again.message.content))) return null;
  const edited = here !== before?.sum;
  // The same record, and files beside it that are there or not: nothing else is said.
  const was = edited ? undefined : wholeRecord(node);
  if (was !== undefined && isSameRecord(was, wholeRecord(again), true)) return { said: false, edited };
  return { said: true, edited };
}

/** The record beside a message, with its texts; undefined where there is none. */
function wholeRecord({ meta, message }: Pick<ImportNode, 'meta'> & Pick<Node, 'message'>): Json | undefined {
  const record = readNote(meta ?? {})?.record;
  return record === undefined || message === null ? undefined : unpackRecord(record, message);
}

function isSameRecord(one: Json | undefined, other: Json | undefined, inPlace: boolean): boolean {
  if (one === undefined || other === undefined) return one === other;
  // A store, or a newer export, may have the keys in another order; mostly it has not.
  if (JSON.stringify(one) === JSON.stringify(other) || canonicalJson(one) === canonicalJson(other)) return true;
  return canonicalJson(unplaced(one, inPlace)) === canonicalJson(unplaced(other, inPlace));
}

const links = ['parentUuid', 'logicalParentUuid', 'parentId', 'parentMessageId'] as const;
// Lines that tell of a whole session stand behind whatever message is the last by then.
const ofTheSession: ReadonlySet<unknown> = new Set(['custom-title', 'ai-title', 'last-prompt']);

/** A record without its place in the file, which changes when others come or go, and where asked without its links. */
function unplaced(record: Json, inPlace: boolean): Json {
  if (!isJsonObject(record)) return record;
  const own = inPlace ? { ...record, parent: null } : record;
  if (listAt(record, 'lines').length === 0 && listAt(record, 'after').length === 0) return own;
  const bare = (line: JsonObject) => (inPlace ? omitKeys(line, ...links) : line);
  return {
    ...own,
    parts: null,
    lines: linesAt(record, 'lines').map(({ line }) => bare(line)),
    after: linesAt(record, 'after').flatMap(({ line }) => (ofTheSession.has(line.type) ? [] : line)),
  };
}

// Formats put texts together with line feeds, or with nothing.
const squeezed = (text: string) => text.replace(/\s+/g, '');

/**
 * Whether a message of ours that comes back says what it says here. It may come in other blocks, and what a format has no
 * place for, such as a file, as the words that stand for it.
 */
export function hasSameContent({ kind, message }: Pick<Node, 'kind' | 'message'>, again: Message): boolean {
  // What an extension keeps is not said.
  if (message === null || kind === 'state') return true;
  const here = squeezed(textOf(message));
  let there = squeezed(textOf(again));
  if (there === here) return true;
  for (const block of message.content)
    if (!isText(block)) there = there.replace(squeezed(blockDefinitionOf(block).toText(block)), () => '');
  return there === here;
}
