/**
 * Validates commands from untrusted callers. Wrong types and unknown fields are refused with the name of the field
 * before a planner runs, and short forms of messages are expanded. Planners validate messages, metadata and chosen ids.
 */
import {
  booleanField,
  decodeWithin,
  describeValue,
  exactObjectField,
  type FieldMap,
  type FieldReader,
  finiteNumberField,
  isFieldMap,
  jsonField,
  listField,
  listFieldOf,
  MalformedError,
  makeExactFieldsCheck,
  nullableField,
  objectField,
  oneOfField,
  optionalField,
  optionalNonNullField,
  ownField,
  refuseIfMalformed,
  requiredText,
  throwMalformed,
} from '../decode.ts';
import { refuse } from '../errors.ts';
import { type BlockInput, expandShortMessage, type MessageInput, type Role } from '../message.ts';
import { type NodeMeta, nodeStatuses } from '../node.ts';
import type { ImportNode } from './import.ts';
import type { Command, CommandOf, CommandType } from './index.ts';
import type { NewReply } from './reply.ts';

/** A new message: plain text, a message, or a message with further fields. */
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
          : K extends 'content'
            ? C[K] | readonly BlockInput[]
            : C[K];
};

/** A command as {@link run} accepts it: messages may be written in a short form. */
export type CommandInput = { [T in CommandType]: InputOf<CommandOf<T>> }[CommandType];

/** Reads a node id. A value that is not a string is refused as an unknown node. */
const node = readIdentifier('tree/unknown-node', (value) => `There is no message ${describeValue(value)}.`);
/** Reads a tree id. A value that is not a string is refused as an unknown tree. */
const tree = readIdentifier('tree/unknown-tree', (value) => `There is no chat ${describeValue(value)}.`);
/** Reads the id of a new node or tree. The planner checks its form. */
const id = readIdentifier(
  'id/invalid',
  (value, key) => `${key} must be an id (a string), not ${describeValue(value)}.`,
);

function readIdentifier(
  code: 'tree/unknown-node' | 'tree/unknown-tree' | 'id/invalid',
  says: (value: unknown, key: string) => string,
) {
  const read: FieldReader<string> = (fields, key) => {
    const value = ownField(fields, key);
    if (typeof value === 'string') return value;
    throw new MalformedError(key, value === undefined ? `The command has no ${key}.` : says(value, key), code);
  };
  return read;
}

const messageFields = new Set(['role', 'content', 'tool_call_id']);

/**
 * Reads a message; the planner validates its parts. Unknown fields are refused, because they would be lost silently.
 */
const message: FieldReader<unknown> = (fields, key) => {
  const value = ownField(fields, key);
  if (!isFieldMap(value)) return jsonField(fields, key);
  for (const name of Object.keys(value))
    if (!messageFields.has(name) && value[name] != null)
      throw new MalformedError(
        `${key}.${name}`,
        `A message has no field ${JSON.stringify(name.slice(0, 64))}; it has ${[...messageFields].join(', ')}.`,
        'command/invalid',
      );
  return jsonField(value, 'role');
};

const beside = { id: jsonField, meta: jsonField, createdAt: jsonField };
const around = makeExactFieldsCheck('A message', { message, ...beside });
const flat = makeExactFieldsCheck('A message', {
  role: jsonField,
  content: jsonField,
  tool_call_id: jsonField,
  ...beside,
});

const messages = listFieldOf((items, index) => {
  const item = items[index];
  if (typeof item === 'string') return;
  if (!isFieldMap(item)) throwMalformed(`[${index}]`, 'a message');
  else decodeWithin(`[${index}]`, () => (item.message === undefined ? flat(item) : around(item)));
});
const replies = listOfExactly('A reply', {
  id: jsonField,
  message,
  status: nullableField(oneOfField(nodeStatuses)),
  meta: jsonField,
});
// The other known attributes are checked in the steps, by `assertStorable`. Unknown attributes are stored unchanged.
const readAttributes: FieldReader<unknown> = (fields, key) => {
  const values = objectField(fields, key);
  for (const name of ['title', 'autoTitle', 'systemPrompt', 'project', 'folder'])
    optionalField(requiredText)(values, name);
  return values;
};
const nodes = listOfExactly('A node', {
  // The planner validates a given id.
  id: (fields, key) => (ownField(fields, key) === undefined ? id(fields, key) : jsonField(fields, key)),
  parentId: nullableField(requiredText),
  order: finiteNumberField,
  message,
  kind: jsonField,
  status: jsonField,
  group: nullableField(finiteNumberField),
  meta: jsonField,
  marker: jsonField,
  createdAt: jsonField,
  removed: optionalField(booleanField),
  bookmark: optionalNonNullField(objectField),
});
const reversal = { force: optionalField(booleanField), actId: nullableField(requiredText) };
const note = { meta: nullableField(objectField), details: nullableField(objectField) };

function listOfExactly(what: string, readers: { readonly [key: string]: FieldReader<unknown> }): FieldReader<unknown> {
  const check = makeExactFieldsCheck(what, readers);
  return listFieldOf((items, index) => {
    const item = items[index];
    if (isFieldMap(item)) decodeWithin(`[${index}]`, () => check(item));
    else throwMalformed(`[${index}]`, 'an object');
  });
}

type StepShape<C> = { readonly [K in Exclude<keyof Required<C>, 'type' | 'treeId'>]: FieldReader<unknown> };

