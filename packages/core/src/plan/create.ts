import { refuseIfMalformed } from '../decode.ts';
import { refuse } from '../errors.ts';
import type { NodeId, TreeId } from '../ids.ts';
import type { MessageKit } from '../message.ts';
import type { NewNode, Node, TreeAttributes } from '../node.ts';
import { positionBetween } from '../position.ts';
import { ask, type ReadProgram } from '../reads.ts';
import { applyPatch, inversePatch } from '../rows.ts';
import { isSameJson } from '../same-json.ts';
import { assertPlainJson } from '../steps/fields.ts';
import { assertStorable } from '../steps/storable.ts';
import type { Patch, Step } from '../steps/types.ts';
import type { TreeRow } from '../tree.ts';
import { utf8Length } from '../utf8-length.ts';
import { buildChainSteps, dropBlankMessages, type NewMessage, planAppend } from './append.ts';
import {
  assertIdsFree,
  newNodeId,
  newRootId,
  type PlanContext,
  type Planner,
  refusePendingReplies,
  requireNode,
  requireTree,
  toPlan,
} from './context.ts';
import { copyNodes } from './copy.ts';

/** The project of trees that were created without a project. */
export const defaultProject = 'default';

/** Creates a tree with its root, or finds a forest tree. */
export interface CreateCommand {
  readonly type: 'create';
  readonly treeId: TreeId;
  readonly attributes?: TreeAttributes;
  /** The root's id, chosen by the client. */
  readonly rootId?: string;
  /** Finds the owner's forest tree with exactly this system prompt in this project, or creates it. */
  readonly forest?: boolean;
  /**
   * The first messages. {@link run} appends them below the root in a second commit of the same act, so that undo can
   * remove them. Nothing is created if that append would be refused, or if the tree exists and starts with other
   * messages.
   */
  readonly messages?: readonly NewMessage[];
}

/** The tree that was created, or that existed already. */
export interface CreateResult {
  readonly treeId: TreeId;
  readonly created: boolean;
  /** The first messages that were added, and those that existed already. */
  readonly added?: readonly NodeId[];
  readonly reused?: readonly NodeId[];
}

/** Copies a tree, whole or up to a node, into a new tree. */
export interface DuplicateCommand {
  readonly type: 'duplicate';
  /** The id of the new tree. */
  readonly treeId: TreeId;
  readonly from: TreeId;
  /** The end of the copied path; defaults to the active node. */
  readonly nodeId?: NodeId;
  readonly whole?: boolean;
  /** Attributes of the copy that differ from the source, such as title or system prompt; null removes an attribute. */
  readonly attributes?: Patch<TreeAttributes>;
}

/** The copy, and a map from source ids to the ids of the copies. */
export interface DuplicateResult {
  readonly treeId: TreeId;
  readonly ids: ReadonlyMap<NodeId, NodeId>;
}

/**
 * Changes the attributes of a tree: title, folder, pin, tags, metadata. The system prompt can be changed only while the
 * tree is empty, and never in a forest tree.
 */
export interface AttributesCommand {
  readonly type: 'attributes';
  readonly treeId: TreeId;
  readonly set: Patch<TreeAttributes>;
}

/** Moves a tree to the trash. Its messages and history are kept. */
export interface DeleteTreeCommand {
  readonly type: 'delete-tree';
  readonly treeId: TreeId;
}

/** Restores a tree from the trash. */
export interface RestoreTreeCommand {
  readonly type: 'restore-tree';
  readonly treeId: TreeId;
}

/** Returns the key of a forest tree. An undefined and an empty prompt have different keys, and white space counts. */
export function forestKey(kit: MessageKit, systemPrompt: string | undefined): string {
  if (systemPrompt === undefined) return 'none';
  // A text block would not work: message equality trims text, but equality of prompts must not.
  const exact = { type: 'system-prompt', value: systemPrompt };
  return kit.key({ role: 'system', content: [exact] });
}

/** Builds the node of a root, which has no message. */
export function buildRootNode(id: NodeId, createdAt: number): NewNode {
  return {
    id,
    parentId: null,
    position: positionBetween(null, null),
    kind: 'root',
    message: null,
    status: 'success',
    groupId: 0,
    createdAt,
    matchParent: null,
    key: null,
    text: '',
    tokens: 0,
    meta: {},
    marker: null,
    aliases: [],
  };
}

/** Builds the first steps of every tree: its root and its attributes. */
export function buildFirstSteps(context: PlanContext, rootId: NodeId, attributes: TreeAttributes): Step[] {
  const set: TreeAttributes = {
    ...applyPatch<TreeAttributes>({}, normaliseAttributes(attributes)),
    project: attributes.project ?? defaultProject,
  };
  return [
    { type: 'insert', node: buildRootNode(rootId, context.now) },
    { type: 'attributes', after: set, before: inversePatch({}, set) },
  ];
}

/** Normalises attributes before they are stored: a blank title is removed. */
function normaliseAttributes(set: Patch<TreeAttributes>): Patch<TreeAttributes> {
  const kept = { ...set };
  for (const key of ['title', 'autoTitle'] as const) if (/^\s*$/.test(set[key] ?? '-')) kept[key] = null;
  return kept;
}

