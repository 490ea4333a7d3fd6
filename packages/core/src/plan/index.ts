/** All commands with their planners, and the properties of commands that other modules need. */
import { planAnnotate, planBookmark, planGroup, planTag, planTitle } from './annotate.ts';
import { planAppend } from './append.ts';
import type { Planner } from './context.ts';
import { planCherryPick, planGraft, planMerge } from './copy.ts';
import { planAttributes, planCreate, planDeleteTree, planDuplicate, planRestoreTree } from './create.ts';
import { planClear, planDelete, planDeleteGroup } from './delete.ts';
import { planEdit } from './edit.ts';
import { planImport } from './import.ts';
import { planJoin } from './join.ts';
import { planBranch, planCompact, planMark } from './marker.ts';
import { planMove } from './move.ts';
import { planNavigate, planSelect } from './navigate.ts';
import { planFinish, planRegenerate, planReply } from './reply.ts';
import { planRestore, planRestoreVersion } from './restore.ts';
import { planSplit } from './split.ts';
import { planRedo, planUndo } from './undo.ts';

/** Every type of command with the planner that turns it into steps. */
export const planners = {
  create: planCreate,
  append: planAppend,
  edit: planEdit,
  split: planSplit,
  join: planJoin,
  reply: planReply,
  regenerate: planRegenerate,
  finish: planFinish,
  select: planSelect,
  navigate: planNavigate,
  delete: planDelete,
  'delete-group': planDeleteGroup,
  clear: planClear,
  move: planMove,
  graft: planGraft,
  'cherry-pick': planCherryPick,
  merge: planMerge,
  branch: planBranch,
  compact: planCompact,
  mark: planMark,
  duplicate: planDuplicate,
  import: planImport,
  bookmark: planBookmark,
  tag: planTag,
  title: planTitle,
  annotate: planAnnotate,
  group: planGroup,
  attributes: planAttributes,
  'delete-tree': planDeleteTree,
  'restore-tree': planRestoreTree,
  restore: planRestore,
  'restore-version': planRestoreVersion,
  undo: planUndo,
  redo: planRedo,
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
