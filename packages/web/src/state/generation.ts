/** Having models answer: sending, asking again, continuing, stopping. */
import type { Message, Node, NodeId } from '@coppice/core';
import type { BegunAnswer } from './api-types.ts';
import type { GenerationRequest } from './client.ts';
import { isOnShownPath } from './following.ts';
import { asProblem } from './http.ts';
import type { TreeSession } from './session.ts';
import { newNodeUuid, optimisticNode, showError } from './tree-actions.ts';

/** How replies are wanted. */
export interface GenerationOptions {
  readonly models: readonly string[];
  readonly n: number;
  readonly temperature: number | null;
  readonly tools: readonly string[];
}

function optionsToBody(wish: GenerationOptions): Pick<GenerationRequest, 'models' | 'n' | 'temperature' | 'tools'> {
  return {
    ...(wish.models.length === 0 ? {} : { models: wish.models }),
    ...(wish.n > 1 ? { n: wish.n } : {}),
    ...(wish.temperature === null ? {} : { temperature: wish.temperature }),
    // Tools go with a single reply only; the server would refuse them beside others.
    ...(wish.tools.length === 0 || wish.n > 1 || wish.models.length > 1 ? {} : { tools: wish.tools }),
  };
}

async function startGeneration(
  session: TreeSession,
  run: (version: number) => Promise<BegunAnswer>,
  shown: { readonly id: NodeId; readonly parentId: NodeId; readonly message: Message } | null,
  leads = true,
): Promise<boolean> {
  try {
    const steps =
      shown === null
        ? []
        : [{ type: 'insert' as const, node: optimisticNode(session, shown.id, shown.parentId, shown.message) }];
    const beginning = session.perform(steps, run, shown?.id);
    const { led } = session;
    const begun = await beginning;
    const ids = begun.nodes.map((node) => node.nodeId);
    session.replies.claim(ids, begun.actId);
    if (leads) await session.followTurn(begun, led);
    return true;
  } catch (thrown) {
    showError(asProblem(thrown));
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
  wish: GenerationOptions,
  id = newNodeUuid(),
): Promise<boolean> {
  const body = {
    parentId,
    messages: [{ id, role: 'user' as const, content: message.content }],
    requestId: newNodeUuid(),
  };
  return startGeneration(
    session,
    (version) =>
      session.api.generate(session.treeId, {
        type: 'send',
        ...body,
        ...optionsToBody(wish),
        expectedVersion: version,
        onConflict: 'branch',
      }),
    { id, parentId, message },
  );
}

/** Has a node answered. */
export function replyTo(session: TreeSession, parentId: NodeId, wish: GenerationOptions): Promise<boolean> {
  const requestId = newNodeUuid();
  // Whoever has left the branch while it was saved is not brought back by its answer.
  const leads = isOnShownPath(session, parentId);
  return startGeneration(
    session,
    (version) =>
      session.api.generate(session.treeId, {
        type: 'reply',
        parentId,
        requestId,
        ...optionsToBody(wish),
        expectedVersion: version,
        onConflict: 'branch',
      }),
    null,
    leads,
  );
}

/** Has the prompt above a reply answered again; what was there stays. */
export function regenerateReply(session: TreeSession, nodeId: NodeId, wish: GenerationOptions): Promise<boolean> {
  const requestId = newNodeUuid();
  return startGeneration(
    session,
    (version) =>
      session.api.generate(session.treeId, {
        type: 'regenerate',
        nodeId,
        requestId,
        ...optionsToBody(wish),
        expectedVersion: version,
        onConflict: 'branch',
      }),
    null,
  );
}

/** Goes on with a reply that was cut short. */
export function continueReply(session: TreeSession, node: Node, wish: GenerationOptions): Promise<boolean> {
  const requestId = newNodeUuid();
  const { models, temperature } = optionsToBody({ ...wish, n: 1, models: wish.models.slice(0, 1) });
  return startGeneration(
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
export async function stopReply(session: TreeSession, nodeId: NodeId): Promise<void> {
  try {
    await session.api.abort(session.treeId, nodeId);
  } catch (thrown) {
    showError(asProblem(thrown));
  }
}