// Only planners write these attributes; commands may not set them.
const reservedNames = ['forestKey', 'copiedFrom', 'trashedAt'] as const;

/** Throws if a command sets an attribute that only planners may write. */
export function assertNotReserved(set: object, treeId: TreeId, keys: readonly string[] = reservedNames): void {
  for (const key of keys)
    if (Object.hasOwn(set, key))
      refuse('tree/root-protected', `The attribute ${key} of ${treeId} cannot be changed.`, {
        treeId,
        key,
      });
}

/** Creates the tree in one commit, version 1. Creating the same tree again changes nothing. */
export const planCreate: Planner<CreateCommand, CreateResult> = function* (command, context) {
  // A null removes an attribute, as everywhere else. So a system prompt of null means no prompt.
  const attributes = applyPatch<TreeAttributes>({}, normaliseAttributes(command.attributes ?? {}));
  assertNotReserved(attributes, context.treeId);
  assertMetadataSize(attributes, context.treeId);
  const key = command.forest === true ? forestKey(context.kit, attributes.systemPrompt) : undefined;
  if (key !== undefined) {
    const found = yield* ask('forest', { key, project: attributes.project ?? defaultProject });
    if (found !== null) return toPlan([], { treeId: found, created: false });
  }
  const rootId = newRootId(context, command.rootId);
  const row = yield* ask('tree', {});
  if (row !== null) {
    const same =
      key === undefined &&
      row.attributes.systemPrompt === attributes.systemPrompt &&
      hasAttributes(row, attributes) &&
      (command.rootId === undefined || row.rootId === rootId) &&
      (yield* startsWith(command, row, context));
    if (!same)
      return refuse('tree/exists', `The chat ${row.id} exists already and differs from this command.`, {
        treeId: row.id,
      });
    return toPlan([], { treeId: row.id, created: false });
  }
  const nonBlank = dropBlankMessages(command.messages ?? []);
  const chosen = nonBlank.flatMap(({ id }) => (id === undefined ? [] : [newNodeId(context, id)]));
  const parentInfo = { id: rootId, kind: 'root', matchParent: null, createdAt: context.now } as const;
  // Refuses content that no store accepts before the tree is created, because the messages are appended only
  // afterwards. Ids and keys do not matter here.
  assertStorable(
    buildChainSteps(
      context,
      parentInfo,
      null,
      nonBlank.map((item) => ({ item, key: '', id: rootId })),
    ),
  );
  yield* assertIdsFree(command.rootId === undefined ? chosen : [rootId, ...chosen]);
  const set = key === undefined ? attributes : { ...attributes, forestKey: key };
  return toPlan(buildFirstSteps(context, rootId, set), { treeId: context.treeId, created: true });
};

/** Whether the tree has the requested attributes. Further attributes may have been added later. */
function hasAttributes(row: TreeRow, wished: Patch<TreeAttributes>): boolean {
  return isSameJson(inversePatch(row.attributes, wished), wished);
}

/** Whether the tree starts with these messages. A tree at version 1 has no messages yet, so it may still get them. */
function* startsWith(command: CreateCommand, row: TreeRow, context: PlanContext): ReadProgram<boolean> {
  const { messages = [] } = command;
  if (row.version === 1 || messages.length === 0) return true;
  const { result } = yield* planAppend({ type: 'append', treeId: row.id, parentId: row.rootId, messages }, context);
  return result.added.length === 0;
}

/**
 * Copies messages into a new tree. The copies have new ids and no groups, and record their origin. Pending replies
 * become errors, and bookmarks are not copied.
 */
export const planDuplicate: Planner<DuplicateCommand, DuplicateResult> = function* (command, context) {
  const { from } = command;
  assertNotReserved(command.attributes ?? {}, context.treeId);
  assertMetadataSize(command.attributes ?? {}, context.treeId);
  const source = yield* ask('tree', { treeId: from });
  if (source === null) return refuse('tree/unknown-tree', `There is no chat ${from}.`, { treeId: from });
  const row = yield* ask('tree', {});
  if (row !== null) return toPlan([], { treeId: row.id, ids: yield* findRepeatedCopy(command, row) });
  const end = command.nodeId ?? source.activeNodeId;
  if (command.nodeId !== undefined) yield* requireNode(command.nodeId, from);
  const nodes = yield* readSourceNodes(command, source, end);
  const { forestKey: _, trashedAt: __, ...inherited } = source.attributes;
  const lineage = end === null ? { treeId: from } : { treeId: from, nodeId: end };
  const attributes = applyPatch<TreeAttributes>(inherited, {
    ...normaliseAttributes(command.attributes ?? {}),
    copiedFrom: lineage,
  });
  const rootId = newRootId(context, undefined);
  const steps = buildFirstSteps(context, rootId, attributes);
  const parentInfo = { id: rootId, kind: 'root', matchParent: null, createdAt: context.now } as const;
  const copy = copyNodes(context, {
    treeId: from,
    nodes,
    from: source.rootId,
    parentInfo,
    groups: 'reset',
    how: 'copiedFrom',
  });
  for (const step of copy.steps) steps.push(step);
  const active = end === null ? undefined : (copy.ids.get(end) ?? copy.ids.get(source.activeNodeId ?? end));
  if (active !== undefined) steps.push({ type: 'select', after: active, before: null });
  return toPlan(steps, { treeId: context.treeId, ids: copy.ids });
};

