/** Errors that all stores share. */
import { AppError, refusalKinds, refuse, type TreeId } from '@coppice/core';

/** Throws: this owner has no such tree; another owner's tree gives the same error. */
export function throwUnknownTree(treeId: TreeId): never {
  return refuse('tree/unknown-tree', `There is no tree ${String(treeId)}.`, { treeId });
}

/** Throws: only a tree in the trash can be purged. */
export function throwNotInTrash(treeId: TreeId): never {
  return refuse('command/invalid', `The tree ${treeId} is not in the trash: delete it first.`, { treeId });
}

/** Throws: the store was opened read-only. */
export function throwReadOnlyStore(): never {
  return refuse('tree/read-only', 'This store was opened read-only: nothing can be written to it.');
}

/** Throws: the store was closed. */
export function throwStoreClosed(): never {
  throw new AppError({
    code: 'store/unavailable',
    kind: refusalKinds['store/unavailable'],
    message: 'This store was closed.',
  });
}
