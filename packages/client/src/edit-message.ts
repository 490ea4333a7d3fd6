/** Edits a message, as a variant or in place, without losing the text of another writer. */
import { type Message, type Node, type NodeId, nodeId, type Step } from '@coppice/core';
import type { ShareView, WriteResponse } from './api-types.ts';
import { toHttpProblem } from './http.ts';
import { buildOptimisticContent, buildOptimisticNode } from './optimistic.ts';
import { refreshUnlessNavigated } from './refresh-unless-navigated.ts';
import type { TreeSession } from './session.ts';

// The number of attempts at an edit in place while other messages of the tree change. After the last attempt the edit
// becomes a variant.
const maxAttempts = 4;

/** A message as the user saw it when editing began. */
export interface SeenContent {
  readonly node: Node;
  readonly version: number;
}

/** Where the new text was stored. */
export interface EditOutcome {
  /** The message with the new text: a new variant, or the edited message. */
  readonly nodeId: NodeId;
  readonly written: WriteResponse;
  /** Whether the new text replaced the old one. */
  readonly inPlace: boolean;
  /** The open links that still show the old text after an edit in place. */
  readonly outdatedShares: readonly ShareView[];
}

/** Edits a message: as a variant, or in place. If another writer changed the message first, both texts are kept. */
export function editMessage(
  session: TreeSession,
  seen: SeenContent,
  content: Message['content'],
  mode: 'branch' | 'in-place',
): Promise<EditOutcome> {
  const { role } = seen.node;
  const message: Message = { role: role === 'root' ? 'user' : role, content };
  return mode === 'in-place' ? saveInPlace(session, seen, message) : saveAsVariant(session, seen, message);
}

async function saveAsVariant(session: TreeSession, seen: SeenContent, message: Message): Promise<EditOutcome> {
  const { node } = seen;
  const { content } = message;
  const parentId = node.parentId ?? node.id;
  const id = nodeId(session.connection.newId());
  const added = buildOptimisticNode(
    session.state,
    { id, parentId, message, groupId: node.groupId },
    session.connection.now(),
  );
  const writing = session.write(
    [{ type: 'insert', node: added }],
    (version) => session.api.edit(session.treeId, node.id, { content, mode: 'branch', id }, version),
    id,
  );
  const follow = refreshUnlessNavigated(session);
  const written = await writing;
  await follow(id, written.version);
  // The edit is stored, even if the variants of others cannot be read.
  await recordConcurrentVariant(session, node, id, seen.version).catch(() => undefined);
  return { nodeId: id, written, inPlace: false, outdatedShares: [] };
}

async function saveInPlace(
  session: TreeSession,
  seen: SeenContent,
  message: Message,
  attemptsLeft = maxAttempts,
): Promise<EditOutcome> {
  const { node } = seen;
  const now = session.state.base?.nodes.get(node.id);
  // A text that the user has not seen is never overwritten. The edit becomes a variant instead.
  if (now !== undefined && now.contentIn !== node.contentIn) return saveAsConflictingVariant(session, seen, message);
  const { status, key, text, tokens, aliases } = node;
  const step: Step = {
    type: 'replace',
    nodeId: node.id,
    after: buildOptimisticContent(message),
    before: { message: node.message ?? message, status, key, text, tokens, aliases },
    since: node.contentIn,
  };
  try {
    const { content } = message;
    const written = await session.write([step], (version) =>
      session.api.edit(session.treeId, node.id, { content, mode: 'in-place' }, version),
    );
    return { nodeId: node.id, written, inPlace: true, outdatedShares: written.outdatedShares ?? [] };
  } catch (thrown) {
    if (toHttpProblem(thrown).code !== 'tree/version-conflict') throw thrown;
    await session.refresh();
    // The conflict may be about another message, or about a write of this client that the feed has not delivered yet.
    const isSame = session.state.base?.nodes.get(node.id)?.contentIn === node.contentIn;
    if (isSame && attemptsLeft > 1) return saveInPlace(session, seen, message, attemptsLeft - 1);
    return saveAsConflictingVariant(session, seen, message);
  }
}

async function saveAsConflictingVariant(
  session: TreeSession,
  seen: SeenContent,
  message: Message,
): Promise<EditOutcome> {
  await session.refresh();
  const result = await saveAsVariant(session, seen, message);
  session.recordConflict(result.nodeId, seen.node.id);
  return result;
}

/** Records a conflict if another writer has added a variant of the same message after version `since`. */
async function recordConcurrentVariant(
  session: TreeSession,
  node: Pick<Node, 'parentId'>,
  mine: NodeId,
  since: number,
): Promise<void> {
  const { part } = session.state;
  const ids = node.parentId === null ? [] : (part?.childrenByParent.get(node.parentId) ?? []);
  if (ids.length < 3) return;
  const { nodes } = await session.api.siblings(session.treeId, mine);
  const other = nodes.findLast((each) => each.id !== mine && each.addedIn > since);
  if (other !== undefined) session.recordConflict(mine, other.id);
}
