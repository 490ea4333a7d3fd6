/**
 * Finds the tree and the position of a recorded call when calls are grouped by session: one session of a program is one
 * tree, whatever its system prompt does, and unrelated sessions never share a tree.
 */
import { derivedId, messageKit } from '@coppice/content';
import {
  ask,
  isAppError,
  type Message,
  type NodeId,
  type ReadProgram,
  type RunContext,
  readTree,
  run,
  type Store,
  type TreeId,
  type TreeRow,
  treeId,
} from '@coppice/core';
import type { ParsedRequest } from './exchange.ts';
import type { CallOrigin } from './session-of-call.ts';
import { titleOfCall } from './title-of-call.ts';

/** Where a call continues: the tree, the node, and how much of the history is above it. */
export interface SessionPlace {
  readonly tree: TreeRow;
  readonly parentId: NodeId;
  /** How many messages of the history are on the path to the parent already. */
  readonly known: number;
}

// Lists find recorded sessions by this tag.
const recordedTag = 'recorded';
// The external id formats: of a history up to a reply, and of a first call, which has no reply yet.
const historyFormat = 'proxy-history';
const firstCallFormat = 'proxy-first-call';
// A first call that comes again within this time is a retry; later it is somebody who asks the same again.
const retryMs = 10 * 60_000;

/** The tree and position of a call. Makes the tree if the call begins a session. */
export async function placeInSession(
  store: Store,
  asked: ParsedRequest,
  history: readonly Message[],
  { project, origin, callId }: { readonly project: string; readonly origin: CallOrigin; readonly callId: string },
  context: RunContext,
): Promise<SessionPlace> {
  const session = origin.session ?? asked.session;
  if (session !== null) {
    const tree = await sessionTree(store, session, asked, project, context);
    return { tree, parentId: tree.rootId, known: 0 };
  }
  const keys = history.map((message) => messageKit.key(message));
  const continued = await findHistory(store, history, keys, project);
  if (continued !== null) return continued;
  const id = derivedId(
    firstCallFormat,
    origin.client,
    asked.systemPrompt === undefined ? 0 : `=${asked.systemPrompt}`,
    ...keys,
  );
  const isFirst = !history.some((message) => message.role === 'assistant');
  const retried = isFirst ? await findFirstCall(store, id, project, context.now()) : null;
  // The id follows from the call: a retry after a crash finds the tree that the first try made.
  const made = treeId(derivedId('proxy-call', callId));
  const tree = retried ?? (await createTree(store, made, asked, project, context));
  if (isFirst && retried === null)
    await store.putExternalIds([{ treeId: tree.id, nodeId: null, format: firstCallFormat, scope: project, id }]);
  return { tree, parentId: tree.rootId, known: 0 };
}

/** Remembers the history of a recorded reply, so that the next call of the session finds it. */
export function historyName(
  tree: TreeId,
  nodeId: NodeId,
  messages: readonly Message[],
  project: string,
): { treeId: TreeId; nodeId: NodeId; format: string; scope: string; id: string } {
  const keys = messages.map((message) => messageKit.key(message));
  return { treeId: tree, nodeId, format: historyFormat, scope: project, id: derivedId(historyFormat, ...keys) };
}

/** Finds the longest beginning of a history that ends with a recorded reply. */
async function findHistory(
  store: Store,
  history: readonly Message[],
  keys: readonly string[],
  project: string,
): Promise<SessionPlace | null> {
  const lengths = new Map<string, number>();
  for (const [index, message] of history.entries())
    if (message.role === 'assistant') lengths.set(derivedId(historyFormat, ...keys.slice(0, index + 1)), index + 1);
  if (lengths.size === 0) return null;
  const found = await store.findExternalIds(historyFormat, project, [...lengths.keys()]);
  const longest = found.toSorted((a, b) => (lengths.get(b.id) ?? 0) - (lengths.get(a.id) ?? 0));
  for (const { treeId: id, nodeId, id: name } of longest) {
    if (nodeId === null) continue;
    const tree = await readLive(store, id, () => readWithNode(id, nodeId));
    if (tree !== null) return { tree, parentId: nodeId, known: lengths.get(name) ?? 0 };
  }
  return null;
}

function* readWithNode(id: TreeId, nodeId: NodeId): ReadProgram<TreeRow | null> {
  const tree = yield* readTree(id);
  return (yield* ask('node', { id: nodeId })) === null ? null : tree;
}

async function findFirstCall(store: Store, id: string, project: string, now: number): Promise<TreeRow | null> {
  for (const found of await store.findExternalIds(firstCallFormat, project, [id])) {
    const tree = await readLive(store, found.treeId, () => readTree(found.treeId));
    if (tree !== null && now - tree.createdAt < retryMs) return tree;
  }
  return null;
}

/**
 * The tree of a session that its program names. Its id follows from the session, so that two processes make the same
 * one. A deleted tree stays deleted: the session goes on in the next one.
 */
async function sessionTree(
  store: Store,
  session: string,
  asked: ParsedRequest,
  project: string,
  context: RunContext,
): Promise<TreeRow> {
  for (let number = 0; ; number++) {
    const id = treeId(derivedId('proxy-session', store.owner, project, session, number));
    const state = await treeState(store, id);
    if (state === 'missing') return createTree(store, id, asked, project, context);
    if (state !== 'deleted') return state;
  }
}

async function treeState(store: Store, id: TreeId): Promise<TreeRow | 'missing' | 'deleted'> {
  try {
    const tree = await store.read(id, () => readTree(id));
    return tree.attributes.trashedAt === undefined ? tree : 'deleted';
  } catch (error) {
    if (isAppError(error) && error.code === 'tree/unknown-tree') return 'missing';
    throw error;
  }
}

/** A tree that is there and not deleted; null otherwise. */
async function readLive(store: Store, id: TreeId, read: () => ReadProgram<TreeRow | null>): Promise<TreeRow | null> {
  try {
    const tree = await store.read(id, read);
    return tree === null || tree.attributes.trashedAt !== undefined ? null : tree;
  } catch (error) {
    if (isAppError(error) && error.kind === 'not-found') return null;
    throw error;
  }
}

async function createTree(
  store: Store,
  id: TreeId,
  asked: ParsedRequest,
  project: string,
  context: RunContext,
): Promise<TreeRow> {
  const { systemPrompt } = asked;
  const autoTitle = titleOfCall(asked.history);
  const attributes = {
    project,
    tags: [recordedTag],
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(autoTitle === null ? {} : { autoTitle }),
  };
  try {
    await run(store, { type: 'create', treeId: id, attributes }, context);
  } catch (error) {
    // Another process recorded the first call of the same session at the same moment.
    if (!isAppError(error) || error.code !== 'tree/exists') throw error;
  }
  return store.read(id, () => readTree(id));
}
