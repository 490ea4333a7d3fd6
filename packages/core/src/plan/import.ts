import { refuse } from '../errors.ts';
import { groupBy } from '../group-by.ts';
import { type NodeId, nodeId, type TreeId } from '../ids.ts';
import { isBlank, type Message } from '../message.ts';
import type { Marker, NodeKind, NodeMeta, NodeStatus, TreeAttributes } from '../node.ts';
import { positionsBetween } from '../position.ts';
import { ask, type ReadProgram } from '../reads.ts';
import { inversePatch } from '../rows.ts';
import { isSameJson } from '../same-json.ts';
import type { Step } from '../steps/types.ts';
import {
  assertIdsFree,
  buildNode,
  buildSelectSteps,
  findTakenIds,
  newNodeId,
  newRootId,
  type ParentInfo,
  type PlanContext,
  type Planner,
  parseNewMessage,
  throwIdTaken,
  toPlan,
} from './context.ts';
import { assertNotReserved, buildFirstSteps } from './create.ts';
import { buildReplaceStep } from './edit-types.ts';

/** A node to import. Its id is the original id or derived from the source, so that a second import finds the node. */
export interface ImportNode {
  readonly id: string;
  /** Null means a child of the root. */
  readonly parentId: string | null;
  /** The rank among the siblings, which are stored in ascending order. */
  readonly order: number;
  readonly message: Message;
  readonly kind?: Exclude<NodeKind, 'root'>;
  readonly status?: NodeStatus;
  /** Variants of one parent with the same number above zero form a group. */
  readonly group?: number;
  readonly meta?: NodeMeta;
  readonly marker?: Marker;
  readonly createdAt?: number;
  /** Whether the node is imported into the trash, with its whole subtree. */
  readonly removed?: boolean;
  /** The bookmark of the node; without a time it gets the current time. */
  readonly bookmark?: { readonly title: string; readonly createdAt?: number; readonly updatedAt?: number };
}

/**
 * Imports a whole conversation in one commit. If the tree exists, only nodes with new ids are added. Existing nodes are
 * not moved or restored, and only those in `refresh` are changed. The active node stays active, except as described for
 * `follows`.
 */
export interface ImportCommand {
  readonly type: 'import';
  readonly treeId: TreeId;
  /** The attributes of a tree that the import creates; ignored if the tree exists. */
  readonly attributes?: TreeAttributes;
  readonly rootId?: string;
  /** The nodes in creation order, parents before their children. */
  readonly nodes: readonly ImportNode[];
  /** The node to select if the tree has no active node yet, or as described for `follows`; by default the last one. */
  readonly activeId?: string | null;
  /**
   * For a conversation that is imported in parts: the active node after the previous part. If that node is still
   * active, `activeId` is selected.
   */
  readonly follows?: string;
  /**
   * Existing nodes that get the message, status and source of this import, because they were incomplete at the previous
   * import. The caller must name only nodes that were not changed in Coppice.
   */
  readonly refresh?: readonly string[];
}

/** What an import did with its nodes: added, already present, or left out because the user had removed the parent. */
export interface ImportResult {
  readonly treeId: TreeId;
  readonly created: boolean;
  readonly added: readonly NodeId[];
  readonly present: readonly NodeId[];
  readonly left: readonly NodeId[];
  /** Existing nodes that were replaced. */
  readonly refreshed: readonly NodeId[];
}

/** What is known about the parents of new nodes. */
interface ParentInfos {
  readonly parentInfo: Map<NodeId, ParentInfo>;
  /** The last position below each existing parent. */
  readonly edge: Map<NodeId, string | null>;
  /** The group number of each imported group below an existing parent. */
  readonly groups: Map<string, number>;
}

