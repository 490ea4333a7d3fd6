/** When something was changed last on one side of a bridge. */
import type { Commit, NodeId } from '@coppice/core';

/**
 * When something about a node was changed last, after it came into its tree; notes by node and key, the name of the tree
 * under no node at all.
 */
interface Touches {
  readonly presence: Map<string, number>;
  readonly place: Map<string, number>;
  readonly group: Map<string, number>;
  readonly content: Map<string, number>;
  readonly label: Map<string, number>;
  readonly note: Map<string, number>;
}

/** Whether the newest change to something was made on the side that is carried from. */
export type LaterTouches = (what: keyof Touches, key: string) => boolean;

/** What a note about a node goes by. */
export function noteKey(id: string, key: string): string {
  return `${id} ${key}`;
}

/** The times in a log, by the names that the other side has for its nodes. */
export function touchesIn(log: readonly Commit[], name: (id: NodeId) => NodeId): Touches {
  const touches: Touches = {
    presence: new Map(),
    place: new Map(),
    group: new Map(),
    content: new Map(),
    label: new Map(),
    note: new Map(),
  };
  const past = new PastTouches();
  for (const { steps, at, version } of log)
    for (const step of steps) {
      if (step.type === 'remove')
        for (const id of past.remove(step.nodeId, version)) touches.presence.set(name(id), at);
      else if (step.type === 'restore')
        for (const id of past.restore(step.nodeId, step.version)) touches.presence.set(name(id), at);
      else if (step.type === 'insert') {
        past.hang(step.node.id, step.node.parentId);
        if (step.node.groupId > 0) touches.group.set(name(step.node.id), at);
      } else if (step.type === 'move') {
        past.hang(step.nodeId, step.to.parentId);
        touches.place.set(name(step.nodeId), at);
        // Whoever is moved is grouped anew there.
        touches.group.set(name(step.nodeId), at);
      } else if (step.type === 'regroup') touches.group.set(name(step.nodeId), at);
      else if (step.type === 'replace') touches.content.set(name(step.nodeId), at);
      else if (step.type === 'bookmark') touches.label.set(name(step.nodeId), at);
      else if (step.type === 'annotate')
        for (const key of Object.keys(step.after)) touches.note.set(noteKey(name(step.nodeId), key), at);
      else if (step.type === 'attributes')
        for (const key of Object.keys(step.after)) touches.note.set(noteKey('', key), at);
    }
  return touches;
}

/** Where nodes hung when a commit was made: what is removed and brought back takes along what is below it then. */
class PastTouches {
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

  restore(top: NodeId, version: number): NodeId[] {
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
