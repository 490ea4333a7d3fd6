import { refuse } from '../errors.ts';
import type { NodeId, TreeId } from '../ids.ts';
import { type Block, isText, isTextOnly, type Message, type TextBlock } from '../message.ts';
import type { Node, NodeMeta } from '../node.ts';
import { positionBetween } from '../position.ts';
import { ask, type ReadProgram } from '../reads.ts';
import { inversePatch } from '../rows.ts';
import { isSameJson } from '../same-json.ts';
import type { Patch, Step } from '../steps/types.ts';
import { assertNotPending, buildSelectSteps, type Planner, requireMessage, requireTree, toPlan } from './context.ts';
import { treePositionOf } from './delete.ts';
import { buildReplaceStep, type EditableNode, moveBookmarkSteps } from './edit-types.ts';

/** Joins a message and its only child to one message: the inverse of a split. */
export interface JoinCommand {
  readonly type: 'join';
  readonly treeId: TreeId;
  /** The upper message, which has the first part of the text. */
  readonly nodeId: NodeId;
}

/** The node that remains after a join, and the node that was removed. */
export interface JoinResult {
  /** The message with the whole text: the former child, which keeps its id and its replies. */
  readonly nodeId: NodeId;
  readonly removed: NodeId;
}

/** Joins a user's or an assistant's text with the next message of the same role. */
export const planJoin: Planner<JoinCommand, JoinResult> = function* (command, context) {
  const row = yield* requireTree(context);
  const upper = yield* requireMessage(command.nodeId, 'joined');
  const lower = yield* requireOnlyChild(upper);
  const gap = yield* ask('neighbourPositions', { of: upper.parentId, position: upper.position });
  const upperPosition = treePositionOf(upper);
  const message = joinMessages(upper.message, lower.message);
  const key = context.kit.key(message);
  // A split stored an alias for the whole text. The joined node now has that equality key itself.
  const aliases = lower.aliases.filter((alias) => alias.matchParent !== upperPosition.matchParent || alias.key !== key);
  // The new position is before the old position of the upper message, so that undo finds the old position free.
  const to = { ...upperPosition, position: positionBetween(gap.before, upper.position) };
  const steps: Step[] = [
    { type: 'move', nodeId: lower.id, to, from: treePositionOf(lower) },
    buildReplaceStep(context, lower, { message, aliases }),
    ...annotateSteps(lower, joinMeta(upper.meta, lower.meta)),
    ...(yield* bookmarkSteps(upper.id, lower.id)),
    ...(row.activeNodeId === upper.id ? buildSelectSteps(row, lower.id) : []),
    { type: 'remove', nodeId: upper.id },
  ];
  return toPlan(steps, { nodeId: lower.id, removed: upper.id });
};

/**
 * Returns the child that a message can be joined with. Refuses unless both are plain text with the same role and the
 * message has no other child.
 */
function* requireOnlyChild(upper: EditableNode): ReadProgram<EditableNode> {
  assertNotPending(upper);
  const data = { nodeId: upper.id };
  if (!isJoinable(upper))
    refuse('message/not-joinable', `Only a user's or an assistant's plain text can be joined, not ${upper.id}.`, data);
  const children = yield* ask('children', { of: upper.id });
  const [head] = children;
  if (head === undefined || children.length > 1)
    return refuse(
      'message/not-joinable',
      `The message ${upper.id} has ${children.length} replies; only a message with exactly one can be joined with it.`,
      { ...data, children: children.length },
    );
  assertNotPending(head);
  const lower = yield* requireMessage(head.id, 'joined');
  if (!isJoinable(lower) || lower.role !== upper.role)
    refuse('message/not-joinable', `The message ${lower.id} is not plain text of the same role as ${upper.id}.`, {
      ...data,
      childId: lower.id,
    });
  return lower;
}

function isJoinable(node: EditableNode): boolean {
  return node.kind === 'message' && isTextOnly(node.message) && (node.role === 'user' || node.role === 'assistant');
}

/** Returns the blocks of both messages. The two adjacent text blocks become one if they differ only in their text. */
function joinMessages(upper: Message, lower: Message): Message {
  const left = upper.content;
  const right = lower.content;
  const last = left.at(-1);
  const first = right[0];
  const seam = last !== undefined && first !== undefined ? joinBlocks(last, first) : null;
  const content = seam === null ? [...left, ...right] : [...left.slice(0, -1), seam, ...right.slice(1)];
  return { ...lower, content };
}

function joinBlocks(left: Block, right: Block): TextBlock | null {
  if (!isText(left) || !isText(right)) return null;
  if (!isSameJson({ ...left, text: '' }, { ...right, text: '' })) return null;
  return { ...right, text: left.text + right.text };
}

/**
 * Returns the tags and custom data of both messages. If they contradict each other, the values of the lower message are
 * kept.
 */
function joinMeta(upper: NodeMeta, lower: NodeMeta): Patch<NodeMeta> {
  const tags = [...new Set([...(upper.tags ?? []), ...(lower.tags ?? [])])];
  const customData = { ...upper.customData, ...lower.customData };
  return {
    ...(tags.length === 0 ? {} : { tags }),
    ...(Object.keys(customData).length === 0 ? {} : { customData }),
    ...(lower.title === undefined && upper.title !== undefined ? { title: upper.title } : {}),
  };
}

function annotateSteps(node: Node, after: Patch<NodeMeta>): Step[] {
  const before = inversePatch(node.meta, after);
  return isSameJson(before, after) ? [] : [{ type: 'annotate', nodeId: node.id, after, before }];
}

/** Moves the bookmark of the upper message to the lower one, or removes it if the lower one already has a bookmark. */
function* bookmarkSteps(from: NodeId, to: NodeId): ReadProgram<Step[]> {
  const moved = yield* moveBookmarkSteps(from, to);
  if (moved.length > 0) return moved;
  const before = yield* ask('bookmark', { on: from });
  return before === null ? [] : [{ type: 'bookmark', nodeId: from, after: null, before }];
}
