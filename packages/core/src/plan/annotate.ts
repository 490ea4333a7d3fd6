import { MalformedError } from '../decode.ts';
import { refuse } from '../errors.ts';
import type { NodeId, TreeId } from '../ids.ts';
import type { Node, NodeMeta } from '../node.ts';
import { ask, type ReadProgram } from '../reads.ts';
import { inversePatch } from '../rows.ts';
import { isSameJson } from '../same-json.ts';
import { assertPatch, metadataReaders } from '../steps/fields.ts';
import type { Patch, Step } from '../steps/types.ts';
import { nextGroupId, type Planner, requireMessage, toPlan } from './context.ts';

/** Changes metadata of a node; null removes a field. */
export interface AnnotateCommand {
  readonly type: 'annotate';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly set: Patch<NodeMeta>;
}

/** Sets the user's title of a node; null removes it. */
export interface TitleCommand {
  readonly type: 'title';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly title: string | null;
  /** Whether the title was generated; a generated title is ignored if the node has children or a title. */
  readonly auto?: boolean;
}

/** Replaces the tags of a node. */
export interface TagCommand {
  readonly type: 'tag';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly tags: readonly string[];
}

/** Sets or retitles the bookmark of a node; null removes it. */
export interface BookmarkCommand {
  readonly type: 'bookmark';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly title: string | null;
}

/** Groups variants of one parent, without other members. A single node is removed from its group. */
export interface GroupCommand {
  readonly type: 'group';
  readonly treeId: TreeId;
  readonly nodeIds: readonly NodeId[];
}

/** The node that the command names, whether or not it changed. */
export interface AnnotateResult {
  readonly nodeId: NodeId;
}

function buildAnnotateSteps(node: Node, set: Patch<NodeMeta>): Step[] {
  const before = inversePatch(node.meta, set);
  return isSameJson(before, set) ? [] : [{ type: 'annotate', nodeId: node.id, after: set, before }];
}

/**
 * Sets or removes metadata of a node in one commit. Refuses fields that only planners write. Titles and tags follow the
 * rules of {@link planTitle} and {@link planTag}.
 */
export const planAnnotate: Planner<AnnotateCommand, AnnotateResult> = function* (command) {
  const node = yield* requireMessage(command.nodeId, 'annotated');
  for (const key of ['copiedFrom', 'pickedFrom', 'splitSource', 'continues'])
    if (Object.hasOwn(command.set, key))
      refuse('command/invalid', `The field ${key} of ${node.id} is set by Coppice and cannot be changed.`, {
        nodeId: node.id,
        key,
      });
  return toPlan(buildAnnotateSteps(node, yield* normaliseMeta(node, command.set)), { nodeId: node.id });
};

/** Sets a title. A generated title never replaces or hides the user's title. */
export const planTitle: Planner<TitleCommand, AnnotateResult> = function* (command) {
  const node = yield* requireMessage(command.nodeId, 'titled');
  const set = command.auto === true ? { autoTitle: command.title } : { title: command.title };
  return toPlan(buildAnnotateSteps(node, yield* normaliseMeta(node, set)), { nodeId: node.id });
};

/** Replaces the tags of a node: trimmed, without duplicates, in the given order. */
export const planTag: Planner<TagCommand, AnnotateResult> = function* (command) {
  const node = yield* requireMessage(command.nodeId, 'tagged');
  return toPlan(buildAnnotateSteps(node, yield* normaliseMeta(node, { tags: command.tags })), { nodeId: node.id });
};

/**
 * Normalises metadata before it is stored: a blank title or an empty tag list removes the field, and a generated title
 * is dropped if the user has set a title.
 */
function* normaliseMeta(node: Node, given: Patch<NodeMeta>): ReadProgram<Patch<NodeMeta>> {
  try {
    assertPatch(given, metadataReaders);
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    refuse('command/invalid', `The metadata of ${node.id} is invalid: ${error.message}.`, { nodeId: node.id });
  }
  const set = new Map(Object.entries(given));
  const userTitle = given.title === undefined ? node.meta.title : normaliseTitle(given.title);
  if (given.title !== undefined) set.set('title', normaliseTitle(given.title));
  if (given.tags !== undefined) set.set('tags', normaliseTags(given.tags));
  if (given.autoTitle !== undefined) {
    const ignored = typeof userTitle === 'string' || (yield* ask('children', { of: node.id })).length > 0;
    if (ignored) set.delete('autoTitle');
    else set.set('autoTitle', normaliseTitle(given.autoTitle));
  }
  return Object.fromEntries(set);
}

function normaliseTitle(text: string | null): string | null {
  return text === null || text.trim() === '' ? null : text;
}

function normaliseTags(words: readonly string[] | null): readonly string[] | null {
  const tags = [...new Set((words ?? []).map((word) => word.trim()).filter((word) => word !== ''))];
  return tags.length === 0 ? null : tags;
}

/** Sets a bookmark. An existing bookmark gets the new title and keeps its creation time. */
export const planBookmark: Planner<BookmarkCommand, AnnotateResult> = function* (command, context) {
  const node = yield* requireMessage(command.nodeId, 'bookmarked');
  const before = yield* ask('bookmark', { on: node.id });
  if (command.title === null) {
    return toPlan(before === null ? [] : [{ type: 'bookmark', nodeId: node.id, after: null, before }], {
      nodeId: node.id,
    });
  }
  if (before?.title === command.title) return toPlan([], { nodeId: node.id });
  const after = {
    nodeId: node.id,
    title: command.title,
    createdAt: before?.createdAt ?? context.now,
    updatedAt: context.now,
  };
  return toPlan([{ type: 'bookmark', nodeId: node.id, after, before }], { nodeId: node.id });
};

/** Groups variants. All of them must be children of one parent. */
export const planGroup: Planner<GroupCommand, { readonly groupId: number }> = function* (command) {
  const nodes: Node[] = [];
  for (const id of new Set(command.nodeIds)) nodes.push(yield* requireMessage(id, 'grouped'));
  const parentId = nodes[0]?.parentId;
  if (parentId === undefined || parentId === null)
    return refuse('command/invalid', 'The list of messages is empty: name at least one.');
  const stray = nodes.find((node) => node.parentId !== parentId);
  if (stray !== undefined)
    refuse('command/invalid', `The message ${stray.id} is not a child of ${parentId}.`, { nodeId: stray.id });
  const groupId = nodes.length === 1 ? 0 : yield* groupOfNodes(parentId, nodes);
  const steps: Step[] = [];
  for (const node of nodes)
    if (node.groupId !== groupId)
      steps.push({ type: 'regroup', nodeId: node.id, after: groupId, before: node.groupId });
  return toPlan(steps, { groupId });
};

/** Returns the group number if these variants already form a group, else a new group number. */
function* groupOfNodes(parentId: NodeId, nodes: readonly Node[]): ReadProgram<number> {
  const present = nodes[0]?.groupId ?? 0;
  if (present > 0 && nodes.every((node) => node.groupId === present)) {
    const variants = yield* ask('children', { of: parentId });
    if (variants.filter((variant) => variant.groupId === present).length === nodes.length) return present;
  }
  return yield* nextGroupId(parentId);
}
