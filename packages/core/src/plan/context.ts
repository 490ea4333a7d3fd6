import { refuse, valueOf } from '../errors.ts';
import { type ActId, isUuid, type NodeId, nodeId, type TreeId } from '../ids.ts';
import { checkMessage, type Message, type MessageKit } from '../message.ts';
import {
  type Marker,
  matchParentBelow,
  type NewNode,
  type Node,
  type NodeHead,
  type NodeKind,
  type NodeMeta,
  type NodeStatus,
} from '../node.ts';
import { positionBetween } from '../position.ts';
import { ask, type ReadProgram } from '../reads.ts';
import type { SelectStep, Step } from '../steps/types.ts';
import type { TreeRow } from '../tree.ts';

/** What a planner is given beside its command: no clock and no randomness of its own. */
export interface PlanContext {
  readonly treeId: TreeId;
  readonly now: number;
  readonly newId: () => string;
  readonly kit: MessageKit;
  readonly actor: string;
  /** A commit after the expected version changed structure or content. */
  readonly stale: boolean;
  /** Which ids a client may choose; UUIDs unless a face with ids of its own says otherwise. */
  readonly isId?: ((text: string) => boolean) | undefined;
}

/** What a planner returns: steps to commit, none if nothing changes, and what to tell the caller. */
export interface Plan<R> {
  readonly steps: readonly Step[];
  readonly result: R;
  /** Set by undo and redo: the commit belongs to the act that it takes back or brings back. */
  readonly reverses?: { readonly kind: 'undo' | 'redo'; readonly actId: ActId };
}

/** A planner: yields the reads it needs, returns steps, throws a refusal. */
export type Planner<C, R> = (command: C, context: PlanContext) => ReadProgram<Plan<R>>;

/** The tree that is planned on; refused if there is none. */
export function* requireTree(context: PlanContext): ReadProgram<TreeRow> {
  const row = yield* ask('tree', {});
  return row ?? refuse('tree/unknown-tree', `There is no tree ${context.treeId}.`, { treeId: context.treeId });
}

/** A live node of the tree; refused if it is unknown, and told apart if it lives in another tree of the same owner. */
export function* requireNode(id: NodeId, treeId?: TreeId): ReadProgram<Node> {
  const named = isGivenId(id);
  const node = named ? yield* ask('node', { id, treeId }) : null;
  if (node !== null) return node;
  const home = named ? yield* ask('home', { id }) : null;
  if (home !== null && home !== treeId)
    return refuse('tree/foreign-parent', `The node ${id} belongs to the tree ${home}.`, { nodeId: id, treeId: home });
  return refuse('tree/unknown-node', `There is no node ${String(id)}.`, { nodeId: id });
}

/** Whether there is an id at all: callers without types hand on what they have, which no store could look up. */
function isGivenId(id: unknown): id is NodeId {
  return typeof id === 'string';
}

/** A live node of the tree without what it says; refused as {@link requireNode} refuses. */
export function* requireHead(id: NodeId): ReadProgram<NodeHead> {
  return (isGivenId(id) ? yield* ask('head', { id }) : null) ?? (yield* requireNode(id));
}

/** A live node that is not the root. */
export function* requireMessage(
  id: NodeId,
  verb: string,
  treeId?: TreeId,
): ReadProgram<Node & { readonly message: Message; readonly parentId: NodeId }> {
  const node = yield* requireNode(id, treeId);
  const { message, parentId } = node;
  if (message === null || parentId === null)
    return refuse('tree/root-protected', `The root cannot be ${verb}.`, { nodeId: id });
  return { ...node, message, parentId };
}

/** The parent of a node that has one; refused if the store lost it. */
export function* requireParent(node: { readonly id: NodeId; readonly parentId: NodeId }): ReadProgram<Node> {
  const parent = yield* ask('node', { id: node.parentId });
  return (
    parent ??
    refuse('tree/broken-path', `The node ${node.id} hangs on ${node.parentId}, which is missing.`, {
      nodeId: node.parentId,
    })
  );
}

/** Refuses a node that a generation is still writing. */
export function assertNotPending(node: NodeHead): void {
  if (node.status === 'pending') refusePendingNode([node.id]);
}

/** Refuses what would touch replies that are still being written. */
export function refusePendingNode(nodeIds: readonly NodeId[]): void {
  const [nodeId] = nodeIds;
  if (nodeId !== undefined)
    refuse('tree/pending', `A reply is still being written into ${nodeId}: stop it first.`, { nodeId, nodeIds });
}

/**
 * The id of a new node: the client's choice, checked, or a fresh one. The tree's own id is taken: where a node is looked for
 * by its id alone, that one stands for the root.
 */
