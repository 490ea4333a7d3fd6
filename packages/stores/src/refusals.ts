/** Throws the errors that all stores share. */
import { AppError, refusalKinds, refuse, type TreeId } from '@coppice/core';

/** Throws the error for a tree that the owner does not have. For the tree of another owner the error is the same. */
export function throwUnknownTree(treeId: TreeId): never {
  return refuse('tree/unknown-tree', `There is no chat ${String(treeId)}.`, { treeId });
}

/** Throws the error for purging a tree that is not in the trash. */
export function throwNotInTrash(treeId: TreeId): never {
  return refuse('command/invalid', `The chat ${treeId} is not in the trash: delete it first.`, { treeId });
}

/** Throws the error for a write to a store that was opened read-only. */
export function throwReadOnlyStore(): never {
  return refuse('tree/read-only', 'This store was opened read-only: nothing can be written to it.');
}

/** Throws the error for using a store that was closed. */
export function throwStoreClosed(): never {
  throw new AppError({
    code: 'store/unavailable',
    kind: refusalKinds['store/unavailable'],
    message: 'This store was closed: open it again.',
  });
}
