/** Puts one exchange into a tree: the prompt finds the tree, the history its place, the answers become new nodes. */
import { messageKit } from '@coppice/content';
import {
  type JsonObject,
  type NewReply,
  type NodeId,
  type NodeMeta,
  nodeId,
  type RunContext,
  readTree,
  run,
  type Store,
  type TreeId,
  treeId,
} from '@coppice/core';
import type { Asked, Returned } from './exchange.ts';

/** An exchange that is complete. */
export interface Exchange {
  readonly asked: Asked;
  readonly returned: Returned;
  readonly project: string;
  readonly provider: string;
  readonly timing: { readonly startedAt: number; readonly firstMs: number | null; readonly totalMs: number };
  readonly cost: JsonObject | null;
}

/** Where an exchange landed. */
export interface Recorded {
  readonly treeId: TreeId;
  readonly parentId: NodeId;
  readonly added: readonly NodeId[];
  /** New nodes, the answers among them. */
  readonly nodes: number;
}

/** The name under which replies are found again by the id that the service gave them. */
const replyFormat = 'openai-response';

/** Records an exchange. Doing it again after a failure adds nothing twice but the answers. */
export async function recordExchange(
  store: Store,
  exchange: Exchange,
  given: { readonly actor: string; readonly now: () => number; readonly newId: () => string },
): Promise<Recorded> {
  const { asked, returned, project } = exchange;
  const context: RunContext = { ...given, kit: messageKit, actId: given.newId() };
  const before = asked.previous === null ? null : await placeOf(store, project, asked.previous);
  const tree = before?.tree ?? (await forestTree(store, asked.systemPrompt, project, context));
  const appended = await run(
    store,
    {
      type: 'append',
      treeId: tree.id,
      parentId: before?.nodeId ?? tree.rootId,
      messages: asked.history.map((message) => ({ message, meta: { source: sourceOf(message.role) } })),
      select: false,
    },
    context,
  );
  const parentId = appended.result.nodeId;
  const replies = repliesOf(exchange);
  const added =
    replies.length === 0
      ? []
      : (await run(store, { type: 'reply', treeId: tree.id, parentId, replies, select: false }, context)).result.added;
  const [first] = added;
  if (returned.id !== null && first !== undefined && asked.wire === 'responses')
    await store.putExternalIds([
      { treeId: tree.id, nodeId: first, format: replyFormat, scope: project, id: returned.id },
    ]);
  return { treeId: tree.id, parentId, added, nodes: appended.result.added.length + added.length };
}

interface Ground {
  readonly id: TreeId;
  readonly rootId: NodeId;
}

async function forestTree(
  store: Store,
  systemPrompt: string | undefined,
  project: string,
  context: RunContext,
): Promise<Ground> {
  const attributes = { project, ...(systemPrompt === undefined ? {} : { systemPrompt }) };
  const { result } = await run(
    store,
    { type: 'create', treeId: treeId(context.newId()), attributes, forest: true },
    context,
  );
  return groundOf(store, result.treeId);
}

async function groundOf(store: Store, id: TreeId): Promise<Ground> {
  return store.read(id, () => readTree(id));
}

async function placeOf(
  store: Store,
  project: string,
  reply: string,
): Promise<{ readonly tree: Ground; readonly nodeId: NodeId } | null> {
  const [found] = await store.findExternalIds(replyFormat, project, [reply]);
  if (found?.nodeId == null) return null;
  return { tree: await groundOf(store, found.treeId), nodeId: nodeId(found.nodeId) };
}

function sourceOf(role: string): JsonObject {
  return role === 'assistant' ? { type: 'model', provider: 'unknown', model_name: 'unknown' } : { type: 'user' };
}

function repliesOf({ asked, returned, provider, timing, cost }: Exchange): NewReply[] {
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
      timing: { ...timing },
    },
    ...(returned.error === null ? {} : { error: returned.error }),
  });
  if (returned.answers.length === 0) return returned.error === null ? [] : [{ status: 'error', meta: meta(null) }];
  return returned.answers.map(({ message, status, finish }) => ({
    status: message === null ? 'error' : status,
    meta: meta(finish),
    ...(message === null ? {} : { message }),
  }));
}
