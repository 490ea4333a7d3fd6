import { finiteNumberField, requiredText } from '../decode.ts';
import { refusal } from '../errors.ts';
import { findAnyNode } from '../tree.ts';
import type { BookmarkStep, StepCheck, StepKind } from './types.ts';

/** Sets, retitles or removes a bookmark. Allowed on a removed node only if the same commit restores it. */
export const bookmarkStepKind: StepKind<BookmarkStep> = {
  type: 'bookmark',
  structural: false,
  rows: ({ nodeId, after }) => [{ op: 'bookmarked', nodeId, bookmark: after }],
  invert: ({ nodeId, after, before }) => ({ type: 'bookmark', nodeId, after: before, before: after }),
};

/** Throws `MalformedError` if the step contains a value that some store cannot write or read. */
export function assertBookmarkData({ after }: BookmarkStep): void {
  if (after === null) return;
  const mark = { ...after };
  requiredText(mark, 'title');
  finiteNumberField(mark, 'createdAt');
  finiteNumberField(mark, 'updatedAt');
}

/** Returns why the step cannot be applied, or null. */
export const checkBookmark: StepCheck<BookmarkStep> = (tree, { nodeId, after }) => {
  if (after === null) return null;
  if (after.nodeId !== nodeId)
    return refusal('step/invalid', `The bookmark of ${nodeId} names ${after.nodeId}.`, { nodeId });
  const node = findAnyNode(tree, nodeId);
  if (node === undefined) return refusal('tree/unknown-node', `There is no message ${nodeId} to bookmark.`, { nodeId });
  if (node.kind === 'root')
    return refusal('tree/root-protected', 'The beginning of a chat cannot be bookmarked: choose a message.', {
      nodeId,
    });
  return null;
};
