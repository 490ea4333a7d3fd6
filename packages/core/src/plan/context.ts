import { refuse, unwrapResult } from '../errors.ts';
import { type ActId, isUuid, type NodeId, nodeId, type TreeId } from '../ids.ts';
import { checkMessage, type Message, type MessageKit } from '../message.ts';
import {
  type Marker,
  matchParentOfChildren,
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

/**
 * The inputs of a planner besides its command. Clock and id generator are passed in, so that planners stay
 * deterministic.
 */
export interface PlanContext {
  readonly treeId: TreeId;
  readonly now: number;
  readonly newId: () => string;
  readonly kit: MessageKit;
  readonly actor: string;
  /** Whether a commit after the expected version changed structure or content. */
  readonly stale: boolean;
  /** Whether a client may choose this id; by default UUIDs. An adapter with other ids passes its own check. */
  readonly isId?: ((text: string) => boolean) | undefined;
}

/** The result of a planner: the steps to commit (none if nothing changes) and the result for the caller. */
export interface Plan<R> {
  readonly steps: readonly Step[];
  readonly result: R;
  /** Set by undo and redo: the act that this commit undoes or redoes. */
  readonly reverses?: { readonly kind: 'undo' | 'redo'; readonly actId: ActId };
}

/** A planner yields reads, returns steps, and throws refusals. */
export type Planner<C, R> = (command: C, context: PlanContext) => ReadProgram<Plan<R>>;

/** Returns the tree of the command; throws if the tree does not exist. */
export function* requireTree(context: PlanContext): ReadProgram<TreeRow> {
  const row = yield* ask('tree', {});
  return row ?? refuse('tree/unknown-tree', `There is no chat ${context.treeId}.`, { treeId: context.treeId });
}

/**
 * Returns a live node; throws if the node is unknown. A node in another tree of the same owner has a separate error
 * code.
 */
export function* requireNode(id: NodeId, treeId?: TreeId): ReadProgram<Node> {
  const named = isGivenId(id);
  const node = named ? yield* ask('node', { id, treeId }) : null;
  if (node !== null) return node;
  const home = named ? yield* ask('home', { id }) : null;
  if (home !== null && home !== treeId)
    return refuse('tree/foreign-parent', `The message ${id} belongs to another chat, ${home}.`, {
      nodeId: id,
      treeId: home,
    });
  return refuse('tree/unknown-node', `There is no message ${String(id)}.`, { nodeId: id });
}

/** Guards against untyped callers that pass a value other than a text, which a store cannot look up. */
function isGivenId(id: unknown): id is NodeId {
  return typeof id === 'string';
}

/** Returns a live node without its content; throws like {@link requireNode}. */
export function* requireHead(id: NodeId): ReadProgram<NodeHead> {
  return (isGivenId(id) ? yield* ask('head', { id }) : null) ?? (yield* requireNode(id));
}

/**
 * Returns a live node that is not the root; throws for the root. `verb` completes the message, as in `The
 * beginning of a chat cannot be moved: choose a message.`
 */
export function* requireMessage(
  id: NodeId,
  verb: string,
  treeId?: TreeId,
): ReadProgram<Node & { readonly message: Message; readonly parentId: NodeId }> {
  const node = yield* requireNode(id, treeId);
  const { message, parentId } = node;
  if (message === null || parentId === null)
    return refuse('tree/root-protected', `The beginning of a chat cannot be ${verb}: choose a message.`, {
      nodeId: id,
    });
  return { ...node, message, parentId };
}

/** Returns the parent of a node; throws if the parent is missing in the store. */
export function* requireParent(node: { readonly id: NodeId; readonly parentId: NodeId }): ReadProgram<Node> {
  const parent = yield* ask('node', { id: node.parentId });
  return (
    parent ??
    refuse('tree/broken-path', `The parent ${node.parentId} of ${node.id} is missing.`, {
      nodeId: node.parentId,
    })
  );
}

/** Throws if a reply is still being generated into the node. */
export function assertNotPending(node: NodeHead): void {
  if (node.status === 'pending') refusePendingReplies([node.id]);
}

/** Throws for the first of these pending replies; does nothing for an empty list. */
export function refusePendingReplies(nodeIds: readonly NodeId[]): void {
  const [nodeId] = nodeIds;
  if (nodeId !== undefined)
    refuse('tree/pending', `A reply is still being written into ${nodeId}: stop it first.`, { nodeId, nodeIds });
}

/**
 * Returns the id of a new node: the client's choice, validated, or a generated id. The tree's own id is refused,
 * because lookups by id alone use it for the root.
 */
export function newNodeId(context: PlanContext, chosen: string | undefined): NodeId {
  const id = generateId(context, chosen);
  if (chosen !== undefined && chosen === context.treeId)
    refuse('id/taken', `The id ${id} is the id of the chat itself.`, { nodeId: id });
  return id;
}

/**
 * Returns the id of a root, which may equal the tree id. The client chose the tree id too, so this function validates
 * it.
 */
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

/** Returns those of the chosen ids that any tree already uses. Throws if an id was chosen twice. */
export function* findTakenIds(ids: readonly NodeId[]): ReadProgram<ReadonlySet<string>> {
  if (new Set(ids).size < ids.length) refuse('id/taken', 'The same id was chosen twice.', { ids });
  return new Set<string>(ids.length === 0 ? [] : yield* ask('taken', { ids }));
}

/** Returns the id of a new node like {@link newNodeId}; throws if a chosen id is taken. */
export function* claimId(context: PlanContext, chosen: string | undefined): ReadProgram<NodeId> {
  const id = newNodeId(context, chosen);
  if (chosen !== undefined) yield* assertIdsFree([id]);
  return id;
}

/** Returns a position after all children of a node, removed children included. */
export function* positionAfterLast(of: NodeId): ReadProgram<string> {
  return positionBetween(yield* ask('lastPosition', { of }), null);
}

/** Returns a group number that no child of the node ever had. */
export function* nextGroupId(of: NodeId): ReadProgram<number> {
  return (yield* ask('groupMax', { of })) + 1;
}

/** Throws if any tree already uses one of the ids. */
export function* assertIdsFree(ids: readonly NodeId[]): ReadProgram<void> {
  const taken = yield* findTakenIds(ids);
  for (const id of ids) if (taken.has(id)) throwIdTaken(id);
}

export function throwIdTaken(id: NodeId): never {
  return refuse('id/taken', `The id ${id} is taken by another node.`, { nodeId: id });
}

/** Validates a message of a command. `where` names the message in a refusal. */
export function parseNewMessage(value: unknown, where: string): Message {
  return unwrapResult(checkMessage(value, where));
}

/** The fields of a new node, except parent and position. */
export interface NodeFields {
  readonly id: NodeId;
  readonly message: Message;
  readonly kind?: NodeKind | undefined;
  readonly status?: NodeStatus | undefined;
  readonly groupId?: number | undefined;
  readonly meta?: NodeMeta | undefined;
  readonly marker?: Marker | null | undefined;
  readonly createdAt?: number | undefined;
  /** The equality key, if the planner has computed it already. */
  readonly key?: string | undefined;
}

/** The fields of a parent that are needed to build a child. */
export type ParentInfo = Pick<NodeHead, 'id' | 'kind' | 'matchParent' | 'createdAt'>;

/**
 * Builds a new node below a parent. Generated times never decrease along a path, even if the clock is set back. Given
 * times are kept, because imported messages are older than the tree.
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
    matchParent: matchParentOfChildren(parent),
    key: kind === 'message' ? (growth.key ?? context.kit.key(message)) : null,
    text: context.kit.text(message),
    tokens: context.kit.tokens(message),
    meta: growth.meta ?? {},
    marker: growth.marker ?? null,
    aliases: [],
  };
}

/** Returns the step that moves the active node; no step if the active node stays the same. */
export function buildSelectSteps(row: Pick<TreeRow, 'activeNodeId'>, after: NodeId | null): SelectStep[] {
  return row.activeNodeId === after ? [] : [{ type: 'select', after, before: row.activeNodeId }];
}

export function toPlan<R>(steps: readonly Step[], result: R): Plan<R> {
  return { steps, result };
}
