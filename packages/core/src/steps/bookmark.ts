import { refusal } from '../errors.ts';
import { findAnyNode } from '../tree.ts';
import type { BookmarkStep, StepCheck, StepKind } from './types.ts';

/** Sets, retitles or takes away a bookmark. On a removed node only if the same commit brings it back. */
export const bookmark: StepKind<BookmarkStep> = {
  type: 'bookmark',
  structural: false,
  rows: ({ nodeId, after }) => [{ op: 'bookmarked', nodeId, bookmark: after }],
  invert: ({ nodeId, after, before }) => ({ type: 'bookmark', nodeId, after: before, before: after }),
};

/** Why such a step cannot be applied. */
export const checkBookmark: StepCheck<BookmarkStep> = (tree, { nodeId, after }) => {
  if (after === null) return null;
  if (after.nodeId !== nodeId)
    return refusal('step/invalid', `The bookmark of ${nodeId} names ${after.nodeId}.`, { nodeId });
  const node = findAnyNode(tree, nodeId);
  if (node === undefined) return refusal('tree/unknown-node', `There is no node ${nodeId} to bookmark.`, { nodeId });
  if (node.kind === 'root') return refusal('tree/root-protected', 'The root cannot be bookmarked.', { nodeId });
  return null;
};
