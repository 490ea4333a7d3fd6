/** Finds equal messages by match parent and equality key, without scanning the children of a node. */
import type { Node, NodeId, RowChange, Tree } from '@coppice/core';
import { allNodes, findNode, subtree } from '@coppice/core/tree';

/**
 * The live nodes by match parent and key, and by the aliases of split texts. Entries are only added; an outdated entry
 * is dropped when it is found, so that removing a subtree costs no time here.
 */
export class MatchIndex {
  readonly #keys: MatchEntries = new Map();
  readonly #aliases: MatchEntries = new Map();

  static of(tree: Tree): MatchIndex {
    const index = new MatchIndex();
    for (const node of allNodes(tree)) if (node.removedIn === null) index.#add(node);
    return index;
  }

  /** Adds the changes of a commit to the index; `tree` is the value after the commit. */
  add(tree: Tree, changes: readonly RowChange[]): void {
    for (const change of changes) {
      if (change.op === 'added') this.#addLive(tree, change.node.id);
      else if (change.op === 'updated') for (const id of change.nodeIds) this.#addLive(tree, id);
      // The entries of removed nodes may have been dropped, so restored nodes are added again.
      else if (change.op === 'marked' && change.to === null)
        for (const node of subtree(tree, change.nodeId)) this.#add(node);
    }
  }

  /** Returns the live messages with a key below a match parent. */
  matching(tree: Tree, matchParent: NodeId, key: string): readonly NodeId[] {
    return matchingNode(this.#keys, matchKey(matchParent, key), (id) => {
      const node = findNode(tree, id);
      return node !== undefined && node.matchParent === matchParent && node.key === key;
    });
  }

  /** Returns the live nodes that complete a split text, oldest first. `key` is the key of the whole text. */
  completing(tree: Tree, matchParent: NodeId, key: string): readonly NodeId[] {
    const found = matchingNode(this.#aliases, matchKey(matchParent, key), (id) =>
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
      addEntry(this.#keys, matchKey(node.matchParent, node.key), node.id);
    for (const alias of node.aliases) addEntry(this.#aliases, matchKey(alias.matchParent, alias.key), node.id);
  }
}

// Most keys have one node, and a set for each key would take more memory than all entries.
type MatchEntries = Map<string, NodeId | Set<NodeId>>;

function matchKey(matchParent: NodeId, key: string): string {
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
