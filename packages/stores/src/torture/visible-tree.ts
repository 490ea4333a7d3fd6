/** Describes trees of the model and of a store in the same form, so that they can be compared. */
import { ask, type Store, type TreeId } from '@coppice/core';
import type { TreeModel } from './model.ts';

/** What a user sees of a tree: its messages as indented lines, the active node and the bookmarks. */
export interface VisibleTree {
  readonly lines: readonly string[];
  readonly active: string | null;
  readonly bookmarks: readonly string[];
}

interface Shape {
  readonly role: string;
  readonly text: string;
  readonly group: number;
  readonly children: readonly string[];
}

function describeTree(
  root: string,
  shape: (id: string) => Shape,
  active: string | null,
  bookmarks: readonly (readonly [string, string])[],
): VisibleTree {
  const lines: string[] = [];
  const open = [{ id: root, depth: 0, group: '' }];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { children, role, text } = shape(at.id);
    if (at.id !== root) lines.push(`${at.depth} ${at.id} ${role} ${JSON.stringify(text)}${at.group}`);
    const sizes = new Map<number, string[]>();
    for (const child of children) {
      const { group } = shape(child);
      if (group > 0) sizes.set(group, [...(sizes.get(group) ?? []), child]);
    }
    const { depth } = at;
    for (const child of [...children].reverse()) {
      const members = sizes.get(shape(child).group) ?? [];
      // A group with one member counts as no group.
      open.push({ id: child, depth: depth + 1, group: members.length > 1 ? ` with ${members[0]}` : '' });
    }
  }
  return { lines, active, bookmarks: bookmarks.map(([id, title]) => `${id} ${title}`).sort() };
}

export function visibleTreeOfModel(model: TreeModel): VisibleTree {
  return describeTree(model.root, (id) => model.node(id), model.state.active, [...model.state.bookmarks]);
}

/** Reads what a user sees of a tree in a store, and its version. */
export async function readVisibleTree(
  store: Store,
  tree: TreeId,
): Promise<{ readonly look: VisibleTree; readonly version: number }> {
  const rows = await store.read(tree, () => ask('rows', {}));
  if (rows === null) throw new Error('The tree is gone.');
  const shapes = new Map<string, { role: string; text: string; group: number; children: string[]; position: string }>();
  for (const node of rows.nodes)
    if (node.removedIn === null)
      shapes.set(node.id, {
        role: node.role,
        text: node.text,
        group: node.groupId,
        children: [],
        position: node.position,
      });
  for (const node of rows.nodes)
    if (node.removedIn === null && node.parentId !== null) shapes.get(node.parentId)?.children.push(node.id);
  const place = (id: string) => shapes.get(id)?.position ?? '';
  for (const { children } of shapes.values()) children.sort((one, two) => (place(one) < place(two) ? -1 : 1));
  const found = (id: string): Shape => shapes.get(id) ?? { role: '', text: '', group: 0, children: [] };
  const bookmarks = rows.bookmarks.map((mark) => [mark.nodeId, mark.title] as const);
  return { look: describeTree(rows.row.rootId, found, rows.row.activeNodeId, bookmarks), version: rows.row.version };
}
