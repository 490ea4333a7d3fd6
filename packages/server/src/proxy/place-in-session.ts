/**
 * Finds the tree and the position of a recorded call when calls are grouped by session. One session of a program is one
 * tree, even if its system prompt changes, and unrelated sessions never share a tree. A sub-agent has its own tree,
 * which is linked to the call that spawned it. Side calls of a program are in a separate tree.
 */
import { buildSubAgentLink, deriveId, spawnLinkOf, storeInlineMessages } from '@coppice/content';
import {
  ask,
  isAppError,
  type JsonObject,
  type Message,
  type NodeId,
  type ReadProgram,
  type RunContext,
  readTree,
  run,
  type Store,
  type TreeAttributes,
  type TreeId,
  type TreeRow,
  treeId,
} from '@coppice/core';
import { getText, isJsonObject } from '@coppice/core/decode';
import { makeTitleFromFirstSentence, recordedTag, sideCallsFormat, titleActor } from '@coppice/engine';
import { addCompactionMarker, findPositionAfterMarker } from './agent-compaction.ts';
import { detectCallPurpose, findNewestUserMessages } from './call-purpose.ts';
import type { ParsedRequest } from './exchange.ts';
import { findHistories, isDistinctiveHistory } from './find-histories.ts';
import { type CallOrigin, programOfCall, sessionOfCall } from './session-of-call.ts';
import { findCallsWithSubAgent, findSpawningCall, type SpawningCall } from './sub-agents.ts';
import { titleOfCall } from './title-of-call.ts';
import { findWorkingFolder } from './working-folder.ts';

/**
 * The position at which a call is recorded: the tree, the node, and the messages that the tree does not contain yet.
 */
export interface SessionPosition {
  readonly tree: TreeRow;
  readonly parentId: NodeId;
  /** The messages of the history below the parent. Some of them may already exist. */
  readonly rest: readonly Message[];
  /** Whether the call is a side call, which no other call continues. */
  readonly beside: boolean;
}

/** A call with the data by which its position is found. */
interface PlacedCall {
  readonly asked: ParsedRequest;
  readonly history: readonly Message[];
  readonly keys: readonly string[];
  readonly project: string;
  readonly origin: CallOrigin;
}

// The tag of trees of sub-agents, besides the tag of all recorded trees.
const subAgentTag = 'sub-agent';
const sideCallsTag = 'side-calls';
// The external id format by which the first call of a session is found until it has a reply.
const firstCallFormat = 'proxy-first-call';
// The external id format of processes that send no session id. It maps a process to its trees.
const runFormat = 'proxy-run';
// A first call that is repeated within this time is a retry. A later one is a new session with the same question.
const retryMs = 10 * 60_000;

/** Returns the tree and position of a call. Creates the tree if the call begins a session. */
export async function findOrCreateSessionPosition(
  store: Store,
  asked: ParsedRequest,
  history: readonly Message[],
  { project, origin, callId }: { readonly project: string; readonly origin: CallOrigin; readonly callId: string },
  keys: readonly string[],
  context: RunContext,
): Promise<SessionPosition> {
  const call = { asked, history, keys, project, origin };
  const session = sessionOfCall(asked, origin);
  return session === null
    ? findPositionByHistory(store, call, callId, context)
    : findPositionInSession(store, session, call, context);
}

/** Finds the position of a call without a session id by its history. */
async function findPositionByHistory(
  store: Store,
  call: PlacedCall,
  callId: string,
  context: RunContext,
): Promise<SessionPosition> {
  const { asked, history, keys, project, origin } = call;
  const purpose = detectCallPurpose(asked, origin);
  if (purpose === 'side' || (purpose === 'compaction' && origin.run != null))
    return findSideCallPositionOfRun(store, call, context);
  const by = origin.run == null ? 'exact' : 'words';
  for await (const { treeId: id, nodeId, length, exact } of findHistories(store, history, keys, project, by)) {
    if (!exact && !isDistinctiveHistory(history.slice(0, length))) continue;
    const tree = await readUndeletedTree(store, id, () => readWithNode(id, nodeId));
    if (tree === null) continue;
    await linkRunToSession(store, tree, call);
    return { tree, parentId: nodeId, rest: history.slice(length), beside: false };
  }
  const compacted = await findPositionAfterCompaction(store, call, context);
  if (compacted !== null) return compacted;
  const id = deriveId(
    firstCallFormat,
    origin.client,
    ...(origin.run == null ? [] : [origin.run]),
    asked.systemPrompt === undefined ? 0 : `=${asked.systemPrompt}`,
    ...keys,
  );
  const isFirst = !history.some((message) => message.role === 'assistant');
  const retried = isFirst ? await findFirstCall(store, id, project, context.now()) : null;
  // The id is derived from the call, so a retry after a crash finds the tree of the first try.
  const made = treeId(deriveId('proxy-call', callId));
  const tree = retried ?? (await createTree(store, made, treeOf(call, null), context));
  await linkRunToSession(store, tree, call);
  if (isFirst && retried === null)
    await store.putExternalIds([{ treeId: tree.id, nodeId: null, format: firstCallFormat, scope: project, id }]);
  return { tree, parentId: tree.rootId, rest: history, beside: false };
}

