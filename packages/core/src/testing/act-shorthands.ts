import { type NodeId, nodeId } from '../ids.ts';
import type { RunContext } from '../run.ts';
import { assistant, type TestTree, user } from './test-tree.ts';

/** The context of an actor other than the default actor of a {@link TestTree}. */
export const otherActor: Partial<RunContext> = { actor: 'you' };

/** Adds a user message below a node and returns its id. */
export async function addMessage(
  fixture: TestTree,
  text: string,
  parentId: NodeId,
  context: Partial<RunContext> = {},
): Promise<NodeId> {
  const messages = [{ message: user(text) }];
  const { result } = await fixture.run({ type: 'append', treeId: fixture.treeId, parentId, messages }, context);
  return result.nodeId;
}

/** Adds several replies in one group and returns their ids. */
export async function addReplies(fixture: TestTree, parentId: NodeId, ...texts: string[]): Promise<readonly NodeId[]> {
  const said = texts.map((text) => ({ message: assistant(text) }));
  const { result } = await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId, replies: said });
  return result.added;
}

/** Adds a pending reply without text and returns its id. */
export async function addPendingReply(
  fixture: TestTree,
  parentId: NodeId,
  context: Partial<RunContext> = {},
): Promise<NodeId> {
  const { result } = await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId, replies: [{}] }, context);
  return result.added[0] ?? nodeId('');
}

/** Sets a bookmark on a node. */
export function bookmarkNode(fixture: TestTree, id: NodeId, title: string, context: Partial<RunContext> = {}) {
  return fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: id, title }, context);
}

/** Replaces the text of a node in place. */
export function overwriteText(fixture: TestTree, id: NodeId, content: string, context: Partial<RunContext> = {}) {
  return fixture.run({ type: 'edit', treeId: fixture.treeId, nodeId: id, content, mode: 'in-place' }, context);
}

/** Deletes a node, by cascade by default. */
export function deleteNode(
  fixture: TestTree,
  id: NodeId,
  context: Partial<RunContext> = {},
  mode: 'splice' | 'cascade' = 'cascade',
) {
  return fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [id], mode }, context);
}

/** Moves a node to the end of another node's children. */
export function moveNode(fixture: TestTree, id: NodeId, parentId: NodeId, context: Partial<RunContext> = {}) {
  return fixture.run({ type: 'move', treeId: fixture.treeId, nodeId: id, parentId }, context);
}

/** Undoes the actor's newest act. */
export function undoLast(fixture: TestTree, context: Partial<RunContext> = {}, force = false) {
  return fixture.run({ type: 'undo', treeId: fixture.treeId, force }, context);
}

/** Redoes the act that was undone last. */
export function redoLast(fixture: TestTree, context: Partial<RunContext> = {}, force = false) {
  return fixture.run({ type: 'redo', treeId: fixture.treeId, force }, context);
}