export function newNodeId(context: PlanContext, chosen: string | undefined): NodeId {
  const id = generateId(context, chosen);
  if (chosen !== undefined && chosen === context.treeId)
    refuse('id/taken', `The id ${id} is the tree's own, which stands for its root.`, { nodeId: id });
  return id;
}

/** The id of a root, which may be its tree's. That one was chosen as well, and is checked here. */
export function newRootId(context: PlanContext, chosen: string | undefined): NodeId {
  generateId(context, context.treeId);
  return generateId(context, chosen);
}

function generateId(context: PlanContext, chosen: string | undefined): NodeId {
  if (chosen === undefined) return nodeId(context.newId());
  const fits = context.isId ?? isUuid;
  if (!fits(chosen))
    refuse('id/invalid', `An id is a UUID in lower case, not ${JSON.stringify(String(chosen).slice(0, 64))}.`, {
      nodeId: chosen,
    });
  return nodeId(chosen);
}

/** Which of the ids that a client chose are taken already, by whatever tree. Refuses an id chosen twice. */
export function* findTakenIds(ids: readonly NodeId[]): ReadProgram<ReadonlySet<string>> {
  if (new Set(ids).size < ids.length) refuse('id/taken', 'The same id was chosen twice.', { ids });
  return new Set<string>(ids.length === 0 ? [] : yield* ask('taken', { ids }));
}

/** The id of a new node as {@link newNodeId} gives it; refused where the client chose one that is taken. */
export function* claimId(context: PlanContext, chosen: string | undefined): ReadProgram<NodeId> {
  const id = newNodeId(context, chosen);
  if (chosen !== undefined) yield* assertFree([id]);
  return id;
}

/** The place behind all children of a node. */
export function* positionAfterLast(of: NodeId): ReadProgram<string> {
  return positionBetween(yield* ask('lastPosition', { of }), null);
}

/** A group number that no child of a node has had. */
export function* nextGroupId(of: NodeId): ReadProgram<number> {
  return (yield* ask('groupMax', { of })) + 1;
}

/** Refuses ids that are taken already. */
export function* assertFree(ids: readonly NodeId[]): ReadProgram<void> {
  const taken = yield* findTakenIds(ids);
  for (const id of ids) if (taken.has(id)) refuseTakenId(id);
}

/** Refuses an id that stands for something else. */
export function refuseTakenId(id: NodeId): never {
  return refuse('id/taken', `The id ${id} is taken by another node.`, { nodeId: id });
}

/** A message from a command, checked; the refusal names it by `where`. */
export function parseNewMessage(value: unknown, where: string): Message {
  return valueOf(checkMessage(value, where));
}

/** What a new node is made of, beyond its place. */
export interface NodeFields {
  readonly id: NodeId;
  readonly message: Message;
  readonly kind?: NodeKind | undefined;
  readonly status?: NodeStatus | undefined;
  readonly groupId?: number | undefined;
  readonly meta?: NodeMeta | undefined;
  readonly marker?: Marker | null | undefined;
  readonly createdAt?: number | undefined;
  /** The equality key, where the planner has computed it already. */
  readonly key?: string | undefined;
}

/** A place that a new node can grow from: what it must know of its parent. */
export type ParentInfo = Pick<NodeHead, 'id' | 'kind' | 'matchParent' | 'createdAt'>;

/**
 * A new node below a parent. The clock may run backwards, displayed times along a path do not; a time that was given
 * is kept, for what is imported is older than the tree that it comes into.
 */
export function buildNode(context: PlanContext, parent: ParentInfo, position: string, growth: NodeFields): NewNode {
  const { message, kind = 'message' } = growth;
  return {
    id: growth.id,
    parentId: parent.id,
    position,
    kind,
    message,
    status: growth.status ?? 'success',
    groupId: growth.groupId ?? 0,
    createdAt: growth.createdAt ?? Math.max(context.now, parent.createdAt),
    matchParent: matchParentBelow(parent),
    key: kind === 'message' ? (growth.key ?? context.kit.key(message)) : null,
    text: context.kit.text(message),
    tokens: context.kit.tokens(message),
    meta: growth.meta ?? {},
    marker: growth.marker ?? null,
    aliases: [],
  };
}

/** Moves the pointer, if it moves at all. */
export function selectSteps(row: Pick<TreeRow, 'activeNodeId'>, after: NodeId | null): SelectStep[] {
  return row.activeNodeId === after ? [] : [{ type: 'select', after, before: row.activeNodeId }];
}

/** Steps and what to tell the caller. */
export function toPlan<R>(steps: readonly Step[], result: R): Plan<R> {
  return { steps, result };
}
