/** Refusals that every store gives in the same words. */
import { AppError, refusalKinds, refuse, type TreeId } from '@coppice/core';

/** There is no such tree of this owner; a tree of somebody else is answered alike. */
export function unknownTree(treeId: TreeId): never {
  return refuse('tree/unknown-tree', `There is no tree ${String(treeId)}.`, { treeId });
}

/** Only what is in the trash can be taken for good. */
export function notInTrash(treeId: TreeId): never {
  return refuse('command/invalid', `The tree ${treeId} is not in the trash: delete it first.`, { treeId });
}

/** The store was opened to be read only. */
export function readOnlyStore(): never {
  return refuse('tree/read-only', 'This store was opened read-only: nothing can be written to it.');
}

/** The store was closed. */
export function storeClosed(): never {
  throw new AppError({
    code: 'store/unavailable',
    kind: refusalKinds['store/unavailable'],
    message: 'This store was closed.',
  });
}