/**
 * Links the side calls of a process to the session that it works on. Either may come first: a program may request a
 * choice of model before it sends the first message.
 */
async function linkRunToSession(store: Store, tree: TreeRow, { project, origin }: PlacedCall): Promise<void> {
  const { run: process = null } = origin;
  if (process === null) return;
  const linked = await store.findExternalIds(runFormat, project, [process]);
  if (linked.some(({ treeId: one }) => one === tree.id)) return;
  const side = await findSideCalls(store, process, project);
  await store.putExternalIds([
    { treeId: tree.id, nodeId: null, format: runFormat, scope: project, id: process },
    ...(side === null ? [] : [sideCallsRow(side.id, tree.id)]),
  ]);
}

function sideCallsRow(side: TreeId, session: TreeId) {
  return { treeId: side, nodeId: null, format: sideCallsFormat, scope: '', id: session };
}

/**
 * Returns the position of a call that continues from a summary of a session of the same process; null if it does not.
 */
async function findPositionAfterCompaction(
  store: Store,
  { history, keys, project, origin }: PlacedCall,
  context: RunContext,
): Promise<SessionPosition | null> {
  const { run: process = null } = origin;
  if (process === null) return null;
  const side = await findSideCalls(store, process, project);
  for (const { treeId: id } of await store.findExternalIds(runFormat, project, [process])) {
    const tree = await readUndeletedTree(store, id, () => readTree(id));
    if (tree === null) continue;
    const place =
      (await findPositionAfterMarker(store, tree, history, keys)) ??
      (await addCompactionMarker(store, tree, side, history, keys, context));
    if (place !== null) return { tree, ...place, beside: false };
  }
  return null;
}

/**
 * Finds the position of a side call without a session: in the tree of its process, else in one tree for all such calls
 * of its program.
 */
async function findSideCallPositionOfRun(
  store: Store,
  call: PlacedCall,
  context: RunContext,
): Promise<SessionPosition> {
  const { project, origin, history } = call;
  const { run: process = null } = origin;
  const session = sideCallsOf(process ?? `client ${origin.client}`);
  const { id, tree: present } = await findSessionId(store, session, project);
  const tree = present ?? (await createTree(store, id, sideCallsTree(call, session, {}), context));
  if (present === null && process !== null) {
    const sessions = await store.findExternalIds(runFormat, project, [process]);
    if (sessions.length > 0) await store.putExternalIds(sessions.map((one) => sideCallsRow(id, one.treeId)));
  }
  return { tree, parentId: tree.rootId, rest: findNewestUserMessages(history), beside: true };
}

/**
 * Returns the name under which a session of a program is stored. It is the id that the program sends. If a session of
 * another program has this id already, the name of the program precedes it, because programs choose their ids
 * independently. An id that the user sends (`x-coppice-session`) may be used by several programs on purpose.
 */
async function findSessionName(
  store: Store,
  id: string,
  { project, origin }: PlacedCall,
): Promise<{ readonly session: string; readonly tree: TreeRow | null }> {
  const tree = await findSessionTree(store, id, project);
  const program = programOfCall(origin);
  const owner = tree === null ? null : recordedOf(tree)?.program;
  if (program === null || owner == null || owner === program || origin.isUsersSession === true)
    return { session: id, tree };
  const session = `${program}/${id}`;
  return { session, tree: await findSessionTree(store, session, project) };
}

