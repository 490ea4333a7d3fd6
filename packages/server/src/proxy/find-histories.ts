/**
 * Finds the recorded session of a call by a hash of all messages up to a reply. The next call of a session sends the
 * same messages, so the tree need not be read.
 */
import { messageKit, removeProgramElements } from '@coppice/content';
import { isText, isToolUse, type Message, type NodeId, type Store, type TreeId } from '@coppice/core';
import { createIncrementalHash } from '#platform/crypto';

const exactFormat = 'proxy-history';
// A hash of the user's words only. Claude Code adds the current date and the project's notes to the first message, so a
// session that is resumed on the next day would not match otherwise.
const wordsFormat = 'proxy-history-words';

/**
 * Returns a message without reminders and other additions of programs; null if nothing remains. The same message if it
 * has no additions.
 */
function wordsOnly(message: Message): Message | null {
  if (message.role === 'system') return null;
  if (message.role !== 'user') return message;
  let changed = false;
  const content = message.content.flatMap((block) => {
    if (!isText(block) || !block.text.includes('<')) return [block];
    const text = removeProgramElements(block.text);
    if (text === block.text) return [block];
    changed = true;
    return text.trim() === '' ? [] : [{ ...block, text }];
  });
  if (!changed) return message;
  return content.length === 0 ? null : { ...message, content };
}

/** Returns the keys of the messages of a history. */
export function historyKeysOf(history: readonly Message[]): readonly string[] {
  return history.map((message) => messageKit.key(message));
}

/** Returns the hash of each prefix with one of the given lengths, shortest first. */
function namesOf(keys: readonly (string | null)[], lengths: readonly number[]): Map<string, number> {
  const names = new Map<string, number>();
  const hash = createIncrementalHash();
  let from = 0;
  for (const length of lengths) {
    let text = '';
    for (const key of keys.slice(from, length)) if (key !== null) text += `${key}\n`;
    hash.update(text);
    names.set(hash.read(), length);
    from = length;
  }
  return names;
}

/**
 * Returns the keys of a history without additions of programs; an element is null if nothing of its message remains.
 * Null if no message has additions.
 */
function keysOfWords(history: readonly Message[], keys: readonly string[]): readonly (string | null)[] | null {
  let differs = false;
  const reduced = history.map((message, index) => {
    const words = wordsOnly(message);
    if (words === message) return keys[index] ?? messageKit.key(message);
    differs = true;
    return words === null ? null : messageKit.key(words);
  });
  return differs ? reduced : null;
}

/**
 * Returns the external id rows with which the history of a recorded reply is found again, from the keys of its
 * messages.
 */
export function buildHistoryExternalIds(
  tree: TreeId,
  nodeId: NodeId,
  messages: readonly Message[],
  keys: readonly string[],
  project: string,
): { treeId: TreeId; nodeId: NodeId; format: string; scope: string; id: string }[] {
  if (messages.at(-1)?.role !== 'assistant') return [];
  const rows = (format: string, of: readonly (string | null)[] | null) =>
    of === null
      ? []
      : [...namesOf(of, [messages.length]).keys()].map((id) => ({ treeId: tree, nodeId, format, scope: project, id }));
  return [...rows(exactFormat, keys), ...rows(wordsFormat, keysOfWords(messages, keys))];
}

/** A recorded reply, and the number of messages of the history that end with it. */
export interface FoundHistory {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly length: number;
  /** Whether the whole messages are equal, not only the user's words. */
  readonly exact: boolean;
}

/**
 * Whether other sessions are unlikely to have the same words: the history has a tool call with its id, or several
 * replies.
 */
export function isDistinctiveHistory(history: readonly Message[]): boolean {
  const replies = history.filter(({ role }) => role === 'assistant');
  return replies.length > 1 || replies.some(({ content }) => content.some(isToolUse));
}

// How many of the last replies to look up first. They are nearly always recorded, so most calls need one small query.
const firstLookupCount = 4;

/**
 * Finds the prefixes of a history that end with a recorded reply, the longest first. A match by `words` counts only
 * within a session, or with a further check (`isDistinctiveHistory`), because two unrelated histories may have the same
 * words.
 */
export async function* findHistories(
  store: Store,
  history: readonly Message[],
  keys: readonly string[],
  project: string,
  by: 'exact' | 'words' = 'exact',
): AsyncGenerator<FoundHistory> {
  const replies = history.flatMap(({ role }, index) => (role === 'assistant' ? [index + 1] : []));
  const words = by === 'words' ? keysOfWords(history, keys) : null;
  for (const part of [replies.slice(-firstLookupCount), replies.slice(0, -firstLookupCount)]) {
    const longest = part.at(-1);
    if (longest === undefined) continue;
    const find = async (format: string, of: readonly (string | null)[], exact: boolean): Promise<FoundHistory[]> => {
      const lengths = namesOf(of, part);
      const found = await store.findExternalIds(format, project, [...lengths.keys()]);
      return found.flatMap(({ treeId, nodeId, id }) =>
        nodeId === null ? [] : [{ treeId, nodeId, length: lengths.get(id) ?? 0, exact }],
      );
    };
    const exact = sortByLength(await find(exactFormat, keys, true));
    yield* exact.filter(({ length }) => length === longest);
    const shorter = exact.filter(({ length }) => length < longest);
    if (by === 'exact') {
      yield* shorter;
      continue;
    }
    // A reminder may be in the recorded history, in this one, or in both. Without this comparison a shorter prefix would
    // be taken, and the messages after it would be added again.
    yield* sortByLength([
      ...shorter,
      ...(await find(wordsFormat, words ?? keys, false)),
      ...(words === null ? [] : await find(exactFormat, words, false)),
    ]);
  }
}

/** Sorts histories by their length, the longest first, and exact ones before others of the same length. */
function sortByLength(found: readonly FoundHistory[]): FoundHistory[] {
  return found.toSorted((a, b) => b.length - a.length || Number(b.exact) - Number(a.exact));
}