function* readSourceNodes(
  command: DuplicateCommand,
  source: TreeRow,
  end: NodeId | null,
): ReadProgram<readonly Node[]> {
  const { from: treeId } = command;
  if (command.whole === true) return (yield* ask('subtree', { of: source.rootId, treeId })).slice(1);
  return end === null || end === source.rootId ? [] : (yield* ask('path', { to: end, treeId })).nodes;
}

/**
 * Finds the copy that an earlier try created with the same tree id. Throws if a tree with this id exists that is not
 * this copy.
 */
function* findRepeatedCopy(command: DuplicateCommand, row: TreeRow): ReadProgram<Map<NodeId, NodeId>> {
  const { copiedFrom } = row.attributes;
  const end = command.nodeId ?? copiedFrom?.nodeId;
  const same = copiedFrom?.treeId === command.from && copiedFrom.nodeId === end;
  if (!same || !hasAttributes(row, normaliseAttributes(command.attributes ?? {})))
    refuse('tree/exists', `The chat ${row.id} exists already and differs from this command.`, { treeId: row.id });
  const ids = new Map<NodeId, NodeId>();
  for (const { id, meta } of yield* ask('subtree', { of: row.rootId }))
    if (meta.copiedFrom?.treeId === command.from) ids.set(meta.copiedFrom.nodeId, id);
  return ids;
}

export const planAttributes: Planner<AttributesCommand, { readonly treeId: TreeId }> = function* (command, context) {
  const row = yield* requireTree(context);
  assertNotReserved(command.set, row.id);
  // The prompt can change only in an empty tree, because messages were written under the old prompt. A forest tree is
  // found by its prompt.
  if (row.activeNodeId !== null || row.attributes.forestKey !== undefined)
    assertNotReserved(command.set, row.id, ['systemPrompt']);
  assertMetadataSize(command.set, row.id);
  const wished = normaliseAttributes(command.set);
  const set = wished.project === null ? { ...wished, project: defaultProject } : wished;
  const { forestKey: key, project: home } = row.attributes;
  const { project } = set;
  if (typeof project === 'string' && project !== home && typeof key === 'string') {
    const found = yield* ask('forest', { key, project });
    if (found !== null)
      refuse('tree/exists', `The project ${project} has a forest tree with this system prompt already.`, {
        treeId: found,
      });
  }
  return toPlan(changeAttributes(row.attributes, set), { treeId: row.id });
};

/** Moves a tree to the trash, from where it can be restored. */
export const planDeleteTree: Planner<DeleteTreeCommand, { readonly treeId: TreeId }> = function* (_command, context) {
  const row = yield* requireTree(context);
  const inside = yield* ask('subtreeInfo', { of: row.rootId });
  refusePendingReplies(inside.pending);
  return toPlan(
    row.attributes.trashedAt === undefined ? changeAttributes(row.attributes, { trashedAt: context.now }) : [],
    {
      treeId: row.id,
    },
  );
};

/** Restores a tree from the trash. If another forest tree has the same key now, the restored tree loses its key. */
export const planRestoreTree: Planner<RestoreTreeCommand, { readonly treeId: TreeId }> = function* (_command, context) {
  const row = yield* requireTree(context);
  const { forestKey: key, project, trashedAt } = row.attributes;
  if (trashedAt === undefined) return toPlan([], { treeId: row.id });
  const found = typeof key === 'string' ? yield* ask('forest', { key, project: project ?? defaultProject }) : null;
  const set = found === null ? { trashedAt: null } : { trashedAt: null, forestKey: null };
  return toPlan(changeAttributes(row.attributes, set), { treeId: row.id });
};

function changeAttributes(now: TreeAttributes, set: Patch<TreeAttributes>): Step[] {
  const before = inversePatch(now, set);
  return isSameJson(before, set) ? [] : [{ type: 'attributes', after: set, before }];
}

/**
 * The maximum size of a tree's metadata as JSON in UTF-8. Every list of trees includes the metadata, so large metadata
 * would make lists slow.
 */
const maxMetadataBytes = 64 * 1024;

function assertMetadataSize({ metadata }: Patch<TreeAttributes>, treeId: TreeId): void {
  if (metadata === undefined || metadata === null) return;
  // Not every value has a size as JSON: a bigint, a cycle and too many levels have none.
  refuseIfMalformed(() => assertPlainJson(metadata));
  const text = JSON.stringify(metadata);
  const bytes = text.length * 3 <= maxMetadataBytes ? text.length : utf8Length(text);
  if (bytes > maxMetadataBytes)
    refuse(
      'command/invalid',
      `The metadata of a tree may have at most ${maxMetadataBytes} bytes as JSON, not ${bytes}.`,
      {
        treeId,
        bytes,
        most: maxMetadataBytes,
      },
    );
}