/** Finds the position of a call with a session id. */
async function findPositionInSession(
  store: Store,
  id: string,
  call: PlacedCall,
  context: RunContext,
): Promise<SessionPosition> {
  const { asked, history, project, origin } = call;
  const { session, tree: present } = await findSessionName(store, id, call);
  if (detectCallPurpose(asked, origin) !== 'turn') return findSideCallPosition(store, session, call, context);
  if (present === null) return placeAtRoot(await openSessionTree(store, session, call, context), history);
  const tree = await addMissingAttributes(store, present, call, context);
  const continued = await findPositionAfterReply(store, session, tree, call);
  if (continued !== null) return continued;
  const compacted =
    (await findPositionAfterMarker(store, tree, history, call.keys)) ??
    (await addCompactionMarker(store, tree, await findSideCalls(store, session, project), history, call.keys, context));
  if (compacted !== null) return { tree, ...compacted, beside: false };
  // The reply that the call continues was not recorded. The session is known, so the call is not its beginning.
  if (asked.previous !== null && tree.activeNodeId !== null)
    return { tree, parentId: tree.activeNodeId, rest: history, beside: false };
  const isFirst = !history.some((message) => message.role === 'assistant');
  if (!isFirst || origin.parent != null) return placeAtRoot(tree, history);
  // Programs without ids of sub-agents: the task of the sub-agent is in a tool call of the session.
  const spawned = await findSpawningCall(store, tree.id, history);
  if (spawned !== null) {
    const spawnedCall = { ...call, origin: { ...origin, parent: session } };
    return placeAtRoot(await openSessionTree(store, `${session}/call-${spawned.call}`, spawnedCall, context), history);
  }
  return (await isSideCall(store, tree, call))
    ? findSideCallPosition(store, session, call, context)
    : placeAtRoot(tree, history);
}

function placeAtRoot(tree: TreeRow, rest: readonly Message[]): SessionPosition {
  return { tree, parentId: tree.rootId, rest, beside: false };
}

/** Returns the position after the last reply of the session that the history contains; null if it contains none. */
async function findPositionAfterReply(
  store: Store,
  session: string,
  tree: TreeRow,
  { history, keys, project }: PlacedCall,
): Promise<SessionPosition | null> {
  for await (const { treeId: id, nodeId, length } of findHistories(store, history, keys, project, 'words')) {
    const found = await readUndeletedTree(store, id, () => readWithNode(id, nodeId));
    if (found === null) continue;
    if (id !== tree.id && !(recordedOf(found)?.session ?? '').startsWith(`${session}/call-`)) continue;
    return { tree: found, parentId: nodeId, rest: history.slice(length), beside: false };
  }
  return null;
}

/** Whether a call without tools starts a new history in a session that works with tools, such as a title or a topic. */
async function isSideCall(store: Store, tree: TreeRow, { asked, keys }: PlacedCall): Promise<boolean> {
  if (asked.tools.length > 0 || recordedOf(tree)?.tools !== true) return false;
  const children = await store.read(tree.id, () => ask('children', { of: tree.rootId }));
  return !children.some(({ key }) => key !== null && key === keys[0]);
}

/**
 * Finds the position of a side call. Side calls have their own tree, so that they neither add branches to the session
 * nor change its title.
 */
async function findSideCallPosition(
  store: Store,
  session: string,
  call: PlacedCall,
  context: RunContext,
): Promise<SessionPosition> {
  const own = findNewestUserMessages(call.history);
  await addUnansweredMessages(store, session, call, own.length, context);
  const tree = await openSessionTree(store, sideCallsOf(session), call, context, session);
  return { tree, parentId: tree.rootId, rest: own, beside: true };
}

/** Adds messages to the session that only a side call contains, such as the last tool result before a compaction. */
async function addUnansweredMessages(
  store: Store,
  session: string,
  call: PlacedCall,
  own: number,
  context: RunContext,
): Promise<void> {
  const present = await findSessionTree(store, session, call.project);
  const place = present === null ? null : await findPositionAfterReply(store, session, present, call);
  const rest = place?.rest.slice(0, -own) ?? [];
  if (place === null || rest.length === 0) return;
  const messages = rest.map((message) => ({ message, meta: { source: sourceOfMessage(message.role) } }));
  await run(
    store,
    {
      type: 'append',
      treeId: place.tree.id,
      parentId: place.parentId,
      messages: await storeInlineMessages(messages, store.blobs),
      select: false,
    },
    context,
  );
}

function sideCallsOf(session: string): string {
  return `${session}/side-calls`;
}

function findSideCalls(store: Store, session: string, project: string): Promise<TreeRow | null> {
  return findSessionTree(store, sideCallsOf(session), project);
}

