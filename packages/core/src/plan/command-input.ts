/**
 * Commands as they come in. What the types forbid is refused by a code and named before anybody plans with it, unknown
 * fields included; the shorter ways to write a message become messages. Messages, metadata and ids that a client chooses
 * are checked by the planners themselves.
 */
import {
  anything,
  each,
  exact,
  exactly,
  type Fields,
  finite,
  flag,
  isFields,
  list,
  Malformed,
  maybe,
  object,
  oneOf,
  optional,
  orNull,
  own,
  type Reader,
  refuseMalformed,
  shown,
  text,
  within,
  wrong,
} from '../decode.ts';
import { refuse } from '../errors.ts';
import { type MessageInput, type Role, toMessage } from '../message.ts';
import { type NodeMeta, nodeStatuses } from '../node.ts';
import type { ImportNode } from './import.ts';
import type { Command, CommandOf, CommandType } from './index.ts';
import type { NewReply } from './reply.ts';

/** A message on its way into a tree, with what belongs to it beside it or around it. */
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

/** A command in which messages may be written in any of their ways. */
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

/** Something a user wants done to a tree, as {@link run} takes it. */
export type CommandInput = { [T in CommandType]: InputOf<CommandOf<T>> }[CommandType];

/** The id of a node; what is none names nothing, as an id that no node has. */
const node = identifier('tree/unknown-node', (value) => `There is no node ${shown(value)}.`);
/** The id of a tree. */
const tree = identifier('tree/unknown-tree', (value) => `There is no tree ${shown(value)}.`);
/** The id of something that is made. */
const id = identifier('id/invalid', (value) => `An id is a text, not ${shown(value)}.`);

function identifier(code: 'tree/unknown-node' | 'tree/unknown-tree' | 'id/invalid', says: (value: unknown) => string) {
  const read: Reader<string> = (fields, key) => {
    const value = own(fields, key);
    if (typeof value === 'string') return value;
    throw new Malformed(key, says(value), code);
  };
  return read;
}

const messageFields = new Set(['role', 'content', 'tool_call_id']);

/** A message, of which the planner reads the parts. A field that messages do not have would be lost. */
const message: Reader<unknown> = (fields, key) => {
  const value = own(fields, key);
  if (!isFields(value)) return anything(fields, key);
  for (const name of Object.keys(value))
    if (!messageFields.has(name) && value[name] != null)
      throw new Malformed(
        `${key}.${name}`,
        `A message has no field ${JSON.stringify(name.slice(0, 64))}; it has ${[...messageFields].join(', ')}.`,
        'command/invalid',
      );
  return anything(value, 'role');
};

const beside = { id: anything, meta: anything, createdAt: anything };
const around = exactly('A message', { message, ...beside });
const flat = exactly('A message', { role: anything, content: anything, tool_call_id: anything, ...beside });

const messages = each((items, index) => {
  const item = items[index];
  if (typeof item === 'string') return;
  if (!isFields(item)) wrong(`[${index}]`, 'a message');
  else within(`[${index}]`, () => (item.message === undefined ? flat(item) : around(item)));
});
const replies = listOfExactly('A reply', {
  id: anything,
  message,
  status: orNull(oneOf(nodeStatuses)),
  meta: anything,
});
// Other attributes are free, and kept.
const attributes: Reader<unknown> = (fields, key) => {
  const values = object(fields, key);
  for (const name of ['title', 'autoTitle', 'systemPrompt', 'project', 'folder']) optional(text)(values, name);
  return values;
};
const nodes = listOfExactly('A node', {
  // One that is given is checked by the planner.
  id: (fields, key) => (own(fields, key) === undefined ? id(fields, key) : anything(fields, key)),
  parentId: orNull(text),
  order: finite,
  message,
  kind: anything,
  status: anything,
  group: orNull(finite),
  meta: anything,
  marker: anything,
  createdAt: anything,
  removed: optional(flag),
  bookmark: maybe(object),
});
const reversal = { force: optional(flag), actId: orNull(text) };
const note = { meta: orNull(object), details: orNull(object) };

function listOfExactly(what: string, readers: { readonly [key: string]: Reader<unknown> }): Reader<unknown> {
  const check = exactly(what, readers);
  return each((items, index) => {
    const item = items[index];
    if (isFields(item)) within(`[${index}]`, () => check(item));
    else wrong(`[${index}]`, 'an object');
  });
}

type Shape<C> = { readonly [K in Exclude<keyof Required<C>, 'type' | 'treeId'>]: Reader<unknown> };

