/**
 * What the parts of a command are, for callers without types: what the types forbid is refused by a code and named before
 * anybody plans with it. Messages, notes and ids that a client chooses are read by core itself and are not looked at here.
 */
import { type Command, type CommandOf, type CommandType, nodeStatuses, refuse } from '@coppice/core';
import {
  anything,
  check,
  fields,
  flag,
  id,
  isFields,
  list,
  listOf,
  maybe,
  node,
  number,
  objectOf,
  oneOf,
  orNull,
  type Part,
  shown,
  text,
  tree,
} from './shapes.ts';

type Shape<C> = { readonly [K in Exclude<keyof Required<C>, 'type' | 'treeId'>]: Part };

/** Core reads it, and names a role that there is not by its JSON. */
const message: Part = (value) => anything(isFields(value) ? value['role'] : value);
const messages = listOf(objectOf({ message, id: anything, meta: anything, createdAt: anything }));
const replies = listOf(objectOf({ id: anything, message, status: orNull(oneOf(...nodeStatuses)), meta: anything }));
const attributes = objectOf({
  title: orNull(text),
  autoTitle: orNull(text),
  systemPrompt: orNull(text),
  project: orNull(text),
  folder: orNull(text),
});
const nodes = listOf(
  objectOf({
    // One that is said is read by core.
    id: (value) => (value === undefined ? id(value) : anything(value)),
    parentId: orNull(text),
    order: number,
    message,
    group: orNull(number),
    removed: flag,
    bookmark: maybe(fields),
  }),
);
const reversal = { force: flag, actId: orNull(text) };

/** Every part of every command; one that is missing here does not compile. */
const shapes: { readonly [T in CommandType]: Shape<CommandOf<T>> } = {
  create: { attributes: orNull(attributes), rootId: anything, forest: flag, messages: orNull(messages) },
  append: { parentId: orNull(node), messages, merge: flag, select: flag },
  edit: {
    nodeId: node,
    content: anything,
    mode: orNull(oneOf('branch', 'in-place', 'prefix')),
    id: anything,
    select: flag,
    moveBookmark: flag,
  },
  split: { nodeId: node, position: anything, id: anything },
  join: { nodeId: node },
  reply: { parentId: node, replies, join: anything, select: flag },
  regenerate: { nodeId: node, replies, select: flag },
  finish: { nodeId: node, status: oneOf(...nodeStatuses), message, meta: maybe(fields) },
  select: { nodeId: node },
  navigate: { nodeId: node, direction: oneOf('next', 'previous') },
  delete: { nodeIds: list, mode: orNull(oneOf('splice', 'cascade')) },
  'delete-group': { nodeId: node },
  clear: {},
  move: { nodeId: node, parentId: node, before: maybe(node) },
  graft: { from: objectOf({ treeId: tree, nodeId: node }), parentId: node, select: flag },
  'cherry-pick': { nodeId: node, to: maybe(node), from: maybe(tree), parentId: orNull(node) },
  merge: {
    nodeId: node,
    mode: orNull(oneOf('summary', 'messages')),
    summary: maybe(text),
    parentId: orNull(node),
    meta: orNull(fields),
    details: orNull(fields),
  },
  branch: {
    nodeId: node,
    summary: maybe(text),
    from: maybe(node),
    id: anything,
    meta: orNull(fields),
    details: orNull(fields),
  },
  compact: {
    summary: text,
    nodeId: maybe(node),
    select: flag,
    onlyLeaf: flag,
    firstKept: maybe(node),
    tokensBefore: anything,
    details: orNull(fields),
    id: anything,
    meta: orNull(fields),
  },
  mark: {
    kind: oneOf('injected', 'state'),
    message,
    parentId: orNull(node),
    details: orNull(fields),
    id: anything,
    meta: orNull(fields),
    select: flag,
  },
  duplicate: { from: tree, nodeId: maybe(node), whole: flag, attributes: orNull(attributes) },
  import: {
    attributes: maybe(attributes),
    rootId: anything,
    nodes,
    activeId: orNull(text),
    follows: orNull(text),
  },
  bookmark: { nodeId: node, title: anything },
  tag: { nodeId: node, tags: anything },
  title: { nodeId: node, title: anything, auto: flag },
  annotate: { nodeId: node, set: fields },
  group: { nodeIds: list },
  attributes: { set: attributes },
  'delete-tree': {},
  'restore-tree': {},
  restore: { nodeId: node },
  'restore-version': { version: anything },
  undo: reversal,
  redo: reversal,
};

const shapeOf: ReadonlyMap<unknown, Part> = new Map(
  Object.entries(shapes).map(([type, shape]) => [type, objectOf(shape)]),
);
const makers: ReadonlySet<unknown> = new Set<Command['type']>(['create', 'duplicate', 'import']);

/** Refuses what is no command: of no known type, without a tree, or with a part that its type has not. */
export function checkCommand(command: unknown): void {
  if (!isFields(command)) return refuse('command/invalid', 'A command is an object that says its type.');
  const { type, treeId } = command;
  const shape = shapeOf.get(type);
  if (shape === undefined) return refuse('command/invalid', `There is no command ${shown(type)}.`);
  // A tree that is made gets its id by the command: what is none is no id, not a tree that is missing.
  check('treeId', treeId, makers.has(type) ? id : tree);
  check(String(type), command, shape);
}
