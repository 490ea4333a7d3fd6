/** Computes when nodes, metadata and labels were last changed on one side of a synchronisation. */
import type { Commit, NodeId } from '@coppice/core';
import { rowChanges } from '@coppice/core/tree';

/**
 * The times of the last changes by node id, not counting the insertion of the node. Metadata has the keys of {@link
 * makeMetadataKey}; the tree's title has the empty id.
 */
interface ChangeTimes {
  readonly presence: Map<string, number>;
  readonly place: Map<string, number>;
  readonly group: Map<string, number>;
  readonly content: Map<string, number>;
  readonly label: Map<string, number>;
  readonly note: Map<string, number>;
}

/** Returns whether the source side made the newest change of a node, a label or a metadata field. */
export type IsNewerAtSource = (what: keyof ChangeTimes, key: string) => boolean;

/** Returns the key of a node's metadata field in {@link ChangeTimes}. */
export function makeMetadataKey(id: string, key: string): string {
  return `${id} ${key}`;
}

/** Reads the times of the last changes from a log. `name` maps a node id to the id on the other side. */
export function readChangeTimes(log: readonly Commit[], name: (id: NodeId) => NodeId): ChangeTimes {
  const touches: ChangeTimes = {
    presence: new Map(),
    place: new Map(),
    group: new Map(),
    content: new Map(),
    label: new Map(),
    note: new Map(),
  };
  const past = new PastParents();
  for (const commit of log) {
    const { at } = commit;
    for (const change of rowChanges(commit.steps, commit)) {
      if (change.op === 'added') {
        past.hang(change.node.id, change.node.parentId);
        if (change.node.groupId > 0) touches.group.set(name(change.node.id), at);
      } else if (change.op === 'marked') {
        const ids =
          change.to === null ? past.restore(change.nodeId, change.from) : past.remove(change.nodeId, change.to);
        for (const id of ids) touches.presence.set(name(id), at);
      } else if (change.op === 'bookmarked') touches.label.set(name(change.nodeId), at);
      else if (change.op === 'tree')
        for (const key of Object.keys(change.attributes ?? {})) touches.note.set(makeMetadataKey('', key), at);
      else
        for (const id of change.nodeIds) {
          const { parentId, groupId, contentIn } = change.set;
          if (parentId != null) {
            past.hang(id, parentId);
            touches.place.set(name(id), at);
          }
          if (groupId !== undefined) touches.group.set(name(id), at);
          if (contentIn !== undefined) touches.content.set(name(id), at);
          for (const key of Object.keys(change.meta ?? {})) touches.note.set(makeMetadataKey(name(id), key), at);
        }
    }
  }
  return touches;
}

/**
 * Tracks parents while the log is replayed, because removing or restoring a node affects the descendants that it had at
 * that time.
 */
class PastParents {
  readonly #above = new Map<NodeId, NodeId>();
  readonly #below = new Map<NodeId, Set<NodeId>>();
  readonly #removed = new Map<NodeId, number>();

  hang(id: NodeId, parentId: NodeId | null): void {
    const before = this.#above.get(id);
    if (before !== undefined) this.#below.get(before)?.delete(id);
    if (parentId === null) return;
    this.#above.set(id, parentId);
    const siblings = this.#below.get(parentId);
    if (siblings === undefined) this.#below.set(parentId, new Set([id]));
    else siblings.add(id);
  }

  remove(top: NodeId, version: number): NodeId[] {
    const gone = this.#from(top, (id) => !this.#removed.has(id));
    for (const id of gone) this.#removed.set(id, version);
    return gone;
  }

  restore(top: NodeId, version: number | null): NodeId[] {
    const back = this.#from(top, (id) => this.#removed.get(id) === version);
    for (const id of back) this.#removed.delete(id);
    return back;
  }

  #from(top: NodeId, isIn: (id: NodeId) => boolean): NodeId[] {
    const found = [top];
    for (let at = 0; at < found.length; at++)
      for (const id of this.#below.get(found[at] ?? top) ?? []) if (isIn(id)) found.push(id);
    return found;
  }
}
