import { continuesParentText } from '../continued-text.ts';
import { refuse } from '../errors.ts';
import type { NodeId } from '../ids.ts';
import { isBlank, type Message, textMessage, textOf } from '../message.ts';
import { ask, type ReadProgram } from '../reads.ts';
import type { Step } from '../steps/types.ts';
import {
  assertNotPending,
  buildNode,
  buildSelectSteps,
  claimId,
  newNodeId,
  nextGroupId,
  type Plan,
  type PlanContext,
  type Planner,
  parseNewMessage,
  positionAfterLast,
  requireMessage,
  requireParent,
  requireTree,
  toPlan,
} from './context.ts';
import { editByPrefix } from './edit-by-prefix.ts';
import { editInPlace } from './edit-in-place.ts';
import { type EditableNode, type EditCommand, type EditResult, moveBookmarkSteps } from './edit-types.ts';

/** Edits a message as a new variant, in place or by longest common prefix. */
export const planEdit: Planner<EditCommand, EditResult> = function* (command, context) {
  const node = yield* requireMessage(command.nodeId, 'edited');
  if (node.role === 'tool')
    return refuse('message/is-tool', `The tool result ${node.id} cannot be edited.`, { nodeId: node.id });
  assertNotPending(node);
  const message = editedMessage(node, command.content);
  // A stale edit becomes a variant, so that it does not overwrite the text of another writer.
  const mode = context.stale ? 'branch' : command.mode;
  if (mode === 'in-place') return yield* editInPlace(command, context, node, message);
  const again = yield* findRepeatedEdit(command, context, node, message);
  if (again !== null) return toPlan([], { nodeId: again, added: [] });
  if (mode === 'prefix') return yield* editByPrefix(command, context, node, message, editAsVariant);
  return yield* editAsVariant(command, context, node, message);
};

function editedMessage(node: EditableNode, given: EditCommand['content']): Message {
  const content = typeof given === 'string' ? textMessage(node.message.role, given).content : given;
  const message =
    Array.isArray(content) && content.length === 0 ? null : parseNewMessage({ role: node.role, content }, 'The edit');
  if (message === null || isBlank(message))
    return refuse('message/blank', `The new text of ${node.id} is empty.`, { nodeId: node.id });
  return message;
}

/** Adds a new variant as a sibling of the node, in the same group. */
function* editAsVariant(
  command: EditCommand,
  context: PlanContext,
  node: EditableNode,
  message: Message,
): ReadProgram<Plan<EditResult>> {
  if (context.kit.key(message) === context.kit.key(node.message)) return toPlan([], { nodeId: node.id, added: [] });
  const row = yield* requireTree(context);
  const id = yield* claimId(context, command.id);
  const position = yield* positionAfterLast(node.parentId);
  const groupId = node.groupId || (yield* nextGroupId(node.parentId));
  const parent = yield* requireParent(node);
  const steps: Step[] = [];
  if (node.groupId === 0) steps.push({ type: 'regroup', nodeId: node.id, after: groupId, before: 0 });
  const { kind, marker } = node;
  const source = { type: 'user' };
  const meta = continuesParentText(node, parent) ? { source, continues: parent.id } : { source };
  const variant = buildNode(context, parent, position, { id, message, kind, groupId, marker, meta });
  steps.push({ type: 'insert', node: variant });
  if (command.select !== false) steps.push(...buildSelectSteps(row, id));
  if (command.moveBookmark === true) steps.push(...(yield* moveBookmarkSteps(node.id, id)));
  return toPlan(steps, { nodeId: id, added: [id] });
}

/**
 * Finds the result of an earlier try with the same id: a variant, or in prefix mode the node that completes the text.
 */
function* findRepeatedEdit(
  command: EditCommand,
  context: PlanContext,
  node: EditableNode,
  message: Message,
): ReadProgram<NodeId | null> {
  if (command.id === undefined) return null;
  const there = yield* ask('node', { id: newNodeId(context, command.id) });
  if (there === null || there.message === null) return null;
  const key = context.kit.key(message);
  // In prefix mode, the left half of a split may be the whole new text, and the old node is its child.
  const beside = there.parentId === node.parentId || (command.mode === 'prefix' && node.parentId === there.id);
  if (beside && context.kit.key(there.message) === key) return there.id;
  const below =
    there.parentId === node.parentId ? yield* requireParent(node) : there.parentId === node.id ? node : null;
  if (command.mode !== 'prefix' || below?.message == null) return null;
  const whole = textMessage(node.message.role, textOf(below.message) + textOf(there.message));
  return context.kit.key(whole) === key ? there.id : null;
}
