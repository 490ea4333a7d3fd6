/**
 * Compaction by an agent: the agent lets a model summarise its session, and then sends the summary instead of the
 * history. The summary becomes a compaction marker in the tree, and the session continues below the marker.
 */
import { deriveId, messageKit, removeProgramElements } from '@coppice/content';
import {
  ask,
  isText,
  type Message,
  type Node,
  type NodeId,
  nodeId,
  type RunContext,
  readPath,
  run,
  type Store,
  type TreeRow,
} from '@coppice/core';

/**
 * The position of a call after a compaction: its parent is the marker, and `rest` are the messages below the marker.
 */
export interface CompactedPosition {
  readonly parentId: NodeId;
  readonly rest: readonly Message[];
}

const markerFormat = 'proxy-compaction';
// The texts with which Claude Code, Codex, pi and Gemini CLI introduce a summary whose request was not recorded.
const introduction =
  /this session is being continued from a previous conversation|another language model started to solve this problem and produced a summary|conversation history before this point was compacted|^\s*<(?:state_snapshot|compaction_summary|context_summary)>/i;
// A shorter summary is not searched for, because its text would occur in many messages.
const shortestSummary = 24;
// The shortest reply of the session itself that counts as a summary. A user may quote a shorter reply.
const shortestOwnSummary = 200;
// Only this many characters of a summary are compared, because programs may cut or wrap it.
const compared = 400;
// The number of newest leaves whose text is compared with the summary.
const newestLeaves = 12;

function wordsOf(message: Message): string {
  return message.content.map((block) => (isText(block) ? block.text : '')).join('\n');
}

function joinWhitespace(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

/** Returns the summary in a reply, without the element in which Claude Code lets the model think before. */
function summaryIn(text: string): string {
  const [, inner] = /<summary>([\s\S]*?)(?:<\/summary>|$)/i.exec(text) ?? [];
  return (inner ?? text.replace(/<analysis>[\s\S]*?<\/analysis>/gi, '')).trim();
}

/** Returns the first message of a history that contains a recorded summary, and the summary. */
function findSummary(
  history: readonly Message[],
  replies: readonly string[],
): { readonly at: number; readonly summary: string } | null {
  const summaries = replies
    .map((text) => summaryIn(text))
    .map((summary) => ({ summary, needle: joinWhitespace(summary).slice(0, compared) }))
    .filter(({ needle }) => needle.length >= shortestSummary);
  for (const [at, message] of history.entries()) {
    if (message.role === 'tool') continue;
    const text = wordsOf(message);
    const flat = joinWhitespace(text);
    const found = summaries.find(({ needle }) => flat.includes(needle));
    if (found !== undefined) return { at, summary: found.summary };
    if (message.role !== 'assistant' && introduction.test(text))
      return { at, summary: removeProgramElements(text).trim() };
  }
  return null;
}

/** Returns the position of a call whose history a known marker of the tree replaces; null if no marker does. */
export async function findPositionAfterMarker(
  store: Store,
  tree: TreeRow,
  history: readonly Message[],
  keys: readonly string[],
): Promise<CompactedPosition | null> {
  const at = new Map(keys.map((key, index) => [markerName(key), index]));
  const found = await store.findExternalIds(markerFormat, tree.id, [...at.keys()]);
  const newest = found.toSorted((a, b) => (at.get(b.id) ?? 0) - (at.get(a.id) ?? 0));
  for (const { nodeId: marker, id } of newest) {
    const index = at.get(id);
    if (marker === null || index === undefined) continue;
    const path = await pathTo(store, tree, marker);
    if (path === null) continue;
    return { parentId: marker, rest: restOf(history, keys, index, path.slice(0, -1)).rest };
  }
  return null;
}

function markerName(key: string): string {
  return deriveId(markerFormat, key);
}

async function pathTo(store: Store, tree: TreeRow, to: NodeId): Promise<readonly Node[] | null> {
  return store.read(tree.id, function* () {
    return (yield* ask('head', { id: to })) === null ? null : yield* readPath({ to });
  });
}

/**
 * Returns the messages that are not on the path above the marker, and the number of messages at its end that were kept.
 */
function restOf(
  history: readonly Message[],
  keys: readonly string[],
  at: number,
  path: readonly Node[],
): { readonly rest: readonly Message[]; readonly kept: number } {
  const above = path.filter(({ kind }) => kind === 'message').map(({ key }) => key ?? '');
  const after = keys.slice(at + 1);
  let kept = 0;
  for (let count = Math.min(after.length, above.length); count > 0 && kept === 0; count--)
    if (above.slice(-count).every((key, index) => key === after[index])) kept = count;
  const known = new Set(above);
  const before = history.slice(0, at).filter((_, index) => !known.has(keys[index] ?? ''));
  return { rest: [...before, ...history.slice(at + 1 + kept)], kept };
}

/**
 * Adds the marker for a call that continues from a summary; null if the call does not. The summary is one of the newest
 * replies of the session or of its side calls, or a text that a program introduces as a summary.
 */
export async function addCompactionMarker(
  store: Store,
  tree: TreeRow,
  sideCalls: TreeRow | null,
  history: readonly Message[],
  keys: readonly string[],
  context: RunContext,
): Promise<CompactedPosition | null> {
  const leaves = await store.read(tree.id, () => ask('leaves', { limit: newestLeaves }));
  const [leaf] = leaves;
  if (leaf === undefined || leaf.parentId === null) return null;
  const side = sideCalls === null ? [] : await store.read(sideCalls.id, () => ask('leaves', { limit: newestLeaves }));
  // Most replies of the session are in the history. Only a long reply that is missing there can be the summary.
  const own = leaves.filter(
    ({ message, key, text }) =>
      message?.role === 'assistant' && text.length >= shortestOwnSummary && !keys.includes(key ?? ''),
  );
  const replies = [...side, ...own].map(({ text }) => text);
  const found = findSummary(history, replies);
  if (found === null) return null;
  const { at, summary } = found;
  const path = await pathTo(store, tree, leaf.id);
  if (path === null) return null;
  const { rest, kept } = restOf(history, keys, at, path);
  const messages = path.filter(({ kind }) => kind === 'message');
  const firstKept = kept === 0 ? undefined : messages.at(-kept)?.id;
  const key = keys[at] ?? messageKit.key(history[at] ?? { role: 'user', content: [] });
  const id = nodeId(deriveId(markerFormat, tree.id, leaf.id, key));
  await run(
    store,
    {
      type: 'compact',
      treeId: tree.id,
      nodeId: leaf.id,
      summary: summary === '' ? wordsOf(history[at] ?? { role: 'user', content: [] }) : summary,
      id,
      select: false,
      ...(firstKept === undefined ? {} : { firstKept }),
    },
    context,
  );
  await store.putExternalIds([
    { treeId: tree.id, nodeId: id, format: markerFormat, scope: tree.id, id: markerName(key) },
  ]);
  return { parentId: id, rest };
}
