// Ids for what comes in. They follow from where it came from, so that the same import a second time, also after a crash
// half way, and also by two processes at once, finds what is there instead of adding it again.
import { type NodeId, nodeId, type TreeId, treeId } from '@coppice/core';
import { sha256Hex } from '../sha256.ts';

function uuidOf(hex: string): string {
  // Version 8 of RFC 9562: made by the application.
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Where a conversation comes from, and whose it becomes. */
export interface ImportOrigin {
  readonly owner: string;
  readonly format: string;
  readonly scope: string;
  readonly id: string;
}

/** The id that a conversation gets. */
export function importedTreeId({ owner, format, scope, id }: ImportOrigin): TreeId {
  return treeId(uuidOf(sha256Hex(JSON.stringify(['import', owner, format, scope, id]))));
}

/** The id that the root of an imported tree gets. */
export function importedRootId(tree: TreeId): NodeId {
  return nodeId(uuidOf(sha256Hex(JSON.stringify(['import-root', tree]))));
}

/** The id that a message gets. Ids of one tree begin alike, so that they lie together in an index. */
export function importedNodeId(tree: TreeId, externalId: string): NodeId {
  const own = sha256Hex(`${tree} ${externalId}`);
  return nodeId(uuidOf(tree.slice(0, 8) + tree.slice(9, 13) + own.slice(0, 20)));
}