function* readWithNode(id: TreeId, nodeId: NodeId): ReadProgram<TreeRow | null> {
  const tree = yield* readTree(id);
  return (yield* ask('node', { id: nodeId })) === null ? null : tree;
}

async function findFirstCall(store: Store, id: string, project: string, now: number): Promise<TreeRow | null> {
  for (const found of await store.findExternalIds(firstCallFormat, project, [id])) {
    const tree = await readUndeletedTree(store, found.treeId, () => readTree(found.treeId));
    if (tree !== null && now - tree.createdAt < retryMs) return tree;
  }
  return null;
}

/**
 * Returns the id of the tree of a session, and the tree if it exists. The id is derived from the session, so that two
 * processes create the same tree. A deleted tree stays deleted: the session continues in a new one.
 */
async function findSessionId(
  store: Store,
  session: string,
  project: string,
): Promise<{ readonly id: TreeId; readonly tree: TreeRow | null }> {
  for (let number = 0; ; number++) {
    const id = treeId(deriveId('proxy-session', store.owner, project, session, number));
    const state = await treeState(store, id);
    if (state !== 'deleted') return { id, tree: state === 'missing' ? null : state };
  }
}

async function findSessionTree(store: Store, session: string, project: string): Promise<TreeRow | null> {
  return (await findSessionId(store, session, project)).tree;
}

/** Returns the tree of a session; creates it if it does not exist. For side calls, `sideOf` is their session. */
async function openSessionTree(
  store: Store,
  session: string,
  call: PlacedCall,
  context: RunContext,
  sideOf: string | null = null,
): Promise<TreeRow> {
  const { id, tree } = await findSessionId(store, session, call.project);
  if (tree !== null) return tree;
  if (sideOf !== null) {
    const { id: main } = await findSessionId(store, sideOf, call.project);
    const side = await createTree(store, id, sideCallsTree(call, session, { session: sideOf, treeId: main }), context);
    await store.putExternalIds([sideCallsRow(id, main)]);
    return side;
  }
  const link = await linkToParent(store, id, call);
  const createdTree = await createTree(store, id, treeOf(call, session, link), context);
  if (link !== null) await store.putExternalIds([buildSubAgentLink(id, link.parent)]);
  return createdTree;
}

/** The session that started a sub-agent, and the tool call that started it if it is known. */
interface ParentLink {
  readonly session: string;
  readonly parent: TreeId;
  readonly spawned: SpawningCall | null;
  readonly agentType: string | null;
}

async function linkToParent(store: Store, child: TreeId, call: PlacedCall): Promise<ParentLink | null> {
  const { history, project, origin } = call;
  if (origin.parent == null) return null;
  const { session } = await findSessionName(store, origin.parent, call);
  const { id: parent, tree } = await findSessionId(store, session, project);
  const taken = tree === null ? new Set<string>() : await findCallsWithSubAgent(store, parent, child);
  const spawned =
    tree === null ? null : await findSpawningCall(store, parent, history, (one) => taken.has(one), origin.agentName);
  return { session, parent, spawned, agentType: spawned?.agentType ?? origin.agentType ?? null };
}

function spawnedBy({ session, parent, spawned, agentType }: ParentLink): JsonObject {
  return {
    session,
    treeId: parent,
    ...(spawned === null ? {} : { call: spawned.call, nodeId: spawned.nodeId }),
    ...(agentType === null ? {} : { agentType }),
  };
}

/**
 * Adds attributes to a tree that its first calls did not contain: a title, and for a sub-agent the tool call that
 * started it, which may be recorded later than the first call of the sub-agent.
 */
