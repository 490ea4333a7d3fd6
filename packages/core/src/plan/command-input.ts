/**
 * Validates commands from outside. Values that the types forbid, unknown fields included, are refused with the name of
 * the field before a planner runs; short forms of messages are expanded. Planners themselves check messages, metadata
 * and ids that a client chose.
 */
import {
  anyValue,
  assertExactFields,
  decodeWithin,
  describeValue,
  eachItem,
  exactFields,
  type FieldMap,
  type FieldReader,
  finite,
  flag,
  isFieldMap,
  list,
  Malformed,
  nullOr,
  object,
  oneOf,
  optionalField,
  optionalOrNull,
  ownField,
  refuseMalformed,
  requiredText,
  throwMalformed,
} from '../decode.ts';
import { refuse } from '../errors.ts';
import { type MessageInput, type Role, toMessage } from '../message.ts';
import { type NodeMeta, nodeStatuses } from '../node.ts';
import type { ImportNode } from './import.ts';
import type { Command, CommandOf, CommandType } from './index.ts';
import type { NewReply } from './reply.ts';

/** A message to be added, as plain text, as a message or with its fields around it. */
export type NewMessageInput =
  | string
  | {
      readonly message: MessageInput;
      readonly id?: string;
      readonly meta?: NodeMeta;
      readonly createdAt?: number;
    }
  | (Exclude<MessageInput, string> & {
      readonly id?: string;
      readonly meta?: NodeMeta;
      readonly createdAt?: number;
    });

type Loose<T> = Omit<T, 'message'> &
  (T extends { readonly message: unknown } ? { readonly message: MessageInput } : { readonly message?: MessageInput });

/** A command whose messages may use a short form. */
type InputOf<C> = {
  readonly [K in keyof C]: K extends 'messages'
    ? readonly NewMessageInput[]
    : K extends 'replies'
      ? readonly Loose<NewReply>[]
      : K extends 'nodes'
        ? readonly Loose<ImportNode>[]
        : K extends 'message'
          ? MessageInput
          : C[K];
};

/** A command as {@link run} accepts it. */
export type CommandInput = { [T in CommandType]: InputOf<CommandOf<T>> }[CommandType];

/** A node id. A value that is not a text is reported as an unknown node. */
const node = readIdentifier('tree/unknown-node', (value) => `There is no node ${describeValue(value)}.`);
/** A tree id. */
const tree = readIdentifier('tree/unknown-tree', (value) => `There is no tree ${describeValue(value)}.`);
/** The id of something to be created. */
const id = readIdentifier('id/invalid', (value, key) => `${key} must be an id, a text, not ${describeValue(value)}.`);

function readIdentifier(
  code: 'tree/unknown-node' | 'tree/unknown-tree' | 'id/invalid',
  says: (value: unknown, key: string) => string,
) {
  const read: FieldReader<string> = (fields, key) => {
    const value = ownField(fields, key);
    if (typeof value === 'string') return value;
    throw new Malformed(key, says(value, key), code);
  };
  return read;
}

const messageFields = new Set(['role', 'content', 'tool_call_id']);

/** A message; the planner validates its parts. An unknown field is refused here because it would be lost silently. */
const message: FieldReader<unknown> = (fields, key) => {
  const value = ownField(fields, key);
  if (!isFieldMap(value)) return anyValue(fields, key);
  for (const name of Object.keys(value))
    if (!messageFields.has(name) && value[name] != null)
      throw new Malformed(
        `${key}.${name}`,
        `A message has no field ${JSON.stringify(name.slice(0, 64))}; it has ${[...messageFields].join(', ')}.`,
        'command/invalid',
      );
  return anyValue(value, 'role');
};

const beside = { id: anyValue, meta: anyValue, createdAt: anyValue };
const around = assertExactFields('A message', { message, ...beside });
const flat = assertExactFields('A message', { role: anyValue, content: anyValue, tool_call_id: anyValue, ...beside });

