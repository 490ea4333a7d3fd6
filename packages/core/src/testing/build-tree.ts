import { applyOrThrow } from '../apply.ts';
import { nodeId, treeId } from '../ids.ts';
import { textMessage } from '../message.ts';
import { matchParentOfChildren, type NewNode, type Node, type NodeKind } from '../node.ts';
import { buildRootNode } from '../plan/create.ts';
import { positionBetween } from '../position.ts';
import type { Step } from '../steps/types.ts';
import { emptyTree, type Tree } from '../tree.ts';
import { testKit } from './kit.ts';

/** The id of the root in trees of {@link buildTree} and {@link emptyTestTree}. */
export const testRootId = nodeId('root');

/** Builds a tree with only its root, at version 1. */
export function emptyTestTree(id = 'tree'): Tree {
  const steps: Step[] = [{ type: 'insert', node: buildRootNode(testRootId, 0) }];
  return applyOrThrow(emptyTree(treeId(id)), steps).tree;
}

/** Builds a node for an insert step: a message or marker whose text is its id, as the last child of a parent. */
export function buildNewNode(
  id: string,
  parent: Pick<Node, 'id' | 'kind' | 'matchParent'>,
  change: Partial<NewNode> & { readonly role?: 'user' | 'assistant' } = {},
): NewNode {
  const { role = 'user', ...rest } = change;
  const message = textMessage(role, id);
  const kind = rest.kind ?? 'message';
  return {
    id: nodeId(id),
    parentId: parent.id,
    position: positionBetween(null, null),
    kind,
    message,
    status: 'success',
    groupId: 0,
    createdAt: 0,
    matchParent: matchParentOfChildren(parent),
    key: kind === 'message' ? testKit.key(message) : null,
    text: testKit.text(message),
    tokens: testKit.tokens(message),
    meta: {},
    marker: null,
    aliases: [],
    ...rest,
  };
}

/**
 * Builds a tree from indented lines. Each line is the id and text of a node; user and assistant alternate by depth.
 * `#x` is a state marker, `x*` the active node (by default the last line), and `x=2` a member of group 2. The tree has
 * version 2.
 */
export function buildTree(drawing: string): Tree {
  const steps: Step[] = [];
  const above: { readonly node: NewNode; last: string | null }[] = [{ node: buildRootNode(testRootId, 0), last: null }];
  let active: string | null = null;
  let starred = false;
  for (const line of drawing.split('\n')) {
    const found = /^( *)(#?)([^=*\s]+)(?:=(\d+))?(\*?)$/.exec(line);
    if (found === null) continue;
    const [, indent = '', marker, id = '', group = '0', star] = found;
    const depth = indent.length / 2;
    const parent = above[depth];
    if (parent === undefined) throw new Error(`The line ${JSON.stringify(line)} has no parent.`);
    above.length = depth + 1;
    const position = positionBetween(parent.last, null);
    parent.last = position;
    const kind: NodeKind = marker === '#' ? 'state' : 'message';
    const role = depth % 2 === 0 ? 'user' : 'assistant';
    const node = buildNewNode(id, parent.node, { position, kind, role, groupId: Number(group) });
    steps.push({ type: 'insert', node });
    above.push({ node, last: null });
    if (!starred) active = id;
    if (star === '*') starred = true;
  }
  if (active !== null) steps.push({ type: 'select', after: nodeId(active), before: null });
  return applyOrThrow(emptyTestTree(), steps).tree;
}
