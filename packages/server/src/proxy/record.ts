/** Puts one exchange into a tree: the prompt finds the tree, the history its place, the answers become new nodes. */
import { messageKit } from '@coppice/content';
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
  textOf,
  treeId,
} from '@coppice/core';
import { plainTitle, titleActor } from '@coppice/engine';
import type { ModelCompletion, ParsedRequest, ParsedResponse } from './exchange.ts';
import { itemFormat, resolveReferences } from './resolve-references.ts';

/** An exchange that is complete. */
export interface Exchange {
  readonly asked: ParsedRequest;
  readonly returned: ParsedResponse;
  readonly project: string;
  readonly provider: string;
  readonly timing: { readonly startedAt: number; readonly firstMs: number | null; readonly totalMs: number };
  readonly cost: JsonObject | null;
  /** The ids that the answers get; the same when it is tried again, so that nothing is there twice. */
  readonly replyIds: readonly string[];
}

/** Where an exchange landed. */
export interface Recorded {
  readonly treeId: TreeId;
  readonly parentId: NodeId;
  readonly added: readonly NodeId[];
  /** New nodes, the answers among them. */
  readonly nodes: number;
}

/** Where a history ends in the forest. */
export interface PlacedExchange {
  readonly treeId: TreeId;
  readonly parentId: NodeId;
  /** The nodes of the history, from the first message on. */
  readonly nodeIds: readonly NodeId[];
  readonly nodes: number;
}

/** On whose behalf, and with what, something is recorded. */
export interface Recording {
  readonly actor: string;
  readonly now: () => number;
  readonly newId: () => string;
}

// The format under which replies are found again by the ids that the service gave them.
const replyFormat = 'openai-response';

function recordingContext(given: Recording): RunContext {
  return { ...given, kit: messageKit, actId: given.newId() };
}

/** Records an exchange. Doing it again after a failure adds nothing twice. */
export async function recordExchange(store: Store, exchange: Exchange, given: Recording): Promise<Recorded> {
  const { asked, returned, project } = exchange;
  const context = recordingContext(given);
  const { before } = returned;
  const said = before.length === 0 ? asked : { ...asked, history: [...asked.history, ...before] };
  const placed = await placeExchange(store, said, project, context);
  const { treeId: id, parentId } = placed;
  const replies = repliesOf(exchange);
  // A store may write on this very thread: between two writes, whatever came meanwhile is let through.
  await new Promise((resolve) => setImmediate(resolve));
  const added =
    replies.length === 0
      ? []
      : (await run(store, { type: 'reply', treeId: id, parentId, replies, select: false }, context)).result.added;
  const [first] = added;
  await nameItems(store, exchange, id, placed.nodeIds, first ?? null);
  return { treeId: id, parentId, added, nodes: placed.nodes + added.length };
}

/** Notes the ids by which a client may name a reply, or an item of what came back, instead of sending it again. */
async function nameItems(
  store: Store,
  { asked, returned, project: scope }: Exchange,
  tree: TreeId,
  history: readonly NodeId[],
  reply: NodeId | null,
): Promise<void> {
  const { id, items, before, itemsBefore = [] } = returned;
  const nodeByItem = new Map<string, NodeId>();
  if (reply !== null) for (const item of items) nodeByItem.set(item, reply);
  const nodesBefore = before.length === 0 ? [] : history.slice(-before.length);
  for (const [index, node] of nodesBefore.entries())
    for (const item of itemsBefore[index] ?? []) if (item.id !== '') nodeByItem.set(item.id, node);
  const rows = [...nodeByItem].map(([item, at]) => ({ treeId: tree, nodeId: at, format: itemFormat, scope, id: item }));
  if (reply !== null && id !== null && asked.wire === 'responses')
    rows.push({ treeId: tree, nodeId: reply, format: replyFormat, scope, id });
  if (rows.length > 0) await store.putExternalIds(rows);
}

/** Puts a history into its tree, for a call that is not answered yet. */
export function recordHistory(
  store: Store,
  asked: ParsedRequest,
  project: string,
  given: Recording,
): Promise<PlacedExchange> {
  return placeExchange(store, asked, project, recordingContext(given));
}

async function placeExchange(
  store: Store,
  asked: ParsedRequest,
  project: string,
  context: RunContext,
): Promise<PlacedExchange> {
  const before = asked.previous === null ? null : await placeInForest(store, project, asked.previous);
  const tree = before?.tree ?? (await forestTree(store, asked, project, context));
  const history = await resolveReferences(store, project, asked.history);
  const { result } = await run(
    store,
    {
      type: 'append',
      treeId: tree.id,
      parentId: before?.nodeId ?? tree.rootId,
      messages: history.map((message) => ({ message, meta: { source: sourceOfExchange(message.role) } })),
      select: false,
    },
    context,
  );
  const nodeIds = [...result.reused, ...result.added];
  return { treeId: tree.id, parentId: result.nodeId, nodeIds, nodes: result.added.length };
}

interface RecordTarget {
  readonly id: TreeId;
  readonly rootId: NodeId;
}

/** The tree of a prompt. It is named when it is made, by what is asked first in it: that costs no write of its own. */
async function forestTree(
  store: Store,
  asked: ParsedRequest,
  project: string,
  context: RunContext,
): Promise<RecordTarget> {
  const { systemPrompt } = asked;
  const autoTitle = titleFor(asked.history);
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
  // One that began with nothing to be named after, such as a picture.
  if (autoTitle !== null && title === undefined && named === undefined)
    await run(
      store,
      { type: 'attributes', treeId: tree.id, set: { autoTitle } },
      { ...context, actor: titleActor, actId: context.newId() },
    );
  return tree;
}

function titleFor(history: readonly Message[]): string | null {
  for (const message of history) {
    const title = message.role === 'user' ? plainTitle(textOf(message)) : null;
    if (title !== null) return title;
  }
  return null;
}

/** Where a reply is by the id that the service gave it; null where it was never recorded, or is not there any more. */
export async function placeInForest(
  store: Store,
  project: string,
  reply: string,
): Promise<{ readonly tree: RecordTarget; readonly nodeId: NodeId } | null> {
  const [found] = await store.findExternalIds(replyFormat, project, [reply]);
  if (found?.nodeId == null) return null;
  const [id, at] = [found.treeId, nodeId(found.nodeId)];
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

function sourceOfExchange(role: string): JsonObject {
  return role === 'assistant' ? { type: 'model', provider: 'unknown', model_name: 'unknown' } : { type: 'user' };
}

function repliesOf({ asked, returned, provider, timing, cost, replyIds }: Exchange): NewReply[] {
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
      // Several items may make one message: so a client that names one of them is understood.
      ...(answerItems.length < 2 ? {} : { items: answerItems.map(({ id, blocks }) => ({ id, blocks })) }),
      timing: { ...timing },
    },
    ...(returned.error === null ? {} : { error: returned.error }),
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