/** The readers of every command's fields. TypeScript reports a field that is missing here. */
const shapes: { readonly [T in CommandType]: StepShape<CommandOf<T>> } = {
  create: {
    attributes: nullableField(readAttributes),
    rootId: jsonField,
    forest: optionalField(booleanField),
    messages: nullableField(messages),
  },
  append: {
    parentId: nullableField(node),
    messages,
    merge: optionalField(booleanField),
    select: optionalField(booleanField),
  },
  edit: {
    nodeId: node,
    content: jsonField,
    mode: nullableField(oneOfField(['branch', 'in-place', 'prefix'])),
    id: jsonField,
    select: optionalField(booleanField),
    moveBookmark: optionalField(booleanField),
  },
  split: { nodeId: node, position: jsonField, id: jsonField },
  join: { nodeId: node },
  reply: { parentId: node, replies, join: jsonField, select: optionalField(booleanField) },
  regenerate: { nodeId: node, replies, select: optionalField(booleanField) },
  finish: { nodeId: node, status: oneOfField(nodeStatuses), message, meta: optionalNonNullField(objectField) },
  select: { nodeId: node },
  navigate: { nodeId: node, direction: oneOfField(['next', 'previous']) },
  delete: { nodeIds: listField, mode: nullableField(oneOfField(['splice', 'cascade'])) },
  'delete-group': { nodeId: node },
  clear: {},
  move: { nodeId: node, parentId: node, before: optionalNonNullField(node) },
  graft: {
    from: exactObjectField('The branch', { treeId: tree, nodeId: node }),
    parentId: node,
    select: optionalField(booleanField),
  },
  'cherry-pick': {
    nodeId: node,
    to: optionalNonNullField(node),
    from: optionalNonNullField(tree),
    parentId: nullableField(node),
  },
  merge: {
    nodeId: node,
    mode: nullableField(oneOfField(['summary', 'messages'])),
    summary: optionalNonNullField(requiredText),
    parentId: nullableField(node),
    ...note,
  },
  branch: {
    nodeId: node,
    summary: optionalNonNullField(requiredText),
    from: optionalNonNullField(node),
    id: jsonField,
    ...note,
  },
  compact: {
    summary: requiredText,
    nodeId: optionalNonNullField(node),
    select: optionalField(booleanField),
    onlyLeaf: optionalField(booleanField),
    firstKept: optionalNonNullField(node),
    tokensBefore: jsonField,
    id: jsonField,
    ...note,
  },
  mark: {
    kind: oneOfField(['injected', 'state']),
    message,
    parentId: nullableField(node),
    id: jsonField,
    select: optionalField(booleanField),
    ...note,
  },
  duplicate: {
    from: tree,
    nodeId: optionalNonNullField(node),
    whole: optionalField(booleanField),
    attributes: nullableField(readAttributes),
  },
  import: {
    attributes: optionalNonNullField(readAttributes),
    rootId: jsonField,
    nodes,
    activeId: nullableField(requiredText),
    follows: nullableField(requiredText),
    refresh: optionalField(listField),
  },
  bookmark: { nodeId: node, title: jsonField },
  tag: { nodeId: node, tags: jsonField },
  title: { nodeId: node, title: jsonField, auto: optionalField(booleanField) },
  annotate: { nodeId: node, set: objectField },
  group: { nodeIds: listField },
  attributes: { set: readAttributes },
  'delete-tree': {},
  'restore-tree': {},
  restore: { nodeId: node },
  'restore-version': { version: jsonField },
  undo: reversal,
  redo: reversal,
};

const checks: ReadonlyMap<unknown, (fields: FieldMap) => void> = new Map(
  Object.entries(shapes).map(([type, shape]) => [
    type,
    makeExactFieldsCheck(`The command ${type}`, { type: jsonField, treeId: jsonField, ...shape }),
  ]),
);
const makers: ReadonlySet<unknown> = new Set<CommandType>(['create', 'duplicate', 'import']);

/** Validates a command. Refuses an unknown type, a missing tree and unknown fields. */
export function parseCommandInput(command: unknown): Command {
  if (!isFieldMap(command)) return refuse('command/invalid', 'A command must be an object with a type.');
  assertFields(command);
  return withMessages(command);
}

function assertFields(command: FieldMap): asserts command is FieldMap & Command {
  const check = checks.get(command.type);
  if (command.type === undefined) return refuse('command/invalid', 'A command must be an object with a type.');
  if (check === undefined) return refuse('command/invalid', `There is no command ${describeValue(command.type)}.`);
  refuseIfMalformed(() => {
    // A command that creates a tree chooses its id, so a malformed id is an invalid id and not an unknown tree.
    (makers.has(command.type) ? id : tree)(command, 'treeId');
    decodeWithin(describeValue(command.type), () => check(command));
  });
}

/** Expands every message of a command. Returns the same object if no message has a short form. */
function withMessages<C extends FieldMap>(command: C): C {
  const { messages: said, replies: answers, nodes: brought, message: one } = command;
  if (Array.isArray(said) && said.some((item) => !isComplete(item)))
    return { ...command, messages: said.map((item) => (isComplete(item) ? item : expandMessage(item))) };
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

function isComplete(item: unknown): boolean {
  return isFieldMap(item) && item.message !== undefined && !isShort(item.message);
}

function withMessage<C extends FieldMap>(item: C, role: Role): C {
  return { ...item, message: expandShortMessage(item.message, role) };
}

function expandMessage(item: unknown): FieldMap {
  if (!isFieldMap(item)) return { message: expandShortMessage(item, 'user') };
  if (item.message !== undefined) return withMessage(item, 'user');
  const { id: chosen, meta, createdAt, ...said } = item;
  return { message: expandShortMessage(said, 'user'), id: chosen, meta, createdAt };
}
