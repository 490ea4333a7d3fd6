import { refuse } from '../errors.ts';
import { groupBy } from '../group-by.ts';
import { type NodeId, nodeId, type TreeId } from '../ids.ts';
import { isBlank, type Message } from '../message.ts';
import type { Marker, NodeKind, NodeMeta, NodeStatus, TreeAttributes } from '../node.ts';
import { positionsBetween } from '../position.ts';
import { ask, type ReadProgram } from '../reads.ts';
import type { Step } from '../steps/types.ts';
import {
  assertFree,
  buildNode,
  findTakenIds,
  newNodeId,
  newRootId,
  type ParentInfo,
  type PlanContext,
  type Planner,
  parseNewMessage,
  refuseTakenId,
  selectSteps,
  toPlan,
} from './context.ts';
import { assertNotReserved, firstSteps } from './create.ts';

/** A node on its way in, with the id that it had or always gets: so a second import finds the first. */
export interface ImportNode {
  readonly id: string;
  /** Null hangs it on the root. */
  readonly parentId: string | null;
  /** Its place among its siblings; those of one parent are put in rising order. */
  readonly order: number;
  readonly message: Message;
  readonly kind?: Exclude<NodeKind, 'root'>;
  readonly status?: NodeStatus;
  /** Variants of one parent with the same number above zero are one group. */
  readonly group?: number;
  readonly meta?: NodeMeta;
  readonly marker?: Marker;
  readonly createdAt?: number;
  /** Comes into the trash, with all that hangs below it. */
  readonly removed?: boolean;
  /** Its bookmark; made now if it does not say when. */
  readonly bookmark?: { readonly title: string; readonly createdAt?: number; readonly updatedAt?: number };
}

/**
 * Brings a whole conversation in as one commit. Where the tree is there already only nodes whose ids are new are added:
 * nothing that is there is changed, moved or brought back, and neither is the pointer where somebody stands.
 */
export interface ImportCommand {
  readonly type: 'import';
  readonly treeId: TreeId;
  /** Used only where the tree is made. */
  readonly attributes?: TreeAttributes;
  readonly rootId?: string;
  /** Parents before their children; the order is that of creation. */
  readonly nodes: readonly ImportNode[];
  /** Where the user was; the newest node if not given. Used only where nothing is active yet. */
  readonly activeId?: string | null;
  /** Where the part before left the pointer, of a conversation that comes in parts: from there it goes on to `activeId`. */
  readonly follows?: string;
}

/** What an import added, what was there already, and what found no place because the user took its parent away. */
export interface Imported {
  readonly treeId: TreeId;
  readonly created: boolean;
  readonly added: readonly NodeId[];
  readonly present: readonly NodeId[];
  readonly left: readonly NodeId[];
}

/** Where new nodes can grow: the ground of each parent and the last place taken there. */
interface ParentInfos {
  readonly parentInfo: Map<NodeId, ParentInfo>;
  /** Parents that were there before: the last position below them. */
  readonly edge: Map<NodeId, string | null>;
  /** Parents that were there before: the number that each imported group has there. */
  readonly groups: Map<string, number>;
}

/** Adds a conversation, or what is new of it. */
export const importTree: Planner<ImportCommand, Imported> = function* (command, context) {
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
  const { steps, live, added, left } = yield* inserts(context, fresh, rootId, parentInfos);
  const here = row?.activeNodeId ?? null;
  const goesOn = here === null || here === command.follows;
  const active = (goesOn ? (live.find((id) => id === command.activeId) ?? live.at(-1)) : null) ?? here;
  const first = row === null ? firstSteps(context, rootId, attributes) : [];
  return toPlan<Imported>([...first, ...steps, ...selectSteps({ activeNodeId: here }, active)], {
    treeId: context.treeId,
    created: row === null,
    added,
    present: ids.filter((id) => taken.has(id)),
    left,
  });
};

const nodesPerPause = 500;

/**
 * Does something for each node, with pauses in between so that a store can answer others meanwhile. The work is a plain
 * function, because V8 optimises it sooner than a generator body.
 */
