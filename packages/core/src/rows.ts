import type { NodeId } from './ids.ts';
import type { Bookmark, Node, NodeMeta, TreeAttributes } from './node.ts';
import type { Patch } from './steps/types.ts';

/** Columns of a node's row that may change after the row was added. */
export type NodeColumns = Pick<
  Node,
  | 'parentId'
  | 'position'
  | 'groupId'
  | 'matchParent'
  | 'lastChildId'
  | 'message'
  | 'status'
  | 'key'
  | 'text'
  | 'tokens'
  | 'aliases'
  | 'contentIn'
>;

/**
 * One write of a store. Row changes must be applied in order. A row change contains only what is written: it adds a
 * row, sets columns of rows, marks a subtree, sets a bookmark, or sets columns of the tree row.
 */
export type RowChange =
  | { readonly op: 'added'; readonly node: Node }
  /**
   * New values for columns of some rows, and a patch for their metadata. Content is always complete, with `contentIn`.
   * A store without steps in its log must first store the current content under the version that wrote it.
   */
  | {
      readonly op: 'updated';
      readonly nodeIds: readonly NodeId[];
      readonly set: Partial<NodeColumns>;
      readonly meta?: Patch<NodeMeta>;
    }
  /** Sets `removedIn` of a node and of all descendants that are connected to the node by rows with the same mark. */
  | { readonly op: 'marked'; readonly nodeId: NodeId; readonly from: number | null; readonly to: number | null }
  | { readonly op: 'bookmarked'; readonly nodeId: NodeId; readonly bookmark: Bookmark | null }
  | { readonly op: 'tree'; readonly activeNodeId?: NodeId | null; readonly attributes?: Patch<TreeAttributes> };

/** Builds a change of some columns of one row. */
export function buildRowUpdate(nodeId: NodeId, set: Partial<NodeColumns>): RowChange {
  return { op: 'updated', nodeIds: [nodeId], set };
}

/** Returns an object with a patch applied; null removes a key. `__proto__` is an ordinary key. */
export function applyPatch<T extends object>(base: T, patch: Patch<T>): T {
  const entries = new Map<string, unknown>(Object.entries(base));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) entries.delete(key);
    else entries.set(key, value);
  }
  return Object.fromEntries(entries) as T;
}

/** Copies an object without its null and undefined fields. */
export function omitNullish<T extends object>(fields: { readonly [K in keyof T]: T[K] | null | undefined }): T {
  return applyPatch<object>({}, fields) as T;
}

/** Returns the patch that restores the fields of `base` which another patch changes. */
export function inversePatch<T extends object>(base: T, patch: Patch<T>): Patch<T> {
  const own = new Map<string, unknown>(Object.entries(base));
  return Object.fromEntries(Object.keys(patch).map((key) => [key, own.get(key) ?? null])) as Patch<T>;
}