const messages = eachItem((items, index) => {
  const item = items[index];
  if (typeof item === 'string') return;
  if (!isFieldMap(item)) throwMalformed(`[${index}]`, 'a message');
  else decodeWithin(`[${index}]`, () => (item.message === undefined ? flat(item) : around(item)));
});
const replies = listOfExactly('A reply', {
  id: anyValue,
  message,
  status: nullOr(oneOf(nodeStatuses)),
  meta: anyValue,
});
// Attributes other than these are free-form and stored as they are.
const readAttributes: FieldReader<unknown> = (fields, key) => {
  const values = object(fields, key);
  for (const name of ['title', 'autoTitle', 'systemPrompt', 'project', 'folder'])
    optionalField(requiredText)(values, name);
  return values;
};
const nodes = listOfExactly('A node', {
  // The planner checks an id that was given.
  id: (fields, key) => (ownField(fields, key) === undefined ? id(fields, key) : anyValue(fields, key)),
  parentId: nullOr(requiredText),
  order: finite,
  message,
  kind: anyValue,
  status: anyValue,
  group: nullOr(finite),
  meta: anyValue,
  marker: anyValue,
  createdAt: anyValue,
  removed: optionalField(flag),
  bookmark: optionalOrNull(object),
});
const reversal = { force: optionalField(flag), actId: nullOr(requiredText) };
const note = { meta: nullOr(object), details: nullOr(object) };

function listOfExactly(what: string, readers: { readonly [key: string]: FieldReader<unknown> }): FieldReader<unknown> {
  const check = assertExactFields(what, readers);
  return eachItem((items, index) => {
    const item = items[index];
    if (isFieldMap(item)) decodeWithin(`[${index}]`, () => check(item));
    else throwMalformed(`[${index}]`, 'an object');
  });
}

type StepShape<C> = { readonly [K in Exclude<keyof Required<C>, 'type' | 'treeId'>]: FieldReader<unknown> };

/** The fields of every command; a missing field does not compile. */
const shapes: { readonly [T in CommandType]: StepShape<CommandOf<T>> } = {
  create: {
    attributes: nullOr(readAttributes),
    rootId: anyValue,
    forest: optionalField(flag),
    messages: nullOr(messages),
  },
  append: { parentId: nullOr(node), messages, merge: optionalField(flag), select: optionalField(flag) },
  edit: {
    nodeId: node,
    content: anyValue,
    mode: nullOr(oneOf(['branch', 'in-place', 'prefix'])),
    id: anyValue,
    select: optionalField(flag),
    moveBookmark: optionalField(flag),
  },
  split: { nodeId: node, position: anyValue, id: anyValue },
  join: { nodeId: node },
  reply: { parentId: node, replies, join: anyValue, select: optionalField(flag) },
  regenerate: { nodeId: node, replies, select: optionalField(flag) },
  finish: { nodeId: node, status: oneOf(nodeStatuses), message, meta: optionalOrNull(object) },
  select: { nodeId: node },
  navigate: { nodeId: node, direction: oneOf(['next', 'previous']) },
  delete: { nodeIds: list, mode: nullOr(oneOf(['splice', 'cascade'])) },
  'delete-group': { nodeId: node },
  clear: {},
  move: { nodeId: node, parentId: node, before: optionalOrNull(node) },
  graft: {
    from: exactFields('The branch', { treeId: tree, nodeId: node }),
    parentId: node,
    select: optionalField(flag),
  },
  'cherry-pick': { nodeId: node, to: optionalOrNull(node), from: optionalOrNull(tree), parentId: nullOr(node) },
  merge: {
    nodeId: node,
    mode: nullOr(oneOf(['summary', 'messages'])),
    summary: optionalOrNull(requiredText),
    parentId: nullOr(node),
    ...note,
  },
  branch: { nodeId: node, summary: optionalOrNull(requiredText), from: optionalOrNull(node), id: anyValue, ...note },
  compact: {
    summary: requiredText,
    nodeId: optionalOrNull(node),
    select: optionalField(flag),
    onlyLeaf: optionalField(flag),
    firstKept: optionalOrNull(node),
    tokensBefore: anyValue,
    id: anyValue,
    ...note,
  },
  mark: {
    kind: oneOf(['injected', 'state']),
    message,
    parentId: nullOr(node),
    id: anyValue,
    select: optionalField(flag),
    ...note,
  },
  duplicate: {
    from: tree,
    nodeId: optionalOrNull(node),
    whole: optionalField(flag),
    attributes: nullOr(readAttributes),
  },
  import: {
    attributes: optionalOrNull(readAttributes),
    rootId: anyValue,
    nodes,
    activeId: nullOr(requiredText),
    follows: nullOr(requiredText),
    refresh: optionalField(list),
  },
  bookmark: { nodeId: node, title: anyValue },
  tag: { nodeId: node, tags: anyValue },
  title: { nodeId: node, title: anyValue, auto: optionalField(flag) },
  annotate: { nodeId: node, set: object },
  group: { nodeIds: list },
  attributes: { set: readAttributes },
  'delete-tree': {},
  'restore-tree': {},
  restore: { nodeId: node },
  'restore-version': { version: anyValue },
  undo: reversal,
  redo: reversal,
};

