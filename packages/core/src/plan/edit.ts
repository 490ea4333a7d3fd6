import { continuesParent } from '../continued-text.ts';
import { refuse } from '../errors.ts';
import type { NodeId } from '../ids.ts';
import { isBlank, type Message, textMessage, textOf } from '../message.ts';
import { ask, type Reading } from '../reads.ts';
import type { Step } from '../steps/types.ts';
import {
  freeId,
  freshGroup,
  grow,
  idFor,
  lastPlace,
  messageOf,
  type Plan,
  type PlanContext,
  type Planner,
  plan,
  pointing,
  settled,
  theMessage,
  theParent,
  theTree,
} from './context.ts';
import { editByPrefix } from './edit-by-prefix.ts';
import { inPlace } from './edit-in-place.ts';
import { carriedBookmark, type Editable, type EditCommand, type Edited } from './editing.ts';

/** Edits a message by branch, in place or by longest common prefix. */
export const edit: Planner<EditCommand, Edited> = function* (command, context) {
  const node = yield* theMessage(command.nodeId, 'edited');
  if (node.role === 'tool')
    return refuse('message/is-tool', `The tool result ${node.id} cannot be edited.`, { nodeId: node.id });
  settled(node);
  const message = editedMessage(node, command.content);
  // Kept beside the other writer's text where overwriting it was asked for: nobody's words are lost.
  const mode = context.stale ? 'branch' : command.mode;
  if (mode === 'in-place') return yield* inPlace(command, context, node, message);
  const again = yield* sameAgain(command, context, node, message);
  if (again !== null) return plan([], { nodeId: again, added: [] });
  if (mode === 'prefix') return yield* editByPrefix(command, context, node, message, asVariant);
  return yield* asVariant(command, context, node, message);
};

function editedMessage(node: Editable, given: EditCommand['content']): Message {
  const content = typeof given === 'string' ? textMessage(node.message.role, given).content : given;
  const message =
    Array.isArray(content) && content.length === 0 ? null : messageOf({ role: node.role, content }, 'The edit');
  if (message === null || isBlank(message))
    return refuse('message/blank', `The edit of ${node.id} says nothing.`, { nodeId: node.id });
  return message;
}

/** A new variant beside the node, in one group with it. */
function* asVariant(
  command: EditCommand,
  context: PlanContext,
  node: Editable,
  message: Message,
): Reading<Plan<Edited>> {
  if (context.kit.key(message) === context.kit.key(node.message)) return plan([], { nodeId: node.id, added: [] });
  const row = yield* theTree(context);
  const id = yield* freeId(context, command.id);
  const position = yield* lastPlace(node.parentId);
  const groupId = node.groupId || (yield* freshGroup(node.parentId));
  const parent = yield* theParent(node);
  const steps: Step[] = [];
  if (node.groupId === 0) steps.push({ type: 'regroup', nodeId: node.id, after: groupId, before: 0 });
  const { kind, marker } = node;
  const source = { type: 'user' };
  const meta = continuesParent(node, parent) ? { source, continues: parent.id } : { source };
  const variant = grow(context, parent, position, { id, message, kind, groupId, marker, meta });
  steps.push({ type: 'insert', node: variant });
  if (command.select !== false) steps.push(...pointing(row, id));
  if (command.moveBookmark === true) steps.push(...(yield* carriedBookmark(node.id, id)));
  return plan(steps, { nodeId: id, added: [id] });
}

/** A retry with the id it chose before finds what it made: a variant, or by prefix the piece that completes the text. */
function* sameAgain(
  command: EditCommand,
  context: PlanContext,
  node: Editable,
  message: Message,
): Reading<NodeId | null> {
  if (command.id === undefined) return null;
  const there = yield* ask('node', { id: idFor(context, command.id) });
  if (there === null || there.message === null) return null;
  const key = context.kit.key(message);
  // By prefix, the left half of a split holds the whole new text and has the old node below it.
  const beside = there.parentId === node.parentId || (command.mode === 'prefix' && node.parentId === there.id);
  if (beside && context.kit.key(there.message) === key) return there.id;
  const below = there.parentId === node.parentId ? yield* theParent(node) : there.parentId === node.id ? node : null;
  if (command.mode !== 'prefix' || below?.message == null) return null;
  const whole = textMessage(node.message.role, textOf(below.message) + textOf(there.message));
  return context.kit.key(whole) === key ? there.id : null;
}
