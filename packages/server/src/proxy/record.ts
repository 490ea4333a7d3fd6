/**
 * Records one exchange in a tree. The session or the prompt selects the tree, the history selects the position, and the
 * answers become new nodes.
 */
import { canonicalJson, messageKit, storeInlineMessages } from '@coppice/content';
import {
  ask,
  isAppError,
  type JsonObject,
  type Message,
  type NewReply,
  type NodeId,
  type NodeMeta,
  nodeId,
  type RunContext,
  readTree,
  run,
  type Store,
  type TreeId,
  type TreeRow,
  treeId,
} from '@coppice/core';
import { findSystemPrompt } from '@coppice/core/context';
import { titleActor, waitForNextTask } from '@coppice/engine';
import type { ModelCompletion, ParsedRequest, ParsedResponse } from './exchange.ts';
import { buildHistoryExternalIds, historyKeysOf } from './find-histories.ts';
import {
  findOrCreateSessionPosition,
  isKnownOnlyFromHistory,
  type SessionPosition,
  sourceOfMessage,
} from './place-in-session.ts';
import { itemIdFormat, resolveItemReferences } from './resolve-references.ts';
import type { CallGrouping, CallOrigin } from './session-of-call.ts';
import { buildSpawnExternalIds } from './sub-agents.ts';
import { titleOfCall } from './title-of-call.ts';

/** A request and its response, ready to be recorded. */
export interface CompleteExchange {
  readonly asked: ParsedRequest;
  readonly returned: ParsedResponse;
  readonly project: string;
  readonly provider: string;
  readonly timing: { readonly startedAt: number; readonly firstMs: number | null; readonly totalMs: number };
  readonly cost: JsonObject | null;
  readonly origin: CallOrigin;
  /** The id of the call, which is the same on a retry. */
  readonly callId: string;
  /** The ids of the answers, which are the same on a retry, so that nothing is added twice. */
  readonly replyIds: readonly string[];
}

export interface RecordedNodes {
  readonly treeId: TreeId;
  readonly parentId: NodeId;
  readonly added: readonly NodeId[];
  /** The number of new nodes, including the answers. */
  readonly nodes: number;
}

/** Where the history of an exchange was recorded. */
export interface RecordedHistory {
  readonly treeId: TreeId;
  /** The version of the tree after the history was added. */
  readonly version: number;
  readonly parentId: NodeId;
  /** The nodes of the history, from the first message on. */
  readonly nodeIds: readonly NodeId[];
  /**
   * The messages of the history, with references resolved, and their keys; empty if calls are not grouped by session.
   */
  readonly history: readonly Message[];
  readonly keys: readonly string[];
  readonly grouping: CallGrouping;
  /** Whether the call is a side call, such as a request for a title. No other call continues it. */
  readonly beside: boolean;
  readonly nodes: number;
  /** The system prompt to store with the reply, if it has changed and no new message could store it. */
  readonly promptOfReply: string | null;
}

/** The clock, id generator and actor with which calls are recorded. */
export interface RecordingServices {
  readonly actor: string;
  readonly now: () => number;
  readonly newId: () => string;
}

// The external id formats of the ids that a service gives to replies, and of those of the conversations that it keeps.
// The latter name the newest reply of a conversation.
const replyFormat = 'openai-response';
const conversationFormat = 'openai-conversation';

/** The last node that was recorded in a tree, with the system prompt that was in effect. */
interface RecordedEnd {
  readonly nodeId: NodeId;
  /** The version of the tree after the call. If the tree has another version now, the prompt is read again. */
  readonly version: number;
  readonly prompt: string;
}

const maxEnds = 500;
const recordedEnds = new WeakMap<Store, Map<TreeId, RecordedEnd>>();

function rememberEnd(store: Store, tree: TreeId, end: RecordedEnd): void {
  const ends = recordedEnds.get(store) ?? new Map<TreeId, RecordedEnd>();
  recordedEnds.set(store, ends);
  ends.delete(tree);
  ends.set(tree, end);
  const [oldest] = ends.keys();
  if (ends.size > maxEnds && oldest !== undefined) ends.delete(oldest);
}

function recordingContext(given: RecordingServices): RunContext {
  return { ...given, kit: messageKit, actId: given.newId() };
}

