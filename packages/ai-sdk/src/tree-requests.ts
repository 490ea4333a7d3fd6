/**
 * Handles the requests of `useTreeChat`: reading the shown branch with its variants, and all changes except sending a
 * message.
 */
import {
  ask,
  isAppError,
  isUuid,
  type JsonObject,
  type Node,
  type NodeId,
  nodeId,
  type ReadProgram,
  readPath,
  readPathThrough,
  readRecentLeaves,
  readTree,
  refuse,
  run,
  truncateToLine,
} from '@coppice/core';
import type { ChatRun, ChatRuns } from './chat-run.ts';
import { toUiMessage } from './read-request.ts';
import { type ChatTreeAccess, createChatContext, readUiMessageAt, storeMessages } from './store-messages.ts';
import { restoreNodeBytes } from './stored-bytes.ts';
import type { ChatBranchEnd, TreeChange, TreeChatState, UiMessageVariants } from './tree-state.ts';
import { continuesMessage, toUiChains, type UiChain } from './ui-nodes.ts';

const maxBranches = 50;
const previewLength = 120;

const noTree: TreeChatState = {
  version: 0,
  messages: [],
  places: [],
  run: null,
  runs: [],
  branches: [],
  end: null,
};

/** Finds the variants of each message: the children of its parent that start a message. */
function* placesOf(chains: readonly UiChain[], rootId: NodeId): ReadProgram<UiMessageVariants[]> {
  const firsts = chains.flatMap(({ nodes: [first] }) => (first === undefined ? [] : [first]));
  const lists = yield* ask('childIds', { of: firsts.map((node) => node.parentId ?? rootId) });
  const places: UiMessageVariants[] = [];
  for (const [at, { id }] of firsts.entries()) {
    const all = lists[at] ?? [id];
    const above = at === 0 ? undefined : chains[at - 1]?.nodes.at(-1);
    // An only child needs no check; among several children, one may continue the parent's message.
    const own =
      all.length < 2 || above === undefined || above.role === 'user'
        ? all
        : (yield* ask('nodes', { ids: all })).filter((node) => !continuesMessage(above, node)).map((node) => node.id);
    places.push({ nodeId: id, ids: own, index: own.indexOf(id) });
  }
  return places;
}

/**
 * Returns the path to show: the path through the first existing id, down to its last visited leaf; else the active
 * path.
 */
function* pathToShow(wanted: readonly string[], activeId: NodeId | null): ReadProgram<readonly Node[]> {
  for (const id of wanted) {
    if (!isUuid(id)) continue;
    const node = yield* ask('node', { id: nodeId(id) });
    if (node !== null && node.parentId !== null) return yield* readPathThrough(node.id);
  }
  return activeId === null ? [] : yield* readPath({ to: activeId });
}

/** Reads the branch through the first existing node or run of a list; by default the active branch. */
export async function readTreeState(
  { store, id }: ChatTreeAccess,
  runs: readonly ChatRun[],
  wanted: readonly string[] = [],
): Promise<TreeChatState> {
  if ((await store.formatOf(id)) === null) return noTree;
  const asked = runs.find(({ request }) => wanted[0] === request.id);
  const { whole, chains, ...state } = await store.read(id, function* () {
    const { rootId, activeNodeId, version } = yield* readTree(id);
    const path = asked === undefined ? yield* pathToShow(wanted, activeNodeId) : [];
    const shown = asked ?? runs.findLast((each) => each.endsAt(path.at(-1)?.id ?? null));
    const above = shown?.request.above ?? null;
    // The page receives the message that is being generated from its stream, starting at the beginning.
    const whole = shown === undefined ? path : above === null || above === rootId ? [] : yield* readPath({ to: above });
    const chains = toUiChains(whole);
    const leaves = yield* readRecentLeaves(maxBranches);
    const prompts = yield* ask('nodes', { ids: runs.map(({ request }) => request.end) });
    const texts = new Map(prompts.map((node) => [node.id, node.text]));
    return {
      version,
      whole,
      chains,
      places: yield* placesOf(chains, rootId),
      run: shown?.request.id ?? null,
      runs: runs.map(({ request }) => ({
        id: request.id,
        text: truncateToLine(texts.get(request.end) ?? '', previewLength),
      })),
      branches: leaves.flatMap((node): ChatBranchEnd[] =>
        node.message === null
          ? []
          : [
              {
                id: node.id,
                role: node.role === 'user' || node.role === 'system' ? node.role : 'assistant',
                text: truncateToLine(node.text, previewLength),
                createdAt: node.createdAt,
              },
            ],
      ),
      end: path.at(-1)?.id ?? shown?.request.end ?? null,
    };
  });
  const restored = await restoreNodeBytes(whole, store.blobs);
  const shown = restored === whole ? chains : toUiChains(restored);
  return { ...state, messages: shown.map(({ message }) => toUiMessage(message)) };
}

