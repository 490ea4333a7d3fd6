/** Where equal messages are found without looking through children: by what is above them and their equality key. */
import type { Node, NodeId, RowChange, Tree } from '@coppice/core';
import { allNodes, findNode, subtree } from '@coppice/core/tree';

/**
 * Live nodes by match parent and key, and by the aliases that splits leave. Entries are only ever added; one that no
 * longer fits is dropped when it is met, so that a removed subtree costs nothing here.
 */
export class MatchIndex {
  readonly #keys: MatchEntries = new Map();
  readonly #aliases: MatchEntries = new Map();

  /** The index of a tree that was loaded as a whole. */
  static of(tree: Tree): MatchIndex {
    const index = new MatchIndex();
    for (const node of allNodes(tree)) if (node.removedIn === null) index.#add(node);
    return index;
  }

  /** Takes in what a commit changed; the tree is the value after it. */
  take(tree: Tree, changes: readonly RowChange[]): void {
    for (const change of changes) {
      if (change.op === 'added') this.#addLive(tree, change.node.id);
      else if (change.op === 'written') this.#addLive(tree, change.nodeId);
      // A removed row is dropped when it is met: what comes back has to be entered again, and what moved as well.
      else if (change.op === 'restored') for (const node of subtree(tree, change.nodeId)) this.#add(node);
      else if (change.op === 'placed') for (const node of firstChildWith(tree, change.nodeId)) this.#add(node);
    }
  }

  /** The live messages with a key right below what they match under. */
  matching(tree: Tree, matchParent: NodeId, key: string): readonly NodeId[] {
    return matchingNode(this.#keys, matchPlace(matchParent, key), (id) => {
      const node = findNode(tree, id);
      return node !== undefined && node.matchParent === matchParent && node.key === key;
    });
  }

  /** The live nodes that complete a text which was split, oldest first. */
  completing(tree: Tree, matchParent: NodeId, key: string): readonly NodeId[] {
    const found = matchingNode(this.#aliases, matchPlace(matchParent, key), (id) =>
      (findNode(tree, id)?.aliases ?? []).some((alias) => alias.matchParent === matchParent && alias.key === key),
    );
    return [...found].sort((a, b) => (findNode(tree, a)?.seq ?? 0) - (findNode(tree, b)?.seq ?? 0));
  }

  #addLive(tree: Tree, id: NodeId): void {
    const node = findNode(tree, id);
    if (node !== undefined) this.#add(node);
  }

  #add(node: Node): void {
    if (node.key !== null && node.matchParent !== null)
      addEntry(this.#keys, matchPlace(node.matchParent, node.key), node.id);
    for (const alias of node.aliases) addEntry(this.#aliases, matchPlace(alias.matchParent, alias.key), node.id);
  }
}

// Most places hold one node, and a set of its own for each would weigh more than the index.
type MatchEntries = Map<string, NodeId | Set<NodeId>>;

function matchPlace(matchParent: NodeId, key: string): string {
  return `${matchParent} ${key}`;
}

function addEntry(index: MatchEntries, at: string, id: NodeId): void {
  const known = index.get(at);
  if (known === undefined) index.set(at, id);
  else if (known instanceof Set) known.add(id);
  else if (known !== id) index.set(at, new Set([known, id]));
}

function matchingNode(index: MatchEntries, at: string, fits: (id: NodeId) => boolean): readonly NodeId[] {
  const known = index.get(at);
  if (known === undefined) return [];
  const ids = known instanceof Set ? [...known] : [known];
  const left = ids.filter(fits);
  if (left.length === 0) index.delete(at);
  else if (known instanceof Set && left.length < known.size) for (const id of ids) if (!fits(id)) known.delete(id);
  return left;
}

/** A node and, below a marker, the markers and first messages that share its match parent. */
function firstChildWith(tree: Tree, id: NodeId): Node[] {
  const found: Node[] = [];
  const open = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const node = findNode(tree, at);
    if (node === undefined) continue;
    found.push(node);
    if (node.kind !== 'message') for (const child of subtree(tree, at, 1).slice(1)) open.push(child.id);
  }
  return found;
}