/** Records an exchange. A retry after a failure adds no duplicates. */
export async function recordExchange(
  store: Store,
  exchange: CompleteExchange,
  given: RecordingServices,
): Promise<RecordedNodes> {
  const { asked, returned } = exchange;
  const context = recordingContext(given);
  const { before } = returned;
  const said = before.length === 0 ? asked : { ...asked, history: [...asked.history, ...before] };
  const placed = await placeExchange(store, said, exchange, context);
  const { treeId: id, parentId } = placed;
  const replies = await storeInlineMessages(repliesOf(exchange, placed.promptOfReply), store.blobs);
  // A store may write synchronously on this thread, so the loop yields between two writes.
  await waitForNextTask();
  // The active node of a session follows its program. A tree of one prompt contains calls of many sessions, so its
  // active node does not move.
  const select = placed.grouping === 'session';
  const known = await findKnownReply(store, placed, replies);
  if (known !== null) {
    await nameItems(store, exchange, id, placed, known);
    // Last, so that a retry after a crash finds the reply again.
    await run(store, { type: 'annotate', treeId: id, nodeId: known, set: replies[0]?.meta ?? {} }, context);
    return { treeId: id, parentId, added: [known], nodes: placed.nodes };
  }
  const written =
    replies.length === 0 ? null : await run(store, { type: 'reply', treeId: id, parentId, replies, select }, context);
  const added = written?.result.added ?? [];
  const [first] = added;
  // A call that continues another one by id may leave out the system prompt.
  const saysPrompt = !continuesById(asked) || asked.systemPrompt !== undefined;
  if (saysPrompt && first !== undefined && written?.version === placed.version + 1)
    rememberEnd(store, id, { nodeId: first, version: written.version, prompt: asked.systemPrompt ?? '' });
  await nameItems(store, exchange, id, placed, first ?? null);
  return { treeId: id, parentId, added, nodes: placed.nodes + added.length };
}

/**
 * Returns the node of a reply that the tree has already, as a message in the history of a later call. Another process
 * may have recorded that call first. Null if the tree does not have the reply.
 */
async function findKnownReply(
  store: Store,
  { treeId: id, parentId, nodes }: RecordedHistory,
  [reply, ...more]: readonly NewReply[],
): Promise<NodeId | null> {
  // A call that adds messages is newer than everything in the tree.
  if (nodes > 0 || reply?.message === undefined || reply.status !== 'success' || more.length > 0) return null;
  const { message } = reply;
  const key = messageKit.key(message);
  const content = canonicalJson(message.content);
  return store.read(id, function* () {
    for (const head of yield* ask('children', { of: parentId })) {
      const node = head.key === key ? yield* ask('node', { id: head.id }) : null;
      if (node === null || !isKnownOnlyFromHistory(node.meta.source)) continue;
      if (canonicalJson(node.message?.content ?? null) === content) return node.id;
    }
    return null;
  });
}

/** Stores the service's ids of a reply and its items. A client may reference them instead of sending them again. */
async function nameItems(
  store: Store,
  { asked, returned, project: scope }: CompleteExchange,
  tree: TreeId,
  { nodeIds: history, history: messages, keys, grouping, beside }: RecordedHistory,
  reply: NodeId | null,
): Promise<void> {
  const { id, items, before, itemsBefore = [] } = returned;
  const nodeByItem = new Map<string, NodeId>();
  if (reply !== null) for (const item of items) nodeByItem.set(item, reply);
  const nodesBefore = before.length === 0 ? [] : history.slice(-before.length);
  for (const [index, node] of nodesBefore.entries())
    for (const item of itemsBefore[index] ?? []) if (item.id !== '') nodeByItem.set(item.id, node);
  const rows = [...nodeByItem].map(([item, at]) => ({
    treeId: tree,
    nodeId: at,
    format: itemIdFormat,
    scope,
    id: item,
  }));
  if (reply !== null && id !== null && asked.wire === 'responses')
    rows.push({ treeId: tree, nodeId: reply, format: replyFormat, scope, id });
  if (reply !== null && asked.conversation !== null)
    rows.push({ treeId: tree, nodeId: reply, format: conversationFormat, scope, id: asked.conversation });
  const [answer] = returned.answers;
  if (grouping === 'session' && !beside && reply !== null && answer?.message != null) {
    const all = [...messages, answer.message];
    rows.push(...buildHistoryExternalIds(tree, reply, all, [...keys, ...historyKeysOf([answer.message])], scope));
    rows.push(...buildSpawnExternalIds(tree, reply, answer.message));
  }
  if (rows.length > 0) await store.putExternalIds(rows);
}