async function addMissingAttributes(
  store: Store,
  tree: TreeRow,
  call: PlacedCall,
  context: RunContext,
): Promise<TreeRow> {
  const { title, autoTitle, metadata } = tree.attributes;
  const named = title === undefined && autoTitle === undefined ? titleOfCall(call.history) : null;
  const linked = spawnLinkOf(tree.attributes);
  const link = linked !== null && linked.call === null ? await linkToParent(store, tree.id, call) : null;
  const recorded = metadata?.['recorded'];
  const before = isJsonObject(recorded) ? recorded : {};
  // Values of the newest call replace older ones, for example the git branch. Values that the call does not contain are
  // kept.
  const now = buildRecordedMetadata(call, getText(before, 'session') ?? null);
  const differs = ['tools', 'folder', 'branch'].some((key) => now[key] !== undefined && now[key] !== before[key]);
  if (named === null && link?.spawned == null && !differs) return tree;
  const set = {
    ...(named === null ? {} : { autoTitle: named }),
    metadata: {
      ...metadata,
      ...(link?.spawned == null ? {} : { spawnedBy: spawnedBy(link) }),
      ...(differs ? { recorded: { ...before, ...now } } : {}),
    },
  };
  await run(
    store,
    { type: 'attributes', treeId: tree.id, set },
    { ...context, actor: titleActor, actId: context.newId() },
  );
  return store.read(tree.id, () => readTree(tree.id));
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

/** Returns the row of a tree; null if the tree does not exist or is deleted. */
async function readUndeletedTree(
  store: Store,
  id: TreeId,
  read: () => ReadProgram<TreeRow | null>,
): Promise<TreeRow | null> {
  try {
    const tree = await store.read(id, read);
    return tree === null || tree.attributes.trashedAt !== undefined ? null : tree;
  } catch (error) {
    if (isAppError(error) && error.kind === 'not-found') return null;
    throw error;
  }
}

/** What the metadata of a recorded tree says about its session. */
interface RecordedSession {
  readonly session: string | null;
  readonly program: string | null;
  readonly tools: boolean;
}

/** Returns the metadata of a recorded tree; null if the tree was not recorded. */
function recordedOf({ attributes }: TreeRow): RecordedSession | null {
  const recorded = attributes.metadata?.['recorded'];
  if (!isJsonObject(recorded)) return null;
  return {
    session: getText(recorded, 'session') ?? null,
    program: getText(recorded, 'program') ?? null,
    tools: recorded['tools'] === true,
  };
}

/** Returns the metadata with which lists and the agents page identify a recorded tree. */
function buildRecordedMetadata({ asked, history, origin }: PlacedCall, session: string | null): JsonObject {
  const program = programOfCall(origin);
  const { folder, branch } = findWorkingFolder(asked, history);
  return {
    ...(session === null ? {} : { session }),
    ...(program === null ? {} : { program }),
    ...(asked.tools.length === 0 ? {} : { tools: true }),
    ...(folder === null ? {} : { folder }),
    ...(branch === null ? {} : { branch }),
  };
}

function treeOf(call: PlacedCall, session: string | null, link: ParentLink | null = null): TreeAttributes {
  const { asked, history, project } = call;
  const described = link?.spawned?.description == null ? null : makeTitleFromFirstSentence(link.spawned.description);
  const autoTitle = described ?? titleOfCall(history);
  return {
    project,
    tags: link === null ? [recordedTag] : [recordedTag, subAgentTag],
    metadata: {
      recorded: buildRecordedMetadata(call, session),
      ...(link === null ? {} : { spawnedBy: spawnedBy(link) }),
    },
    ...(asked.systemPrompt === undefined ? {} : { systemPrompt: asked.systemPrompt }),
    ...(autoTitle === null ? {} : { autoTitle }),
  };
}

function sideCallsTree(call: PlacedCall, session: string, sideOf: JsonObject): TreeAttributes {
  const { asked, project } = call;
  return {
    project,
    tags: [recordedTag, sideCallsTag],
    metadata: { recorded: buildRecordedMetadata(call, session), sideOf },
    ...(asked.systemPrompt === undefined ? {} : { systemPrompt: asked.systemPrompt }),
    autoTitle: 'Titles and summaries',
  };
}

async function createTree(store: Store, id: TreeId, attributes: TreeAttributes, context: RunContext): Promise<TreeRow> {
  try {
    await run(store, { type: 'create', treeId: id, attributes }, context);
  } catch (error) {
    // Another process recorded the first call of the same session at the same time.
    if (!isAppError(error) || error.code !== 'tree/exists') throw error;
  }
  return store.read(id, () => readTree(id));
}

/** Returns the source metadata of a message that a call sent. For earlier replies only the role is known. */
export function sourceOfMessage(role: string): JsonObject {
  return role === 'assistant' ? { type: 'model', provider: 'unknown', model_name: 'unknown' } : { type: 'user' };
}

/** Whether a reply is known only from the history of a later call. */
export function isKnownOnlyFromHistory(source: JsonObject | undefined): boolean {
  return source?.['type'] === 'model' && source['provider'] === 'unknown' && source['model_name'] === 'unknown';
}
