/** All commands with their planners, and the properties of commands that other modules need. */
import { annotate, bookmark, group, tag, title } from './annotate.ts';
import { append } from './append.ts';
import type { Planner } from './context.ts';
import { cherryPick, graft, merge } from './copy.ts';
import { attributes, create, deleteTree, duplicate, restoreTree } from './create.ts';
import { clear, deleteGroup, deleteNodes } from './delete.ts';
import { edit } from './edit.ts';
import { importTree } from './import.ts';
import { join } from './join.ts';
import { addMarker, branch, compact } from './marker.ts';
import { move } from './move.ts';
import { navigate, select } from './navigate.ts';
import { finish, regenerate, reply } from './reply.ts';
import { restore, restoreVersion } from './restore.ts';
import { splitMessage } from './split.ts';
import { redo, undo } from './undo.ts';

/** Every type of command with the planner that turns it into steps. */
export const planners = {
  create,
  append,
  edit,
  split: splitMessage,
  join,
  reply,
  regenerate,
  finish,
  select,
  navigate,
  delete: deleteNodes,
  'delete-group': deleteGroup,
  clear,
  move,
  graft,
  'cherry-pick': cherryPick,
  merge,
  branch,
  compact,
  mark: addMarker,
  duplicate,
  import: importTree,
  bookmark,
  tag,
  title,
  annotate,
  group,
  attributes,
  'delete-tree': deleteTree,
  'restore-tree': restoreTree,
  restore,
  'restore-version': restoreVersion,
  undo,
  redo,
} as const;

/** The `type` of a command. */
export type CommandType = keyof typeof planners;
/** The command with this `type`. */
export type CommandOf<T extends CommandType> = (typeof planners)[T] extends Planner<infer C, infer _R> ? C : never;
/** The result of the command with this `type`. */
export type ResultOf<T extends CommandType> = (typeof planners)[T] extends Planner<infer _C, infer R> ? R : never;
/** A change of a tree that a caller requests. */
export type Command = { [T in CommandType]: CommandOf<T> }[CommandType];

/**
 * Commands that only add nodes, so that a stale command can still add its nodes as siblings. Any other structural
 * command with a stale version is a conflict.
 */
export const additiveCommands: ReadonlySet<CommandType> = new Set<CommandType>([
  'append',
  'edit',
  'reply',
  'regenerate',
  'cherry-pick',
  'mark',
]);