/** Adds a history to its tree, for a call that is not answered yet. */
export function recordHistory(
  store: Store,
  asked: ParsedRequest,
  from: Pick<CompleteExchange, 'project' | 'origin' | 'callId'>,
  given: RecordingServices,
): Promise<RecordedHistory> {
  return placeExchange(store, asked, from, recordingContext(given));
}

async function placeExchange(
  store: Store,
  asked: ParsedRequest,
  { project, origin, callId }: Pick<CompleteExchange, 'project' | 'origin' | 'callId'>,
  context: RunContext,
): Promise<RecordedHistory> {
  const before = await findContinuedReply(store, project, asked);
  const grouping = origin.grouping ?? (await groupingSoFar(store, project));
  const history = await resolveItemReferences(store, project, asked.history);
  const keys = grouping === 'session' ? historyKeysOf(history) : [];
  const place =
    before !== null
      ? { tree: before.tree, parentId: before.nodeId, rest: history, beside: false }
      : grouping === 'session'
        ? await findOrCreateSessionPosition(store, asked, history, { project, origin, callId }, keys, context)
        : await placeInPromptTree(store, asked, history, project, context);
  const further = place.rest.map((message) => ({ message, meta: { source: sourceOfMessage(message.role) } }));
  const { result, version } = await run(
    store,
    {
      type: 'append',
      treeId: place.tree.id,
      parentId: place.parentId,
      messages: await storeInlineMessages(further, store.blobs),
      select: false,
    },
    context,
  );
  const nodeIds = [...result.reused, ...result.added];
  const [first] = result.added;
  const end = recordedEnds.get(store)?.get(place.tree.id);
  // True if this append is the only commit since the remembered call.
  const continues = end?.nodeId === place.parentId && result.reused.length === 0 && version === end.version + 1;
  const above = continues && first !== undefined ? end.prompt : null;
  const prompt =
    grouping === 'session' ? await changedPrompt(store, place.tree, asked, first ?? null, result.nodeId, above) : null;
  const noted =
    prompt === null || first === undefined
      ? null
      : await run(
          store,
          { type: 'annotate', treeId: place.tree.id, nodeId: first, set: { recordedPrompt: prompt } },
          context,
        );
  return {
    treeId: place.tree.id,
    version: noted?.version ?? version,
    parentId: result.nodeId,
    nodeIds,
    history,
    keys,
    grouping,
    beside: place.beside,
    nodes: result.added.length,
    promptOfReply: first === undefined ? prompt : null,
  };
}

/**
 * Returns the grouping of a project. A project that has trees by prompt keeps them until the operator changes that; a
 * new project is grouped by session.
 */
async function groupingSoFar(store: Store, project: string): Promise<CallGrouping> {
  const { items } = await store.trees({ project, forest: true, limit: 1 });
  return items.length > 0 ? 'prompt' : 'session';
}

async function placeInPromptTree(
  store: Store,
  asked: ParsedRequest,
  history: readonly Message[],
  project: string,
  context: RunContext,
): Promise<SessionPosition> {
  const tree = await forestTree(store, asked, project, context);
  return { tree, parentId: tree.rootId, rest: history, beside: false };
}

/** Returns the prompt of a call if it differs from the prompt above its first new message (`known`); null otherwise. */
async function changedPrompt(
  store: Store,
  { id, attributes }: TreeRow,
  asked: ParsedRequest,
  first: NodeId | null,
  last: NodeId,
  known: string | null,
): Promise<string | null> {
  // A call that continues another one by its id need not repeat the prompt.
  if (continuesById(asked) && asked.systemPrompt === undefined) return null;
  const now = asked.systemPrompt ?? '';
  if (known !== null) return now === known ? null : now;
  const above = await store.read(id, function* () {
    const node = first === null ? null : yield* ask('head', { id: first });
    const to = first === null ? last : (node?.parentId ?? last);
    const root = (yield* ask('head', { id: to }))?.parentId === null;
    const entries = root ? [] : (yield* ask('pathMeta', { to })).entries;
    return findSystemPrompt(entries, attributes.systemPrompt);
  });
  return now === (above ?? '') ? null : now;
}

