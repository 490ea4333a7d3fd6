/** What the faces of the tree share: who acts, and the clock, ids and message kit that core has none of itself. */
import { messageKit } from '@coppice/content';
import {
  type ActId,
  actId,
  ask,
  type MessageKit,
  type NodeId,
  nodeId,
  type RunContext,
  refuse,
  type TreeId,
  type TreeStore,
  treeId,
} from '@coppice/core';
import { newId } from './new-id.ts';

/** How a face of the tree is opened; every part has a default. */
export interface ServiceOptions {
  /** Who acts: whose acts undo takes back. The store's owner if not given. */
  readonly actor?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
  readonly newId?: (() => string) | undefined;
  readonly kit?: MessageKit | undefined;
  /** The version that the caller has seen; a structural write on a tree that moved on since is refused. */
  readonly expectedVersion?: number | undefined;
  /** Keeps a write that comes too late and only adds, as a sibling. */
  readonly onConflict?: 'branch' | undefined;
}

/** What core is run with on a store. */
export function runContextOf(store: TreeStore, options: ServiceOptions): RunContext {
  return {
    actor: options.actor ?? store.owner,
    now: options.now ?? Date.now,
    newId: options.newId ?? (() => newId()),
    kit: options.kit ?? messageKit,
    ...(options.expectedVersion === undefined ? {} : { expectedVersion: options.expectedVersion }),
    ...(options.onConflict === undefined ? {} : { onConflict: options.onConflict }),
  };
}

/** A fresh act, for a call that takes several commits. */
export function newActId(context: RunContext): ActId {
  return actId(context.newId());
}

/** Refuses what is no whole number from a least one, such as a depth that was read from an address. */
export function checkCount(what: string, value: number, least = 0): void {
  if (!Number.isSafeInteger(value) || value < least)
    refuse('command/invalid', `A ${what} is a whole number from ${least}, not ${value}.`, { [what]: value });
}

/** Arguments that a call takes by name. Callers without types may leave them out, or hand on something else. */
export function requireObject<T extends object>(given: T): T {
  const isNamed = typeof given === 'object' && given !== null && !Array.isArray(given);
  return isNamed ? given : refuse('command/invalid', 'This call takes an object with what it is to do.', {});
}

/** A node and the tree it is in. */
export interface NodePlace {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
}

/** Where a node is, by its id alone; a tree's own id stands for its root. Null where the owner has no such thing. */
export async function findNodePlace(store: TreeStore, id: string): Promise<NodePlace | null> {
  // Callers without types hand on what they have: to a database that would be a parameter it cannot bind.
  if (typeof id !== 'string') return null;
  return store.read(treeId(id), function* () {
    const row = yield* ask('tree', {});
    if (row !== null) return { treeId: row.id, nodeId: row.rootId };
    const home = yield* ask('home', { id: nodeId(id) });
    return home === null ? null : { treeId: home, nodeId: nodeId(id) };
  });
}

/** As {@link findNodePlace}; refused where there is no such node. */
export async function requireNodePlace(store: TreeStore, id: string): Promise<NodePlace> {
  return (await findNodePlace(store, id)) ?? refuse('tree/unknown-node', `There is no node ${id}.`, { nodeId: id });
}

/** A tree's id as it came from outside. Callers without types hand on what they have, which no database can look for. */
export function requireTreeNamed(id: string): TreeId {
  return typeof id === 'string' ? treeId(id) : refuse('tree/unknown-tree', `There is no tree ${id}.`, { treeId: id });
}

/** A node's id as it came from outside; see {@link requireTreeNamed}. */
export function requireNodeNamed(id: string): NodeId {
  return typeof id === 'string' ? nodeId(id) : refuse('tree/unknown-node', `There is no node ${id}.`, { nodeId: id });
}
