import { refuse } from '../errors.ts';
import type { NodeId, TreeId } from '../ids.ts';
import { isBlank, type Message, textMessage } from '../message.ts';
import type { Node, NodeHead, NodeMeta, NodeStatus } from '../node.ts';
import { positionBetween } from '../position.ts';
import { ask, type ReadProgram } from '../reads.ts';
import { inversePatch } from '../rows.ts';
import type { Step } from '../steps/types.ts';
import {
  assertIdsFree,
  buildNode,
  buildSelectSteps,
  newNodeId,
  nextGroupId,
  type PlanContext,
  type Planner,
  parseNewMessage,
  requireMessage,
  requireNode,
  requireParent,
  requireTree,
  toPlan,
} from './context.ts';
import { throwCycleError } from './delete.ts';
import { buildReplaceStep } from './edit-types.ts';

/** A generated variant: pending while a model generates it, or already complete. */
export interface NewReply {
  readonly id?: string;
  /** The text so far; a pending reply without a message is empty. */
  readonly message?: Message;
  /** The status of the new node; defaults to `pending` without a message, else to `success`. */
  readonly status?: NodeStatus;
  readonly meta?: NodeMeta;
}

/** Adds generated variants below a node. They are never merged with an equal sibling. */
export interface ReplyCommand {
  readonly type: 'reply';
  readonly treeId: TreeId;
  readonly parentId: NodeId;
  readonly replies: readonly NewReply[];
  /** An existing group that the replies join. Several replies always form one group. */
  readonly join?: number;
  readonly select?: boolean;
}

/** Adds generated variants as siblings of the existing replies to a prompt. */
export interface RegenerateCommand {
  readonly type: 'regenerate';
  readonly treeId: TreeId;
  /** The reply to generate again, any node below its prompt, or the prompt itself. */
  readonly nodeId: NodeId;
  readonly replies: readonly NewReply[];
  readonly select?: boolean;
}

/** The replies that a reply or regenerate command added, and their prompt. */
export interface InsertedReplies {
  readonly promptId: NodeId;
  readonly added: readonly NodeId[];
  readonly groupId: number;
}

/** Sets the text and status of a generated variant. */
export interface FinishCommand {
  readonly type: 'finish';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly status: NodeStatus;
  readonly message?: Message;
  readonly meta?: NodeMeta;
}

/** The node of a finish command. `changed` is false if the reply had been finished before. */
export interface FinishResult {
  readonly nodeId: NodeId;
  readonly changed: boolean;
}

/** Inserts replies below a given parent. */
export const planReply: Planner<ReplyCommand, InsertedReplies> = function* (command, context) {
  const parent = yield* requireNode(command.parentId);
  const edge = yield* ask('lastPosition', { of: parent.id });
  const groupId = yield* variantGroup(command, parent.id);
  return yield* replySteps(command, context, parent, edge, groupId, []);
};

function* variantGroup({ join, replies }: ReplyCommand, parentId: NodeId): ReadProgram<number> {
  if (join === undefined) return replies.length > 1 ? yield* nextGroupId(parentId) : 0;
  const members = yield* ask('children', { of: parentId });
  if (join <= 0 || !members.some((child) => child.groupId === join))
    refuse('command/invalid', `There is no group ${join} below ${parentId} to join.`, { nodeId: parentId, join });
  return join;
}

/** Inserts replies below the nearest user message above, in the group of the existing replies. */
export const planRegenerate: Planner<RegenerateCommand, InsertedReplies> = function* (command, context) {
  const { prompt, old } = yield* findPromptOfReply(yield* requireMessage(command.nodeId, 'generated again'));
  const edge = yield* ask('lastPosition', { of: prompt.id });
  const children = yield* ask('children', { of: prompt.id });
  const replies = children.filter((child) => child.role === 'assistant' && child.kind === 'message');
  const grouped =
    replies.find((child) => child.id === old && child.groupId > 0) ?? replies.find((child) => child.groupId > 0);
  const groupId = grouped?.groupId ?? (replies.length + command.replies.length > 1 ? yield* nextGroupId(prompt.id) : 0);
  const filled: Step[] = replies
    .filter((child) => child.groupId === 0 && groupId > 0)
    .map((child) => ({ type: 'regroup', nodeId: child.id, after: groupId, before: 0 }));
  return yield* replySteps(command, context, prompt, edge, groupId, filled);
};

