// Ids of imported objects. They are derived from the source, so that a second import finds the existing nodes instead
// of adding them again, even after a crash or if two processes import at the same time.
import { type NodeId, nodeId, type TreeId, treeId } from '@coppice/core';
import { sha256Hex } from '../sha256.ts';

function uuidOf(hex: string): string {
  // Version 8 of RFC 9562: defined by the application.
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Identifies a conversation in its source, and the owner who imports it. */
export interface ImportOrigin {
  readonly owner: string;
  readonly format: string;
  readonly scope: string;
  readonly id: string;
}

/** Derives the id of an imported tree from its origin. */
export function deriveImportedTreeId({ owner, format, scope, id }: ImportOrigin): TreeId {
  return treeId(uuidOf(sha256Hex(JSON.stringify(['import', owner, format, scope, id]))));
}

/** Derives the id of an imported tree's root. */
export function deriveImportedRootId(tree: TreeId): NodeId {
  return nodeId(uuidOf(sha256Hex(JSON.stringify(['import-root', tree]))));
}

/**
 * Derives the id of an imported message. Ids of one tree have the same prefix, so that they are adjacent in an index.
 */
export function deriveImportedNodeId(tree: TreeId, externalId: string): NodeId {
  const own = sha256Hex(`${tree} ${externalId}`);
  return nodeId(uuidOf(tree.slice(0, 8) + tree.slice(9, 13) + own.slice(0, 20)));
}
