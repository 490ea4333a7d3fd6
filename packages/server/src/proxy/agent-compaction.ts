/**
 * Compaction by an agent: it has its session summarised, and sends the summary in place of the history from then on. The
 * summary becomes a compaction marker where the session was, and the session goes on below it, in the same tree.
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

/** Where a call goes on after a compaction: below its marker, with these messages. */
export interface CompactedPosition {
  readonly parentId: NodeId;
  readonly rest: readonly Message[];
}

const markerFormat = 'proxy-compaction';
// How programs introduce a summary whose request was not recorded: Claude Code, Codex, pi, Gemini CLI.
const introduction =
  /this session is being continued from a previous conversation|another language model started to solve this problem and produced a summary|conversation history before this point was compacted|^\s*<(?:state_snapshot|compaction_summary|context_summary)>/i;
// A shorter text is found in many messages.
const shortestSummary = 24;
// A reply of the session may be quoted by its user, the beginning of a long one hardly.
const shortestOwnSummary = 200;
// As much of a summary is compared: programs may cut or wrap it.
const compared = 400;
// The newest leaves among which the summary is.
const newestLeaves = 12;

function wordsOf(message: Message): string {
  return message.content.map((block) => (isText(block) ? block.text : '')).join('\n');
}

function joinWhitespace(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

/** The summary in a reply: Claude Code has the model think in an element before it. */
function summaryIn(text: string): string {
  const [, inner] = /<summary>([\s\S]*?)(?:<\/summary>|$)/i.exec(text) ?? [];
  return (inner ?? text.replace(/<analysis>[\s\S]*?<\/analysis>/gi, '')).trim();
}

/** The first message of a history that has a recorded summary in it, and the summary. */
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

/** The place of a call whose history a known marker of the tree replaces; null if there is none. */
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

/** The messages that are not on the path above the marker, and how many at its end were kept. */
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
 * Adds the marker for a call that goes on from a summary; null if it does not. The summary is among the newest replies
 * of the session or of its side calls, or is introduced as programs do it.
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
  // A reply of the session itself is in the history as a reply unless it was a summary, which is long.
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