/** Returns the nearest user message at or above a node, and its child on the same path. */
export function* findPromptOfReply(from: Node): ReadProgram<{ readonly prompt: Node; readonly old: NodeId | null }> {
  let node: Node = from;
  let old: NodeId | null = null;
  const passed = new Set<NodeId>();
  for (;;) {
    if (node.role === 'user' && node.kind === 'message') return { prompt: node, old };
    if (node.parentId === null) break;
    if (passed.has(node.id)) throwCycleError(node.id);
    passed.add(node.id);
    old = node.id;
    node = yield* requireParent({ id: node.id, parentId: node.parentId });
  }
  return refuse('command/invalid', `There is no user message above ${from.id} to answer again.`, { nodeId: from.id });
}

function* replySteps(
  command: { readonly replies: readonly NewReply[]; readonly select?: boolean },
  context: PlanContext,
  parent: NodeHead,
  after: string | null,
  groupId: number,
  before: readonly Step[],
) {
  const row = yield* requireTree(context);
  if (command.replies.length === 0) refuse('command/invalid', 'At least one reply is needed.');
  const ids = command.replies.map((item) => newNodeId(context, item.id));
  const chosen = ids.filter((_, index) => command.replies[index]?.id !== undefined);
  const there =
    chosen.length === ids.length ? yield* findRepeatedReplies(context, parent.id, command.replies, ids) : null;
  if (there !== null) return toPlan<InsertedReplies>([], { promptId: parent.id, added: ids, groupId: there });
  yield* assertIdsFree(chosen);
  const steps: Step[] = [...before];
  let position = after;
  for (const [index, id] of ids.entries()) {
    const { message: given, status = given === undefined ? 'pending' : 'success', meta } = command.replies[index] ?? {};
    const message =
      given === undefined ? textMessage('assistant', '') : parseNewMessage(given, `replies[${index}].message`);
    position = positionBetween(position, null);
    if (status === 'success' && isBlank(message))
      refuse('message/blank', `The reply replies[${index}] to ${parent.id} is empty.`, { nodeId: parent.id });
    steps.push({ type: 'insert', node: buildNode(context, parent, position, { id, message, status, groupId, meta }) });
  }
  const last = ids.at(-1);
  if (last !== undefined && (command.select !== false || row.activeNodeId === null))
    steps.push(...buildSelectSteps(row, last));
  return toPlan<InsertedReplies>(steps, { promptId: parent.id, added: ids, groupId });
}

/**
 * Returns the group of the replies that an earlier try created with these ids, or null. These replies may have been
 * finished since.
 */
function* findRepeatedReplies(
  context: PlanContext,
  parentId: NodeId,
  replies: readonly NewReply[],
  ids: readonly NodeId[],
): ReadProgram<number | null> {
  let groupId = 0;
  for (const [index, id] of ids.entries()) {
    const node = yield* ask('node', { id });
    const given = replies[index]?.message;
    if (node === null || node.parentId !== parentId) return null;
    if (given !== undefined && node.key !== context.kit.key(given)) return null;
    groupId = node.groupId;
  }
  return groupId;
}

/**
 * Writes a reply's text and status. A reply that is no longer pending is not changed, so that a late run does not
 * overwrite the text that recovery saved. Status `pending` reopens a reply that was cut short.
 */
export const planFinish: Planner<FinishCommand, FinishResult> = function* (command, context) {
  const node = yield* requireMessage(command.nodeId, 'generated');
  const reopens =
    command.status === 'pending' &&
    (node.status === 'interrupted' || node.status === 'aborted' || node.status === 'error');
  if (node.status !== 'pending' && !reopens) return toPlan<FinishResult>([], { nodeId: node.id, changed: false });
  const message = command.message === undefined ? node.message : parseNewMessage(command.message, 'message');
  if (message.role !== node.role || message.tool_call_id !== node.message.tool_call_id)
    return refuse('message/invalid', `The role of the reply ${node.id} is ${node.role} and cannot change.`, {
      nodeId: node.id,
    });
  if (command.status === 'success' && isBlank(message))
    return refuse('message/blank', `The reply ${node.id} is empty.`, { nodeId: node.id });
  const same = command.status === node.status && JSON.stringify(message) === JSON.stringify(node.message);
  const steps: Step[] = same ? [] : [buildReplaceStep(context, node, { message, status: command.status })];
  const { meta } = command;
  if (meta !== undefined && Object.keys(meta).length > 0)
    steps.push({ type: 'annotate', nodeId: node.id, after: meta, before: inversePatch(node.meta, meta) });
  return toPlan<FinishResult>(steps, { nodeId: node.id, changed: steps.length > 0 });
};
