import { type NodeId, nodeId } from '../ids.ts';
import type { RunContext } from '../run.ts';
import { assistant, type Bed, user } from './bed.ts';

/** Another actor than the one of a {@link Bed}. */
export const you: Partial<RunContext> = { actor: 'you' };

/** Adds one user's message below a node and gives its id. */
export async function add(
  bed: Bed,
  text: string,
  parentId: NodeId,
  context: Partial<RunContext> = {},
): Promise<NodeId> {
  const messages = [{ message: user(text) }];
  const { result } = await bed.run({ type: 'append', treeId: bed.treeId, parentId, messages }, context);
  return result.nodeId;
}

/** Adds several variants in one group. */
export async function replies(bed: Bed, parentId: NodeId, ...texts: string[]): Promise<readonly NodeId[]> {
  const said = texts.map((text) => ({ message: assistant(text) }));
  const { result } = await bed.run({ type: 'reply', treeId: bed.treeId, parentId, replies: said });
  return result.added;
}

/** Adds a reply that is being written. */
export async function pending(bed: Bed, parentId: NodeId, context: Partial<RunContext> = {}): Promise<NodeId> {
  const { result } = await bed.run({ type: 'reply', treeId: bed.treeId, parentId, replies: [{}] }, context);
  return result.added[0] ?? nodeId('');
}

/** Bookmarks a node. */
export function mark(bed: Bed, id: NodeId, title: string, context: Partial<RunContext> = {}) {
  return bed.run({ type: 'bookmark', treeId: bed.treeId, nodeId: id, title }, context);
}

/** Saves another text in place. */
export function overwrite(bed: Bed, id: NodeId, content: string, context: Partial<RunContext> = {}) {
  return bed.run({ type: 'edit', treeId: bed.treeId, nodeId: id, content, mode: 'in-place' }, context);
}

/** Deletes a node, by cascade unless told otherwise. */
export function remove(
  bed: Bed,
  id: NodeId,
  context: Partial<RunContext> = {},
  mode: 'splice' | 'cascade' = 'cascade',
) {
  return bed.run({ type: 'delete', treeId: bed.treeId, nodeIds: [id], mode }, context);
}

/** Moves a node last under another. */
export function move(bed: Bed, id: NodeId, parentId: NodeId, context: Partial<RunContext> = {}) {
  return bed.run({ type: 'move', treeId: bed.treeId, nodeId: id, parentId }, context);
}

/** Takes the actor's newest act back. */
export function undo(bed: Bed, context: Partial<RunContext> = {}, force = false) {
  return bed.run({ type: 'undo', treeId: bed.treeId, force }, context);
}

/** Brings back what was undone last. */
export function redo(bed: Bed, context: Partial<RunContext> = {}, force = false) {
  return bed.run({ type: 'redo', treeId: bed.treeId, force }, context);
}
