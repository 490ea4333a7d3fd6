import { ok, refusal } from '../errors.ts';
import { findAnyNode } from '../tree.ts';
import { id, bookmark as mark, orNull } from './parse.ts';
import type { BookmarkStep, StepDefinition } from './types.ts';

/** Sets, retitles or takes away a bookmark. On a removed node only if the same commit brings it back. */
export const bookmark: StepDefinition<BookmarkStep> = {
  type: 'bookmark',
  structural: false,
  parse: (json) =>
    ok({
      type: 'bookmark',
      nodeId: id(json, 'nodeId'),
      after: orNull(json, 'after', mark),
      before: orNull(json, 'before', mark),
    }),
  check(tree, { nodeId, after }) {
    if (after === null) return null;
    if (after.nodeId !== nodeId)
      return refusal('step/invalid', `The bookmark of ${nodeId} names ${after.nodeId}.`, { nodeId });
    const node = findAnyNode(tree, nodeId);
    if (node === undefined) return refusal('tree/unknown-node', `There is no node ${nodeId} to bookmark.`, { nodeId });
    if (node.kind === 'root')
      return refusal('tree/root-protected', 'The root is no message: it cannot be bookmarked.', { nodeId });
    return null;
  },
  rows: ({ nodeId, after }) => [{ op: 'bookmarked', nodeId, bookmark: after }],
  invert: ({ nodeId, after, before }) => ({ type: 'bookmark', nodeId, after: before, before: after }),
};