/** Validates the body of a change. */
export function readTreeChange(body: JsonObject): TreeChange {
  const { action, nodeId: id, text, keepChildren } = body;
  if (action === 'undo' || action === 'redo') return { action };
  if (action !== 'select' && action !== 'edit' && action !== 'remove')
    return refuse('command/invalid', 'The action must be select, edit, remove, undo or redo.');
  if (typeof id !== 'string' || !isUuid(id)) return refuse('id/invalid', 'The nodeId must be a UUID.');
  if (action === 'select') return { action, nodeId: id };
  if (action === 'remove') return { action, nodeId: id, keepChildren: keepChildren !== false };
  if (typeof text !== 'string' || text.trim() === '') return refuse('message/blank', 'The message is empty.');
  return { action, nodeId: id, text };
}

/** Executes a change. Returns the ids of the branch to show afterwards; an empty list means the active branch. */
export async function changeTree(tree: ChatTreeAccess, runs: ChatRuns, change: TreeChange): Promise<readonly string[]> {
  const { store, id: treeId } = tree;
  const context = createChatContext(tree, tree.newId());
  switch (change.action) {
    case 'select': {
      // A run cannot be selected as a node, because its message is not stored yet.
      if (runs.of(treeId).some(({ request }) => request.id === change.nodeId)) return [change.nodeId];
      const end = await store.read(treeId, function* () {
        return (yield* readPathThrough(change.nodeId)).at(-1)?.id;
      });
      await run(store, { type: 'select', treeId, nodeId: end ?? nodeId(change.nodeId) }, context);
      return [];
    }
    case 'edit': {
      const { message, nodes } = await readUiMessageAt(tree, nodeId(change.nodeId));
      const others = message.parts.filter(({ type }) => type !== 'text');
      const edited = { ...message, parts: [...others, { type: 'text', text: change.text }] };
      await storeMessages(tree, [edited], {
        below: nodes[0]?.parentId ?? null,
        actId: tree.newId(),
        select: 'always',
      });
      return [];
    }
    case 'remove': {
      const { nodes } = await readUiMessageAt(tree, nodeId(change.nodeId));
      const mode = change.keepChildren === false ? 'cascade' : 'splice';
      const all = nodes.map((node) => node.id);
      await run(store, { type: 'delete', treeId, nodeIds: mode === 'splice' ? all : all.slice(0, 1), mode }, context);
      await stopOrphans(tree, runs);
      return [];
    }
    default:
      if (change.action === 'undo' && !(await stopUndone(tree, runs))) return [];
      await run(store, { type: change.action, treeId }, context);
      await stopOrphans(tree, runs);
      return [];
  }
}

/**
 * Stops the reply of the act that is about to be undone, so that its text is undone as well. Returns false if nothing
 * is left to undo, as for a regenerated reply without any text.
 */
async function stopUndone({ store, id, actor }: ChatTreeAccess, runs: ChatRuns): Promise<boolean> {
  const unwritten = runs.of(id).findLast(({ request, storedEnd }) => !request.isWritten && storedEnd === undefined);
  if (unwritten !== undefined) {
    await runs.stop(id, unwritten.request.id);
    return unwritten.storedEnd !== undefined;
  }
  const act = await store.newestAct(actor, 'undoable');
  const newest =
    act?.treeId === id ? runs.of(id).find(({ request }) => request.actId === act.actId) : runs.of(id).at(-1);
  if (newest !== undefined) await runs.stop(id, newest.request.id);
  return true;
}

/** Stops replies whose question was deleted. */
async function stopOrphans({ store, id }: ChatTreeAccess, runs: ChatRuns): Promise<void> {
  for (const { request } of runs.of(id)) {
    const gone = await store
      .read(id, () => readPath({ to: request.end }))
      .then(
        () => false,
        (error: unknown) => isAppError(error) && error.kind === 'not-found',
      );
    if (gone) void runs.stop(id, request.id);
  }
}

/** Streams the version of a tree after each change, and whenever a reply begins or ends. */
export function streamChanges(
  { store, id }: ChatTreeAccess,
  runs: ChatRuns,
  since: number,
  keepAliveMs: number,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const end = new AbortController();
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => {
        if (!end.signal.aborted) controller.enqueue(encoder.encode(text));
      };
      let version = since;
      const sendVersion = () => send(`data: ${JSON.stringify({ version })}\n\n`);
      send(': open\n\n');
      const unsubscribe = runs.subscribe(id, sendVersion);
      const timer = setInterval(() => send(':\n\n'), keepAliveMs);
      end.signal.addEventListener('abort', () => {
        clearInterval(timer);
        unsubscribe();
      });
      const follow = async () => {
        for await (const commit of store.feed(id, since, end.signal)) {
          version = commit.version;
          sendVersion();
        }
      };
      // When the store is closed, the stream ends and the page connects again.
      const close = () => {
        if (end.signal.aborted) return;
        end.abort();
        controller.close();
      };
      follow().then(close, close);
    },
    cancel: () => end.abort(),
  });
}