/** Imports a conversation into a new tree, or adds its new nodes to an existing tree. */
export const planImport: Planner<ImportCommand, ImportResult> = function* (command, context) {
  const { attributes = {}, nodes } = command;
  assertNotReserved(attributes, context.treeId);
  const ids = nodes.map((node) => newNodeId(context, node.id));
  const known = new Set<string>(ids);
  yield* forAll(nodes, (node) => checkImportNode(context, known, node));
  const taken = yield* findTakenIds(ids);
  const row = yield* ask('tree', {});
  const rootId = row?.rootId ?? (yield* newRoot(command, context, taken, known));
  const parentInfos: ParentInfos = { parentInfo: new Map(), edge: new Map(), groups: new Map() };
  const fresh = nodes.filter((node) => !taken.has(node.id));
  if (row === null) parentInfos.parentInfo.set(rootId, { id: rootId, kind: 'root', matchParent: null, createdAt: 0 });
  else yield* surveyAll(nodes, fresh, rootId, taken, parentInfos);
  const { steps, live, added, left } = yield* insertSteps(context, fresh, rootId, parentInfos);
  const here = row?.activeNodeId ?? null;
  const goesOn = here === null || here === command.follows;
  const active = (goesOn ? (live.find((id) => id === command.activeId) ?? live.at(-1)) : null) ?? here;
  const first = row === null ? buildFirstSteps(context, rootId, attributes) : [];
  const replaced = row === null ? [] : yield* refreshSteps(command, context, taken);
  const refreshed = replaced.flatMap((step) => (step.type === 'replace' ? [step.nodeId] : []));
  return toPlan<ImportResult>([...first, ...replaced, ...steps, ...buildSelectSteps({ activeNodeId: here }, active)], {
    treeId: context.treeId,
    created: row === null,
    added,
    present: ids.filter((id) => taken.has(id)),
    left,
    refreshed,
  });
};

/** Builds the steps that update existing nodes from the import. Removed nodes and nodes of another role are skipped. */
function* refreshSteps(
  { nodes, refresh = [] }: ImportCommand,
  context: PlanContext,
  taken: ReadonlySet<string>,
): ReadProgram<Step[]> {
  const wanted = new Set(refresh);
  const incoming = new Map(nodes.filter(({ id }) => wanted.has(id) && taken.has(id)).map((node) => [node.id, node]));
  if (incoming.size === 0) return [];
  const steps: Step[] = [];
  for (const node of yield* ask('nodes', { ids: [...incoming.keys()].map((id) => nodeId(id)) })) {
    const now = incoming.get(node.id);
    const { message } = node;
    if (now === undefined || message === null || node.removedIn !== null || node.kind === 'root') continue;
    if (message.role !== now.message.role) continue;
    const status = now.status === undefined || now.status === 'pending' ? 'success' : now.status;
    if (!isSameJson({ ...message }, { ...now.message }) || status !== node.status)
      steps.push(buildReplaceStep(context, { ...node, message }, { message: now.message, status }));
    const { source, imported } = now.meta ?? {};
    const after = { ...(source === undefined ? {} : { source }), ...(imported === undefined ? {} : { imported }) };
    const before = inversePatch(node.meta, after);
    if (!isSameJson(before, after)) steps.push({ type: 'annotate', nodeId: node.id, after, before });
  }
  return steps;
}

const nodesPerPause = 500;

/**
 * Calls a function for each node with pauses in between, so that a store can serve other requests. `work` is not a
 * generator, because V8 optimises plain functions sooner.
 */
function* forAll(nodes: readonly ImportNode[], work: (node: ImportNode) => void): ReadProgram<void> {
  for (let from = 0; from < nodes.length; from += nodesPerPause) {
    yield* ask('pause', {});
    nodes.slice(from, from + nodesPerPause).forEach(work);
  }
}

/** Returns the root of a new imported tree; throws if any imported id is taken. */
function* newRoot(
  { rootId }: ImportCommand,
  context: PlanContext,
  taken: ReadonlySet<string>,
  known: ReadonlySet<string>,
): ReadProgram<NodeId> {
  for (const id of taken) throwIdTaken(nodeId(id));
  const id = newRootId(context, rootId);
  if (known.has(id))
    refuse('id/taken', `The id ${id} is used for the beginning of the chat and for a message.`, { nodeId: id });
  yield* assertIdsFree(rootId === undefined ? [] : [id]);
  return id;
}

function checkImportNode(
  context: PlanContext,
  known: ReadonlySet<string>,
  { id, parentId, message, kind = 'message', status = 'success' }: ImportNode,
): void {
  parseNewMessage(message, `The message of ${id}`);
  // A reply that was cut short may be empty.
  if (kind === 'message' && status === 'success' && isBlank(message))
    refuse('message/blank', `The message ${id} is empty.`, { nodeId: id });
  if (parentId !== null && !known.has(parentId))
    refuse('tree/broken-path', `The parent ${parentId} of ${id} is not part of this import.`, {
      nodeId: id,
      treeId: context.treeId,
    });
}

function importParent({ parentId }: ImportNode, rootId: NodeId): NodeId {
  return nodeId(parentId ?? rootId);
}

