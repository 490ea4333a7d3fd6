/** Having models answer: sending, asking again, continuing, stopping. */
import type { Message, Node, NodeId } from '@coppice/core';
import { complain, draftNode, freshId } from './acts.ts';
import type { GenerationRequest } from './client.ts';
import { isThrough } from './following.ts';
import { asProblem } from './http.ts';
import type { TreeSession } from './session.ts';
import type { Begun } from './wire.ts';

/** How replies are wanted. */
export interface Wish {
  readonly models: readonly string[];
  readonly n: number;
  readonly temperature: number | null;
  readonly tools: readonly string[];
}

function wished(wish: Wish): Pick<GenerationRequest, 'models' | 'n' | 'temperature' | 'tools'> {
  return {
    ...(wish.models.length === 0 ? {} : { models: wish.models }),
    ...(wish.n > 1 ? { n: wish.n } : {}),
    ...(wish.temperature === null ? {} : { temperature: wish.temperature }),
    // Tools go with a single reply only; the server would refuse them beside others.
    ...(wish.tools.length === 0 || wish.n > 1 || wish.models.length > 1 ? {} : { tools: wish.tools }),
  };
}

async function begin(
  session: TreeSession,
  run: (version: number) => Promise<Begun>,
  shown: { readonly id: NodeId; readonly parentId: NodeId; readonly message: Message } | null,
  leads = true,
): Promise<boolean> {
  try {
    const steps =
      shown === null
        ? []
        : [{ type: 'insert' as const, node: draftNode(session, shown.id, shown.parentId, shown.message) }];
    const beginning = session.perform(steps, run, shown?.id);
    const { led } = session;
    const begun = await beginning;
    const ids = begun.nodes.map((node) => node.nodeId);
    session.replies.claim(ids, begun.actId);
    if (leads) await session.followTurn(begun, led);
    return true;
  } catch (thrown) {
    complain(asProblem(thrown));
    // A message that is in the tree was sent, whatever became of its reply: it must not come back to the composer as well.
    return shown !== null && (await isStored(session, shown.id));
  }
}

/** Whether the server has a node: as the feed has told, or as it says itself. */
async function isStored(session: TreeSession, id: NodeId): Promise<boolean> {
  if (session.state.base?.nodes.has(id) === true) return true;
  return session.api.node(session.treeId, id).then(
    () => true,
    () => false,
  );
}

/** Says something below a node and has it answered. */
export function sendMessage(
  session: TreeSession,
  parentId: NodeId,
  message: Message,
  wish: Wish,
  id = freshId(),
): Promise<boolean> {
  const body = { parentId, messages: [{ id, role: 'user' as const, content: message.content }], requestId: freshId() };
  return begin(
    session,
    (version) =>
      session.api.generate(session.treeId, {
        type: 'send',
        ...body,
        ...wished(wish),
        expectedVersion: version,
        onConflict: 'branch',
      }),
    { id, parentId, message },
  );
}

/** Has a node answered. */
export function reply(session: TreeSession, parentId: NodeId, wish: Wish): Promise<boolean> {
  const requestId = freshId();
  // Whoever has left the branch while it was saved is not brought back by its answer.
  const leads = isThrough(session, parentId);
  return begin(
    session,
    (version) =>
      session.api.generate(session.treeId, {
        type: 'reply',
        parentId,
        requestId,
        ...wished(wish),
        expectedVersion: version,
        onConflict: 'branch',
      }),
    null,
    leads,
  );
}

/** Has the prompt above a reply answered again; what was there stays. */
export function regenerate(session: TreeSession, nodeId: NodeId, wish: Wish): Promise<boolean> {
  const requestId = freshId();
  return begin(
    session,
    (version) =>
      session.api.generate(session.treeId, {
        type: 'regenerate',
        nodeId,
        requestId,
        ...wished(wish),
        expectedVersion: version,
        onConflict: 'branch',
      }),
    null,
  );
}

/** Goes on with a reply that was cut short. */
export function goOn(session: TreeSession, node: Node, wish: Wish): Promise<boolean> {
  const requestId = freshId();
  const { models, temperature } = wished({ ...wish, n: 1, models: wish.models.slice(0, 1) });
  return begin(
    session,
    (version) =>
      session.api.generate(session.treeId, {
        type: 'continue',
        nodeId: node.id,
        requestId,
        ...(models === undefined ? {} : { models }),
        ...(temperature === undefined ? {} : { temperature }),
        expectedVersion: version,
      }),
    null,
  );
}

/** Stops a reply; what was said is kept. */
export async function stop(session: TreeSession, nodeId: NodeId): Promise<void> {
  try {
    await session.api.abort(session.treeId, nodeId);
  } catch (thrown) {
    complain(asProblem(thrown));
  }
}