function* forAll(nodes: readonly ImportNode[], work: (node: ImportNode) => void): ReadProgram<void> {
  for (let from = 0; from < nodes.length; from += nodesPerPause) {
    yield* ask('pause', {});
    nodes.slice(from, from + nodesPerPause).forEach(work);
  }
}

/** The root of a tree that an import makes: no id in it may be taken. */
function* newRoot(
  { rootId }: ImportCommand,
  context: PlanContext,
  taken: ReadonlySet<string>,
  known: ReadonlySet<string>,
): ReadProgram<NodeId> {
  for (const id of taken) refuseTakenId(nodeId(id));
  const id = newRootId(context, rootId);
  if (known.has(id)) refuse('id/taken', `The id ${id} is that of the root and of a message.`, { nodeId: id });
  yield* assertFree(rootId === undefined ? [] : [id]);
  return id;
}

function checkImportNode(
  context: PlanContext,
  known: ReadonlySet<string>,
  { id, parentId, message, kind = 'message', status = 'success' }: ImportNode,
): void {
  parseNewMessage(message, `The message of ${id}`);
  // A reply that was cut short may have nothing in it.
  if (kind === 'message' && status === 'success' && isBlank(message))
    refuse('message/blank', `The message of ${id} says nothing.`, { nodeId: id });
  if (parentId !== null && !known.has(parentId))
    refuse('tree/broken-path', `The node ${id} hangs on ${parentId}, which is not in this import.`, {
      nodeId: id,
      treeId: context.treeId,
    });
}

function importParent({ parentId }: ImportNode, rootId: NodeId): NodeId {
  return nodeId(parentId ?? rootId);
}

/** What must be known of the parents that were there before. */
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

/** What must be known of a parent that was there before. One that the user removed is no ground. */
function* surveyParent(id: NodeId, grouped: readonly ImportNode[], parentInfos: ParentInfos): ReadProgram<void> {
  const head = yield* ask('head', { id });
  if (head === null) return;
  parentInfos.parentInfo.set(id, head);
  parentInfos.edge.set(id, yield* ask('lastPosition', { of: id }));
  if (grouped.length === 0) return;
  const now = new Map<string, number>((yield* ask('children', { of: id })).map((child) => [child.id, child.groupId]));
  let highest = yield* ask('groupMax', { of: id });
  for (const { id: member, group } of grouped) {
    // A new variant joins the group that its imported fellows are in now, whatever the user made of their numbers.
    const number = now.get(member) ?? 0;
    if (number > 0) parentInfos.groups.set(`${id} ${group}`, number);
  }
  for (const { group } of grouped) {
    const key = `${id} ${group}`;
    if (!parentInfos.groups.has(key)) parentInfos.groups.set(key, ++highest);
  }
}

/** Insert steps for new nodes, siblings by their order, and removals of those that come into the trash. */
function* inserts(context: PlanContext, nodes: readonly ImportNode[], rootId: NodeId, parentInfos: ParentInfos) {
  const positions = positionsFor(nodes, rootId, parentInfos.edge);
  const steps: Step[] = [];
  const later: Step[] = [];
  const added: NodeId[] = [];
  const left: NodeId[] = [];
  const live: NodeId[] = [];
  const gone = new Set<NodeId>();
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
      // Nobody here is writing it.
      status: node.status === 'pending' ? 'error' : node.status,
      groupId: group === 0 ? 0 : (parentInfos.groups.get(`${parentId} ${group}`) ?? group),
      meta: node.meta,
      marker: node.marker,
      createdAt: node.createdAt,
    });
    parentInfos.parentInfo.set(id, made);
    steps.push({ type: 'insert', node: made });
    added.push(id);
    if (gone.has(parentId) || node.removed === true) {
      if (!gone.has(parentId)) later.push({ type: 'remove', nodeId: id });
      gone.add(id);
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

/** A position for each node: below a parent that was there before, after all that is there. */
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