const checks: ReadonlyMap<unknown, (fields: FieldMap) => void> = new Map(
  Object.entries(shapes).map(([type, shape]) => [
    type,
    assertExactFields(`The command ${type}`, { type: anyValue, treeId: anyValue, ...shape }),
  ]),
);
const makers: ReadonlySet<unknown> = new Set<CommandType>(['create', 'duplicate', 'import']);

/** Validates a command. Refuses an unknown type, a missing tree and unknown fields. */
export function readCommand(command: unknown): Command {
  if (!isFieldMap(command)) return refuse('command/invalid', 'A command is an object that says its type.');
  assertFields(command);
  return withMessages(command);
}

// Validates every field by the type of the command.
function assertFields(command: FieldMap): asserts command is FieldMap & Command {
  const check = checks.get(command.type);
  if (check === undefined) return refuse('command/invalid', `There is no command ${describeValue(command.type)}.`);
  refuseMalformed(() => {
    // A command that makes a tree chooses its id: a malformed one is an invalid id, not an unknown tree.
    (makers.has(command.type) ? id : tree)(command, 'treeId');
    decodeWithin(describeValue(command.type), () => check(command));
  });
}

/** Expands every message of a command; returns the same object if there is nothing to expand. */
function withMessages<C extends FieldMap>(command: C): C {
  const { messages: said, replies: answers, nodes: brought, message: one } = command;
  if (Array.isArray(said) && said.some((item) => !isWritten(item)))
    return { ...command, messages: said.map((item) => (isWritten(item) ? item : writtenOut(item))) };
  if (Array.isArray(answers) && answers.some(hasShortMessage))
    return { ...command, replies: answers.map((item) => withMessage(item, 'assistant')) };
  if (Array.isArray(brought) && brought.some(hasShortMessage))
    return { ...command, nodes: brought.map((item) => withMessage(item, 'user')) };
  return one !== undefined && isShort(one)
    ? withMessage(command, command.type === 'finish' ? 'assistant' : 'user')
    : command;
}

/** Whether a message uses a short form that planners do not accept. */
function isShort(value: unknown): boolean {
  return typeof value === 'string' || (isFieldMap(value) && typeof value.content === 'string');
}

function hasShortMessage(item: FieldMap): boolean {
  return isShort(item.message);
}

function isWritten(item: unknown): boolean {
  return isFieldMap(item) && item.message !== undefined && !isShort(item.message);
}

function withMessage<C extends FieldMap>(item: C, role: Role): C {
  return { ...item, message: toMessage(item.message, role) };
}

function writtenOut(item: unknown): FieldMap {
  if (!isFieldMap(item)) return { message: toMessage(item, 'user') };
  if (item.message !== undefined) return withMessage(item, 'user');
  const { id: chosen, meta, createdAt, ...said } = item;
  return { message: toMessage(said, 'user'), id: chosen, meta, createdAt };
}
