/** Purges removed nodes from a tree value, and their texts from its log. */
import {
  type Block,
  type Commit,
  type ContentFields,
  type Message,
  type Node,
  type NodeId,
  type PurgeReport,
  refuse,
  type Step,
  type Tree,
  textOf,
} from '@coppice/core';
import { treeFromRows } from '@coppice/core/history';
import { allBookmarks, allNodes, findAnyNode, nodeOfStep, rowChanges } from '@coppice/core/tree';

/** Which nodes to purge: the subtree that was removed with one node, or all nodes that were removed up to a version. */
export type PurgeTarget = { readonly nodeId: NodeId } | { readonly upTo: number };

/** The tree and the log without the purged nodes, their ids, and the counts for the report. */
export interface PurgeResult {
  readonly nodeIds: ReadonlySet<NodeId>;
  readonly tree: Tree;
  readonly log: readonly Commit[];
  readonly report: Pick<PurgeReport, 'nodes' | 'contents'>;
}

/** Returns the root of the subtree that one commit removed together with a node. */
function topOfRemoval(tree: Tree, from: Node): Node {
  let top = from;
  for (;;) {
    const parent = top.parentId === null ? undefined : findAnyNode(tree, top.parentId);
    if (parent === undefined || parent.removedIn !== from.removedIn) return top;
    top = parent;
  }
}

/** Returns the removed nodes to purge, with all their descendants, whenever those were removed. */
function purgedNodes(tree: Tree, what: PurgeTarget): Set<NodeId> {
  const nodes = allNodes(tree);
  const gone = new Set<NodeId>();
  if ('upTo' in what) {
    for (const node of nodes) if (node.removedIn !== null && node.removedIn <= what.upTo) gone.add(node.id);
    return gone;
  }
  const node = findAnyNode(tree, what.nodeId);
  if (node === undefined || node.removedIn === null)
    return refuse('tree/unknown-node', `There is no node ${what.nodeId} in the trash of ${tree.id}.`, {
      nodeId: what.nodeId,
    });
  const below = new Map<NodeId, Node[]>();
  for (const one of nodes) {
    if (one.parentId === null || one.removedIn === null) continue;
    const list = below.get(one.parentId);
    if (list === undefined) below.set(one.parentId, [one]);
    else list.push(one);
  }
  const open = [topOfRemoval(tree, node).id];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    gone.add(at);
    for (const child of below.get(at) ?? []) open.push(child.id);
  }
  return gone;
}

/**
 * Removes purged nodes from a tree value, and their texts from its
 * log. Commits keep their versions, so that feeds have no gap.
 */
export function purgeFromTree(tree: Tree, log: readonly Commit[], what: PurgeTarget): PurgeResult {
  const nodeIds = purgedNodes(tree, what);
  const left = allNodes(tree)
    .filter((node) => !nodeIds.has(node.id))
    .map((node) =>
      node.lastChildId !== null && nodeIds.has(node.lastChildId) ? { ...node, lastChildId: null } : node,
    );
  let contents = 0;
  const halves = splitTexts(tree, nodeIds);
  const holds = (step: Step) => concernsPurged(step, nodeIds) || holdsHalf(step, halves);
  const cleaned = log.map((commit) => {
    if (!commit.steps.some(holds)) return commit;
    contents += countReplacedContents(commit.steps.filter(holds));
    return { ...commit, steps: commit.steps.map((step) => (holds(step) ? redactStep(step) : step)) };
  });
  return {
    nodeIds,
    tree: nodeIds.size === 0 ? tree : treeFromRows(tree, left, allBookmarks(tree)),
    log: cleaned,
    report: { nodes: nodeIds.size, contents },
  };
}

/** Counts the steps that replaced the content of a node. */
export function countReplacedContents(steps: readonly Step[]): number {
  const changes = rowChanges(steps, { version: 1, seq: 0, at: 0 });
  return changes.filter((change) => change.op === 'updated' && change.set.contentIn !== undefined).length;
}

function concernsPurged(step: Step, ids: ReadonlySet<NodeId>): boolean {
  const id = nodeOfStep(step);
  return id !== null && ids.has(id);
}

/** Returns the texts of purged halves of split messages, by the node that they were split from. */
function splitTexts(tree: Tree, nodeIds: ReadonlySet<NodeId>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const id of nodeIds) {
    const { message, meta } = findAnyNode(tree, id) ?? {};
    if (message == null || meta?.splitSource === undefined) continue;
    const texts = found.get(meta.splitSource);
    if (texts === undefined) found.set(meta.splitSource, [textOf(message)]);
    else texts.push(textOf(message));
  }
  return found;
}

/** Whether a step contains the undivided text of a message of which a half was purged. */
function holdsHalf(step: Step, halves: ReadonlyMap<string, readonly string[]>): boolean {
  const id = step.type === 'insert' ? step.node.id : step.type === 'replace' ? step.nodeId : null;
  const texts = id === null ? [] : (halves.get(id) ?? []);
  const messages =
    step.type === 'insert'
      ? [step.node.message]
      : step.type === 'replace'
        ? [step.before.message, step.after.message]
        : [];
  return texts.some((text) => messages.some((message) => message !== null && textOf(message).includes(text)));
}

const block: Block = { type: 'purged' };

function blankBlocks(message: Message): Message {
  return { ...message, content: [block] };
}

function blankContent({ message, status, key }: ContentFields): ContentFields {
  return {
    message: blankBlocks(message),
    status,
    key: key === null ? null : 'purged',
    text: '',
    tokens: 0,
    aliases: [],
  };
}

/** Returns a step without the content of its node. The log with such steps still builds a tree of the same shape. */
export function redactStep(step: Step): Step {
  switch (step.type) {
    case 'insert': {
      const { node } = step;
      const { message } = node;
      const said = message === null ? node : { ...node, message: blankBlocks(message) };
      const key = node.key === null ? null : 'purged';
      return { type: 'insert', node: { ...said, key, text: '', tokens: 0, meta: {}, marker: null, aliases: [] } };
    }
    case 'replace':
      return { ...step, after: blankContent(step.after), before: blankContent(step.before) };
    case 'annotate':
      return { ...step, after: {}, before: {} };
    case 'bookmark':
      return {
        ...step,
        after: step.after === null ? null : { ...step.after, title: 'purged' },
        before: step.before === null ? null : { ...step.before, title: 'purged' },
      };
    default:
      return step;
  }
}
