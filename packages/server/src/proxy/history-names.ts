/**
 * Names of histories: the hash of all messages up to a reply. The next call of a session sends them again, and finds its
 * place by the name, without reading the tree.
 */
import { createHash, type Hash } from 'node:crypto';
import { messageKit, removeProgramElements } from '@coppice/content';
import { isText, isToolUse, type Message, type NodeId, type Store, type TreeId } from '@coppice/core';

const exactFormat = 'proxy-history';
// The same without what programs put beside the words of the user: Claude Code sends the date and the project's notes
// anew in the first message, so that a session resumed on the next day would match nothing.
const wordsFormat = 'proxy-history-words';

/** The names of the beginnings of a history that end with a reply, by their lengths. */
interface HistoryNames {
  readonly exact: ReadonlyMap<number, string>;
  /** Empty if no message has anything beside the words of the user. */
  readonly words: ReadonlyMap<number, string>;
}

/** A message without reminders and the like; null if nothing remains. The same message if it has none. */
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

/** The keys of the messages of a history. */
export function historyKeysOf(history: readonly Message[]): readonly string[] {
  return history.map((message) => messageKit.key(message));
}

function namesOf(history: readonly Message[], keys: readonly string[]): HistoryNames {
  const [exact, words] = [new Map<number, string>(), new Map<number, string>()];
  const [whole, bare]: [Hash, Hash] = [createHash('sha256'), createHash('sha256')];
  let differs = false;
  for (const [index, message] of history.entries()) {
    const key = keys[index] ?? messageKit.key(message);
    whole.update(`${key}\n`);
    const reduced = wordsOnly(message);
    if (reduced !== message) differs = true;
    if (reduced !== null) bare.update(`${reduced === message ? key : messageKit.key(reduced)}\n`);
    if (message.role !== 'assistant') continue;
    exact.set(index + 1, whole.copy().digest('hex'));
    words.set(index + 1, bare.copy().digest('hex'));
  }
  return { exact, words: differs ? words : new Map() };
}

/** The rows that remember the history of a recorded reply. */
export function buildHistoryRows(
  tree: TreeId,
  nodeId: NodeId,
  messages: readonly Message[],
  project: string,
): { treeId: TreeId; nodeId: NodeId; format: string; scope: string; id: string }[] {
  const { exact, words } = namesOf(messages, historyKeysOf(messages));
  const row = (format: string, id: string | undefined) =>
    id === undefined ? [] : [{ treeId: tree, nodeId, format, scope: project, id }];
  return [...row(exactFormat, exact.get(messages.length)), ...row(wordsFormat, words.get(messages.length))];
}

/** A recorded reply, and how many messages of a history lead to it. */
export interface FoundHistory {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly length: number;
  /** Whether everything is the same, not only the words. */
  readonly exact: boolean;
}

/** Whether no other session is likely to have these words: they have a call with its id, or several replies. */
export function isDistinctiveHistory(history: readonly Message[]): boolean {
  const replies = history.filter(({ role }) => role === 'assistant');
  return replies.length > 1 || replies.some(({ content }) => content.some(isToolUse));
}

// The last replies of a history are nearly always recorded, so that most calls need one small query.
const lookFirst = 4;

/**
 * Finds the beginnings of a history that end with a recorded reply, the longest first. By `words` only within a session,
 * or with a further check (`isDistinctiveHistory`): two unrelated histories may have the same words.
 */
export async function* findHistories(
  store: Store,
  history: readonly Message[],
  keys: readonly string[],
  project: string,
  by: 'exact' | 'words' = 'exact',
): AsyncGenerator<FoundHistory> {
  const { exact, words } = namesOf(history, keys);
  for (const [format, names] of [
    [exactFormat, exact],
    [wordsFormat, by === 'words' ? words : new Map<number, string>()],
  ] as const) {
    const newest = [...names].reverse();
    for (const part of [newest.slice(0, lookFirst), newest.slice(lookFirst)]) {
      if (part.length === 0) continue;
      const lengths = new Map(part.map(([length, id]) => [id, length]));
      const found = await store.findExternalIds(format, project, [...lengths.keys()]);
      for (const { treeId, nodeId, id } of found.toSorted(
        (a, b) => (lengths.get(b.id) ?? 0) - (lengths.get(a.id) ?? 0),
      ))
        if (nodeId !== null) yield { treeId, nodeId, length: lengths.get(id) ?? 0, exact: format === exactFormat };
    }
  }
}
