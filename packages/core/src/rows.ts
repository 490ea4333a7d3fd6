import type { NodeId } from './ids.ts';
import type { Bookmark, Content, Node, NodeMeta, TreeAttributes } from './node.ts';
import type { Patch, TreePosition } from './steps/types.ts';

/**
 * One write that a store makes for a step, in order. A store needs no tree in memory to carry these out, and knows
 * nothing of steps: it adds rows, updates columns, marks subtrees.
 */
export type RowChange =
  | { readonly op: 'added'; readonly node: Node }
  /**
   * Another place. Below a marker that moves, markers and the first messages on every branch, removed ones included,
   * get the same new match parent. A visit mark goes along: where the old parent's mark was on the node, it goes to
   * the new parent if that is its child, else away; and the new parent is marked if it had no mark or one on the old
   * parent.
   */
  | { readonly op: 'placed'; readonly nodeId: NodeId; readonly to: TreePosition; readonly from: NodeId }
  /** New content; the present one is kept under the version that wrote it. */
  | { readonly op: 'written'; readonly nodeId: NodeId; readonly content: Content; readonly version: number }
  | { readonly op: 'grouped'; readonly nodeId: NodeId; readonly groupId: number }
  | { readonly op: 'annotated'; readonly nodeId: NodeId; readonly set: Patch<NodeMeta> }
  /** The live subtree is marked with the version. */
  | { readonly op: 'removed'; readonly nodeId: NodeId; readonly version: number }
  /** The rows of the subtree that carry `removedIn` live again, the top at another place if one is given. */
  | { readonly op: 'restored'; readonly nodeId: NodeId; readonly removedIn: number; readonly position: string | null }
  /** The active node; stores also set the visit marks on the way to it. */
  | { readonly op: 'pointed'; readonly nodeId: NodeId | null }
  | { readonly op: 'bookmarked'; readonly nodeId: NodeId; readonly bookmark: Bookmark | null }
  | { readonly op: 'attributed'; readonly set: Patch<TreeAttributes> };

/** An object with a patch laid over it; a null takes the key away. Keys such as `__proto__` are ordinary. */
export function applyPatch<T extends object>(base: T, patch: Patch<T>): T {
  const entries = new Map<string, unknown>(Object.entries(base));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) entries.delete(key);
    else entries.set(key, value);
  }
  return Object.fromEntries(entries) as T;
}

/** An object of what is there: what is null or undefined is left out. */
export function omitNullish<T extends object>(fields: { readonly [K in keyof T]: T[K] | null | undefined }): T {
  return applyPatch<object>({}, fields) as T;
}

/** What a patch would have to be to undo another on this object. */
export function inversePatch<T extends object>(base: T, patch: Patch<T>): Patch<T> {
  const own = new Map<string, unknown>(Object.entries(base));
  return Object.fromEntries(Object.keys(patch).map((key) => [key, own.get(key) ?? null])) as Patch<T>;
}
