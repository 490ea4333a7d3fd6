/** Functions that the public services share: they fill in defaults and validate ids and arguments. */
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
import { isFieldMap } from '@coppice/core/decode';
import { newId } from './new-id.ts';

export interface ServiceOptions {
  /** The user that acts are recorded for; undo reverts only that user's acts. By default the store's owner. */
  readonly actor?: string | undefined;
  /** Returns the time in milliseconds since 1970; by default the system's time. */
  readonly now?: (() => number) | undefined;
  readonly newId?: (() => string) | undefined;
  readonly kit?: MessageKit | undefined;
  /** The version that the caller has read. A change of the structure is refused if the tree has changed since. */
  readonly expectedVersion?: number | undefined;
  /** With `branch`, an outdated write that only adds nodes is stored as a sibling branch instead of being refused. */
  readonly onConflict?: 'branch' | undefined;
}

/** Builds the context for core's `run` from the options and their defaults. */
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

/** Creates an act id, for a call that makes several commits. */
export function newActId(context: RunContext): ActId {
  return actId(context.newId());
}

/** Throws unless the value is an integer of at least `least`. */
export function assertCount(what: string, value: number, least = 0): void {
  if (!Number.isSafeInteger(value) || value < least)
    refuse('command/invalid', `A ${what} must be a whole number from ${least}, not ${value}.`, { [what]: value });
}

/**
 * Returns the arguments. Throws unless they are an object, because untyped callers may omit them or pass another type.
 */
export function requireObject<T extends object>(given: T): T {
  return isFieldMap(given) ? given : refuse('command/invalid', 'This call needs an object with its arguments.', {});
}

export interface NodeLocation {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
}

/** Finds a node by its id alone. A tree's id finds its root. Null if the owner has no such node. */
export async function findNodeLocation(store: TreeStore, id: string): Promise<NodeLocation | null> {
  // A database cannot bind a value of another type, which untyped callers may pass.
  if (typeof id !== 'string') return null;
  return store.read(treeId(id), function* () {
    const row = yield* ask('tree', {});
    if (row !== null) return { treeId: row.id, nodeId: row.rootId };
    const home = yield* ask('home', { id: nodeId(id) });
    return home === null ? null : { treeId: home, nodeId: nodeId(id) };
  });
}

/** Like {@link findNodeLocation}, but throws if the node does not exist. */
export async function requireNodeLocation(store: TreeStore, id: string): Promise<NodeLocation> {
  return (
    (await findNodeLocation(store, id)) ?? refuse('tree/unknown-node', `There is no message ${id}.`, { nodeId: id })
  );
}

/** Converts a caller's tree id. A value that is not a string is refused as unknown. */
export function requireTreeId(id: string): TreeId {
  return typeof id === 'string' ? treeId(id) : refuse('tree/unknown-tree', `There is no chat ${id}.`, { treeId: id });
}

/** Converts a caller's node id; see {@link requireTreeId}. */
export function requireNodeId(id: string): NodeId {
  return typeof id === 'string'
    ? nodeId(id)
    : refuse('tree/unknown-node', `There is no message ${id}.`, { nodeId: id });
}