/** Reads the existing parents of new nodes into `parentInfos`. */
function* surveyAll(
  nodes: readonly ImportNode[],
  fresh: readonly ImportNode[],
  rootId: NodeId,
  taken: ReadonlySet<string>,
  parentInfos: ParentInfos,
): ReadProgram<void> {
  const grouped = groupBy(nodes, (node) => ((node.group ?? 0) === 0 ? null : importParent(node, rootId)));
  const parents = new Set(fresh.map((node) => importParent(node, rootId)));
  let surveyed = 0;
  for (const id of parents) {
    if (id !== rootId && !taken.has(id)) continue;
    if (++surveyed % nodesPerPause === 0) yield* ask('pause', {});
    yield* surveyParent(id, grouped.get(id) ?? [], parentInfos);
  }
}

/**
 * Reads an existing parent into `parentInfos`. Removed parents are skipped, because nothing can be added below them.
 */
function* surveyParent(id: NodeId, grouped: readonly ImportNode[], parentInfos: ParentInfos): ReadProgram<void> {
  const head = yield* ask('head', { id });
  if (head === null) return;
  parentInfos.parentInfo.set(id, head);
  parentInfos.edge.set(id, yield* ask('lastPosition', { of: id }));
  if (grouped.length === 0) return;
  const now = new Map<string, number>((yield* ask('children', { of: id })).map((child) => [child.id, child.groupId]));
  let highest = yield* ask('groupMax', { of: id });
  for (const { id: member, group } of grouped) {
    // A new variant joins the current group of its imported siblings, even if the user regrouped them.
    const number = now.get(member) ?? 0;
    if (number > 0) parentInfos.groups.set(`${id} ${group}`, number);
  }
  for (const { group } of grouped) {
    const key = `${id} ${group}`;
    if (!parentInfos.groups.has(key)) parentInfos.groups.set(key, ++highest);
  }
}

/**
 * Builds insert steps for new nodes, siblings in their order, and remove steps for nodes that are imported into the
 * trash.
 */
function* insertSteps(context: PlanContext, nodes: readonly ImportNode[], rootId: NodeId, parentInfos: ParentInfos) {
  const positions = positionsFor(nodes, rootId, parentInfos.edge);
  const steps: Step[] = [];
  const later: Step[] = [];
  const added: NodeId[] = [];
  const left: NodeId[] = [];
  const live: NodeId[] = [];
  const removedIds = new Set<NodeId>();
  yield* forAll(nodes, (node) => {
    const id = nodeId(node.id);
    const parentId = importParent(node, rootId);
    const parent = parentInfos.parentInfo.get(parentId);
    if (parent === undefined) {
      left.push(id);
      return;
    }
    const group = node.group ?? 0;
    const made = buildNode(context, parent, positions.get(id) ?? '', {
      id,
      message: node.message,
      kind: node.kind,
      // An imported pending reply becomes an error, because no run of this store finishes it.
      status: node.status === 'pending' ? 'error' : node.status,
      groupId: group === 0 ? 0 : (parentInfos.groups.get(`${parentId} ${group}`) ?? group),
      meta: node.meta,
      marker: node.marker,
      createdAt: node.createdAt,
    });
    parentInfos.parentInfo.set(id, made);
    steps.push({ type: 'insert', node: made });
    added.push(id);
    if (removedIds.has(parentId) || node.removed === true) {
      if (!removedIds.has(parentId)) later.push({ type: 'remove', nodeId: id });
      removedIds.add(id);
      return;
    }
    live.push(id);
    if (node.bookmark !== undefined) {
      const { title, createdAt = context.now, updatedAt = createdAt } = node.bookmark;
      const after = { nodeId: id, title, createdAt, updatedAt };
      later.push({ type: 'bookmark', nodeId: id, after, before: null });
    }
  });
  return { steps: [...steps, ...later], added, left, live };
}

/** Returns a position for each node. Below an existing parent the new nodes come after all its children. */
function positionsFor(
  nodes: readonly ImportNode[],
  rootId: NodeId,
  edge: ReadonlyMap<NodeId, string | null>,
): Map<NodeId, string> {
  const positions = new Map<NodeId, string>();
  for (const [parentId, family] of groupBy(nodes, (node) => importParent(node, rootId))) {
    family.sort((a, b) => a.order - b.order);
    const keys = positionsBetween(edge.get(parentId) ?? null, null, family.length);
    for (const [index, node] of family.entries()) positions.set(nodeId(node.id), keys[index] ?? '');
  }
  return positions;
}