/** Every field of every command; one that is missing here does not compile. */
const shapes: { readonly [T in CommandType]: Shape<CommandOf<T>> } = {
  create: {
    attributes: orNull(attributes),
    rootId: anything,
    forest: optional(flag),
    messages: orNull(messages),
  },
  append: { parentId: orNull(node), messages, merge: optional(flag), select: optional(flag) },
  edit: {
    nodeId: node,
    content: anything,
    mode: orNull(oneOf(['branch', 'in-place', 'prefix'])),
    id: anything,
    select: optional(flag),
    moveBookmark: optional(flag),
  },
  split: { nodeId: node, position: anything, id: anything },
  join: { nodeId: node },
  reply: { parentId: node, replies, join: anything, select: optional(flag) },
  regenerate: { nodeId: node, replies, select: optional(flag) },
  finish: { nodeId: node, status: oneOf(nodeStatuses), message, meta: maybe(object) },
  select: { nodeId: node },
  navigate: { nodeId: node, direction: oneOf(['next', 'previous']) },
  delete: { nodeIds: list, mode: orNull(oneOf(['splice', 'cascade'])) },
  'delete-group': { nodeId: node },
  clear: {},
  move: { nodeId: node, parentId: node, before: maybe(node) },
  graft: { from: exact('The branch', { treeId: tree, nodeId: node }), parentId: node, select: optional(flag) },
  'cherry-pick': { nodeId: node, to: maybe(node), from: maybe(tree), parentId: orNull(node) },
  merge: {
    nodeId: node,
    mode: orNull(oneOf(['summary', 'messages'])),
    summary: maybe(text),
    parentId: orNull(node),
    ...note,
  },
  branch: { nodeId: node, summary: maybe(text), from: maybe(node), id: anything, ...note },
  compact: {
    summary: text,
    nodeId: maybe(node),
    select: optional(flag),
    onlyLeaf: optional(flag),
    firstKept: maybe(node),
    tokensBefore: anything,
    id: anything,
    ...note,
  },
  mark: {
    kind: oneOf(['injected', 'state']),
    message,
    parentId: orNull(node),
    id: anything,
    select: optional(flag),
    ...note,
  },
  duplicate: { from: tree, nodeId: maybe(node), whole: optional(flag), attributes: orNull(attributes) },
  import: {
    attributes: maybe(attributes),
    rootId: anything,
    nodes,
    activeId: orNull(text),
    follows: orNull(text),
  },
  bookmark: { nodeId: node, title: anything },
  tag: { nodeId: node, tags: anything },
  title: { nodeId: node, title: anything, auto: optional(flag) },
  annotate: { nodeId: node, set: object },
  group: { nodeIds: list },
  attributes: { set: attributes },
  'delete-tree': {},
  'restore-tree': {},
  restore: { nodeId: node },
  'restore-version': { version: anything },
  undo: reversal,
  redo: reversal,
};

const checks: ReadonlyMap<unknown, (fields: Fields) => void> = new Map(
  Object.entries(shapes).map(([type, shape]) => [
    type,
    exactly(`The command ${type}`, { type: anything, treeId: anything, ...shape }),
  ]),
);
const makers: ReadonlySet<unknown> = new Set<CommandType>(['create', 'duplicate', 'import']);

/** Reads a command. Refuses what is none: of no known type, without a tree, with a field that its type does not have. */
export function readCommand(command: unknown): Command {
  if (!isFields(command)) return refuse('command/invalid', 'A command is an object that says its type.');
  const check = checks.get(command.type);
  if (check === undefined) return refuse('command/invalid', `There is no command ${shown(command.type)}.`);
  refuseMalformed(() => {
    // A tree that is made gets its id by the command: what is none is no id, not a tree that is missing.
    (makers.has(command.type) ? id : tree)(command, 'treeId');
    within(shown(command.type), () => check(command));
  });
  // The check above has looked at every field, which the lookup by the type cannot show the compiler.
  return withMessages(command) as unknown as Command;
}

/** The command with every message written out; the same object where they all are. */
function withMessages(command: Fields): Fields {
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

/** Whether a message is written in a shorter way than the planners take. */
function isShort(value: unknown): boolean {
  return typeof value === 'string' || (isFields(value) && typeof value.content === 'string');
}

function hasShortMessage(item: Fields): boolean {
  return isShort(item.message);
}

function isWritten(item: unknown): boolean {
  return isFields(item) && item.message !== undefined && !isShort(item.message);
}

function withMessage(item: Fields, role: Role): Fields {
  return { ...item, message: toMessage(item.message, role) };
}

function writtenOut(item: unknown): Fields {
  if (!isFields(item)) return { message: toMessage(item, 'user') };
  if (item.message !== undefined) return withMessage(item, 'user');
  const { id: chosen, meta, createdAt, ...said } = item;
  return { message: toMessage(said, 'user'), id: chosen, meta, createdAt };
}
