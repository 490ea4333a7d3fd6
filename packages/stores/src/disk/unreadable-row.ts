import { deriveId } from '@coppice/content';
import { nodeId, type TreeId, type TreeRow } from '@coppice/core';

/** Makes a row for a tree that cannot be read. Lists show this row, because a missing tree would look deleted. */
export function makeUnreadableRow(id: TreeId, owner: string): TreeRow {
  return {
    id,
    owner,
    rootId: nodeId(deriveId('unreadable-root', id)),
    version: 0,
    structureVersion: 0,
    activeNodeId: null,
    nextSeq: 0,
    createdAt: 0,
    updatedAt: 0,
    attributes: { title: 'Cannot be read' },
  };
}
