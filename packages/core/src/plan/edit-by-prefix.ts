import { commonPrefixLength, lastSharedBoundary } from '../graphemes.ts';
import { isTextOnly, type Message, textMessage, textOf } from '../message.ts';
import { positionBetween } from '../position.ts';
import { ask, type ReadProgram } from '../reads.ts';
import type { Step } from '../steps/types.ts';
import {
  buildNode,
  buildSelectSteps,
  claimId,
  type ParentInfo,
  type Plan,
  type PlanContext,
  requireTree,
  toPlan,
} from './context.ts';
import { editInPlace } from './edit-in-place.ts';
import { type EditableNode, type EditCommand, type EditResult, moveBookmarkSteps } from './edit-types.ts';
import { buildSplitSteps } from './split.ts';

type Variant = (
  command: EditCommand,
  context: PlanContext,
  node: EditableNode,
  message: Message,
) => ReadProgram<Plan<EditResult>>;

/**
 * Edits a message like Forest: the common prefix stays one node, and only the difference becomes a branch. A leaf is
 * edited in place. If no cut leaves two non-blank halves, the edit becomes a variant.
 */
export function* editByPrefix(
  command: EditCommand,
  context: PlanContext,
  node: EditableNode,
  message: Message,
  asVariant: Variant,
): ReadProgram<Plan<EditResult>> {
  if (!isTextOnly(node.message) || !isTextOnly(message)) return yield* asVariant(command, context, node, message);
  const replies = yield* ask('children', { of: node.id });
  if (replies.length === 0) return yield* editInPlace(command, context, node, message);
  const old = textOf(node.message);
  const text = textOf(message);
  if (old.trim() === text.trim()) return toPlan([], { nodeId: node.id, added: [] });
  const cuttable = node.kind === 'message' && (node.role === 'user' || node.role === 'assistant');
  const cut = cuttable ? findCutOffset(old, text) : 0;
  if (cut === 0) return yield* asVariant(command, context, node, message);
  const suffix = text.slice(cut);
  if (cut === old.length) return yield* withSuffix(command, context, node, node, suffix, []);
  const { left, steps } = yield* buildSplitSteps(context, node, cut, suffix === '' ? command.id : undefined);
  if (suffix !== '') return yield* withSuffix(command, context, node, left, suffix, steps);
  return yield* buildEditPlan(command, context, node, steps, left.id, [left.id]);
}

/**
 * Returns the number of UTF-16 code units of the old text that are kept: the common prefix, shortened until neither the
 * kept part nor a remainder is blank. Returns 0 if no cut fulfils this.
 */
function findCutOffset(old: string, text: string): number {
  const first = old.search(/\S/);
  const last = { old: old.trimEnd().length - 1, text: text.trimEnd().length - 1 };
  const fits = (cut: number) =>
    first !== -1 && cut > first && (cut === old.length || cut <= last.old) && (cut === text.length || cut <= last.text);
  const shared = commonPrefixLength(old, text);
  if (fits(shared)) return shared;
  const cut = lastSharedBoundary(old, text, Math.min(shared, last.old, last.text));
  return fits(cut) ? cut : 0;
}

function* withSuffix(
  command: EditCommand,
  context: PlanContext,
  node: EditableNode,
  parentInfo: ParentInfo,
  suffix: string,
  before: readonly Step[],
): ReadProgram<Plan<EditResult>> {
  const tail = textMessage(node.message.role, suffix);
  if (parentInfo.id === node.id) {
    const { nodes } = yield* ask('match', { from: node.id, keys: [context.kit.key(tail)] });
    const [there] = nodes;
    if (there !== undefined) return yield* buildEditPlan(command, context, node, before, there, []);
  }
  const id = yield* claimId(context, command.id);
  // Below a new left half, the old right half is the first child. Below the node itself, its replies are the first
  // children.
  const last = parentInfo.id === node.id ? yield* ask('lastPosition', { of: node.id }) : positionBetween(null, null);
  const grown = buildNode(context, parentInfo, positionBetween(last, null), {
    id,
    message: tail,
    meta: { source: { type: 'user' }, continues: parentInfo.id },
  });
  const added = parentInfo.id === node.id ? [id] : [parentInfo.id, id];
  return yield* buildEditPlan(command, context, node, [...before, { type: 'insert', node: grown }], id, added);
}

function* buildEditPlan(
  command: EditCommand,
  context: PlanContext,
  node: EditableNode,
  steps: readonly Step[],
  result: EditableNode['id'],
  added: EditResult['added'],
): ReadProgram<Plan<EditResult>> {
  const row = yield* requireTree(context);
  const marks = command.moveBookmark === true ? yield* moveBookmarkSteps(node.id, result) : [];
  const moves = command.select === false ? [] : buildSelectSteps(row, result);
  return toPlan([...steps, ...moves, ...marks], { nodeId: result, added });
}