/**
 * Returns the tree of a system prompt. Creates it with a title from the first question, which saves a separate write.
 */
async function forestTree(store: Store, asked: ParsedRequest, project: string, context: RunContext): Promise<TreeRow> {
  const { systemPrompt } = asked;
  const autoTitle = titleOfCall(asked.history);
  const attributes = {
    project,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(autoTitle === null ? {} : { autoTitle }),
  };
  const { result } = await run(
    store,
    { type: 'create', treeId: treeId(context.newId()), attributes, forest: true },
    context,
  );
  const tree = await store.read(result.treeId, () => readTree(result.treeId));
  const { title, autoTitle: named } = tree.attributes;
  // The first call had no text for a title, for example only an image.
  if (autoTitle !== null && title === undefined && named === undefined)
    await run(
      store,
      { type: 'attributes', treeId: tree.id, set: { autoTitle } },
      { ...context, actor: titleActor, actId: context.newId() },
    );
  return tree;
}

/** Whether a call continues a reply by an id, so that the service knows the messages before. */
function continuesById({ previous, conversation }: Pick<ParsedRequest, 'previous' | 'conversation'>): boolean {
  return previous !== null || conversation !== null;
}

interface RecordedReply {
  readonly tree: TreeRow;
  readonly nodeId: NodeId;
}

/**
 * Finds the reply that a call continues by the service's id of the reply or of the conversation; null if it was never
 * recorded or was deleted.
 */
export async function findContinuedReply(
  store: Store,
  project: string,
  { previous, conversation }: Pick<ParsedRequest, 'previous' | 'conversation'>,
): Promise<RecordedReply | null> {
  const name = previous ?? conversation;
  if (name === null) return null;
  const format = previous === null ? conversationFormat : replyFormat;
  for (const { treeId: id, nodeId: at } of await store.findExternalIds(format, project, [name])) {
    const found = at === null ? null : await readReply(store, id, nodeId(at));
    if (found !== null) return found;
  }
  return null;
}

async function readReply(store: Store, id: TreeId, at: NodeId): Promise<RecordedReply | null> {
  try {
    return await store.read(id, function* () {
      const tree = yield* readTree(id);
      if (typeof tree.attributes.trashedAt === 'number') return null;
      return (yield* ask('node', { id: at })) === null ? null : { tree, nodeId: at };
    });
  } catch (error) {
    if (isAppError(error) && error.kind === 'not-found') return null;
    throw error;
  }
}

function repliesOf(
  { asked, returned, provider, timing, cost, replyIds }: CompleteExchange,
  prompt: string | null,
): NewReply[] {
  const { answerItems = [] } = returned;
  const meta = (finish: string | null): NodeMeta => ({
    source: {
      type: 'model',
      provider,
      model_name: returned.model ?? asked.model,
      parameters: asked.parameters,
      ...(asked.tools.length === 0 ? {} : { tools: [...asked.tools] }),
      ...(finish === null ? {} : { finish_reason: finish }),
      ...(returned.usage === null ? {} : { usage: returned.usage }),
      ...(cost === null ? {} : { cost }),
      // Several items may form one message. With these ids a client can reference one of them.
      ...(answerItems.length < 2 ? {} : { items: answerItems.map(({ id, blocks }) => ({ id, blocks })) }),
      timing: { ...timing },
    },
    ...(returned.error === null ? {} : { error: returned.error }),
    ...(prompt === null ? {} : { recordedPrompt: prompt }),
  });
  const failed: ModelCompletion = { message: null, status: 'error', finish: null };
  const answers = returned.answers.length > 0 || returned.error === null ? returned.answers : [failed];
  return answers.map(({ message, status, finish }, index) => {
    const id = replyIds[index];
    return {
      status: message === null && status === 'success' ? 'error' : status,
      meta: meta(finish),
      ...(id === undefined ? {} : { id }),
      ...(message === null ? {} : { message }),
    };
  });
}
