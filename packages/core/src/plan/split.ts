import { refuse } from '../errors.ts';
import { isCharacterBoundary } from '../graphemes.ts';
import type { NodeId, TreeId } from '../ids.ts';
import { type Block, isText, isTextOnly, type Message, type TextBlock, textOf } from '../message.ts';
import type { NewNode, NodeMeta } from '../node.ts';
import { positionBetween } from '../position.ts';
import { ask, type ReadProgram } from '../reads.ts';
import { omitNullish } from '../rows.ts';
import type { Step } from '../steps/types.ts';
import {
  assertNotPending,
  buildNode,
  claimId,
  newNodeId,
  type PlanContext,
  type Planner,
  requireMessage,
  requireParent,
  toPlan,
} from './context.ts';
import { treePositionOf } from './delete.ts';
import { buildReplaceStep, type EditableNode } from './edit-types.ts';

/** Splits a text message in two. */
export interface SplitCommand {
  readonly type: 'split';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  /** A UTF-16 offset in the joined text, from 1 to its length minus 1. */
  readonly position: number;
  /** The id of the left half, chosen by the client. */
  readonly id?: string;
}

/** The result of a split: the new left half, and the old node, which keeps the right half and all replies. */
export interface SplitResult {
  readonly nodeId: NodeId;
  readonly right: NodeId;
}

/** Splits a user's or an assistant's text. */
export const planSplit: Planner<SplitCommand, SplitResult> = function* (command, context) {
  const node = yield* requireMessage(command.nodeId, 'split');
  const again = yield* findRepeatedSplit(command, context, node);
  if (again !== null) return toPlan([], { nodeId: again, right: node.id });
  const { left, steps } = yield* buildSplitSteps(context, node, command.position, command.id);
  return toPlan(steps, { nodeId: left.id, right: node.id });
};

/** Finds the left half that an earlier try created with the same id. */
function* findRepeatedSplit(
  command: SplitCommand,
  context: PlanContext,
  node: EditableNode,
): ReadProgram<NodeId | null> {
  if (command.id === undefined || node.parentId !== newNodeId(context, command.id)) return null;
  const { id, message, meta } = yield* requireParent(node);
  const same = meta.splitSource === node.id && message !== null && textOf(message).length === command.position;
  return same ? id : null;
}

/**
 * Builds the steps of a split: the left half is inserted at the position of the old node, and the old node becomes its
 * child with the remaining text.
 */
export function* buildSplitSteps(
  context: PlanContext,
  node: EditableNode,
  position: number,
  chosen?: string,
): ReadProgram<{ readonly left: NewNode; readonly steps: readonly Step[] }> {
  checkCut(node, position);
  const id = yield* claimId(context, chosen);
  const parent = yield* requireParent(node);
  const gap = yield* ask('neighbourPositions', { of: node.parentId, position: node.position });
  const [leftMessage, rightMessage] = splitInHalves(node.message, position);
  const left = buildNode(context, parent, positionBetween(gap.before, node.position), {
    id,
    message: leftMessage,
    groupId: node.groupId,
    meta: leftMeta(node),
    createdAt: node.createdAt,
  });
  const { key, matchParent } = node;
  const alias = key === null || matchParent === null ? [] : [{ matchParent, key }];
  const steps: Step[] = [
    { type: 'insert', node: left },
    {
      type: 'move',
      nodeId: node.id,
      to: { parentId: id, position: positionBetween(null, null), groupId: 0, matchParent: id },
      from: treePositionOf(node),
    },
    buildReplaceStep(context, node, { message: rightMessage, aliases: [...node.aliases, ...alias] }),
  ];
  return { left, steps };
}

function checkCut(node: EditableNode, position: number): void {
  const data = { nodeId: node.id, position };
  assertNotPending(node);
  if (node.kind !== 'message' || !isTextOnly(node.message) || (node.role !== 'user' && node.role !== 'assistant'))
    refuse('message/not-splittable', `Only a user's or an assistant's plain text can be split, not ${node.id}.`, data);
  const text = textOf(node.message);
  const no = (why: string) =>
    refuse('message/bad-position', `The text of ${node.id} cannot be split at ${position}: ${why}.`, data);
  if (!Number.isSafeInteger(position) || position < 1 || position > text.length - 1)
    no(`use a position from 1 to ${text.length - 1}`);
  if (!isCharacterBoundary(text, position)) no('that is inside a character');
  if (text.slice(0, position).trim() === '' || text.slice(position).trim() === '') no('a half would be blank');
}

function splitInHalves(message: Message, position: number): readonly [Message, Message] {
  const left: Block[] = [];
  const right: Block[] = [];
  let at = 0;
  for (const block of message.content) {
    if (!isText(block)) continue;
    const cut = Math.min(Math.max(position - at, 0), block.text.length);
    if (cut > 0 || (block.text === '' && at < position)) left.push(textPart(block, 0, cut));
    if (cut < block.text.length || (block.text === '' && at >= position))
      right.push(textPart(block, cut, block.text.length));
    at += block.text.length;
  }
  return [
    { ...message, content: left },
    { ...message, content: right },
  ];
}

function textPart(block: TextBlock, from: number, to: number): TextBlock {
  return from === 0 && to === block.text.length ? block : { ...block, text: block.text.slice(from, to) };
}

function leftMeta(node: EditableNode): NodeMeta {
  const { tags, customData, source } = node.meta;
  return omitNullish<NodeMeta>({ tags, customData, source, splitSource: node.id });
}
