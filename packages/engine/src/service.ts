/** Helpers that the public services share: the actor, the clock, ids and the message kit for core. */
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

/** Options of a service; each has a default. */
export interface ServiceOptions {
  /** The actor, whose acts undo reverts. By default the store's owner. */
  readonly actor?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
  readonly newId?: (() => string) | undefined;
  readonly kit?: MessageKit | undefined;
  /** The version that the caller has read; a structural write to a tree that changed since is refused. */
  readonly expectedVersion?: number | undefined;
  /** Whether a stale write that only adds nodes is kept, as a sibling. */
  readonly onConflict?: 'branch' | undefined;
}

/** The context for core's `run`. */
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

/** Creates the id of a new act, for a call with several commits. */
export function newActId(context: RunContext): ActId {
  return actId(context.newId());
}

/** Throws unless the value is an integer of at least `least`. */
export function assertCount(what: string, value: number, least = 0): void {
  if (!Number.isSafeInteger(value) || value < least)
    refuse('command/invalid', `A ${what} must be a whole number from ${least}, not ${value}.`, { [what]: value });
}

/** Throws unless the arguments are an object; untyped callers may omit them or pass another type. */
export function requireObject<T extends object>(given: T): T {
  const isNamed = typeof given === 'object' && given !== null && !Array.isArray(given);
  return isNamed ? given : refuse('command/invalid', 'This call needs an object with its arguments.', {});
}

export interface NodeLocation {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
}

/** Finds a node by its id alone; a tree's id stands for its root. Null if the owner has no such node. */
export async function findNodeLocation(store: TreeStore, id: string): Promise<NodeLocation | null> {
  // Untyped callers may pass any value, which a database could not bind.
  if (typeof id !== 'string') return null;
  return store.read(treeId(id), function* () {
    const row = yield* ask('tree', {});
    if (row !== null) return { treeId: row.id, nodeId: row.rootId };
    const home = yield* ask('home', { id: nodeId(id) });
    return home === null ? null : { treeId: home, nodeId: nodeId(id) };
  });
}

/** Like {@link findNodeLocation}, but throws if there is no such node. */
export async function requireNodeLocation(store: TreeStore, id: string): Promise<NodeLocation> {
  return (await findNodeLocation(store, id)) ?? refuse('tree/unknown-node', `There is no node ${id}.`, { nodeId: id });
}

/** Converts the tree id of a caller. A value that is not a string cannot be looked up and is refused as unknown. */
export function requireTreeId(id: string): TreeId {
  return typeof id === 'string' ? treeId(id) : refuse('tree/unknown-tree', `There is no tree ${id}.`, { treeId: id });
}

/** Converts the node id of a caller; see {@link requireTreeId}. */
export function requireNodeId(id: string): NodeId {
  return typeof id === 'string' ? nodeId(id) : refuse('tree/unknown-node', `There is no node ${id}.`, { nodeId: id });
}
