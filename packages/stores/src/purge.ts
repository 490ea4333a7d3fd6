/** Purges removed nodes from a tree value, and their texts from its log. */
import {
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
import { purgedContent, purgedMessage } from '@coppice/core/store';
import { allBookmarks, allNodes, findAnyNode, nodeIdOfStep, rowChanges } from '@coppice/core/tree';
import {
  containsPurgedText,
  findSharedTextHistories,
  JoinedMessages,
  type SharedTextHistory,
  type SplitOrigin,
} from './shared-texts.ts';

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
    return refuse('tree/unknown-node', `There is no message ${what.nodeId} in the trash of ${tree.id}.`, {
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
 * Removes purged nodes from a tree value, and their texts from its log. Commits keep their versions, so that feeds have
 * no gap.
 */
export function purgeFromTree(tree: Tree, log: readonly Commit[], what: PurgeTarget): PurgeResult {
  const nodeIds = purgedNodes(tree, what);
  const left = allNodes(tree)
    .filter((node) => !nodeIds.has(node.id))
    .map((node) =>
      node.lastChildId !== null && nodeIds.has(node.lastChildId) ? { ...node, lastChildId: null } : node,
    );
  let contents = 0;
  const histories = sharedHistories(tree, log, nodeIds);
  const cleaned = log.map((commit) => {
    const redacts = (step: Step) => concernsPurged(step, nodeIds) || containsShared(step, commit.version, histories);
    if (!commit.steps.some(redacts)) return commit;
    contents += countReplacedContents(commit.steps.filter(redacts));
    return { ...commit, steps: commit.steps.map((step) => (redacts(step) ? redactStep(step) : step)) };
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
  const id = nodeIdOfStep(step);
  return id !== null && ids.has(id);
}

/** Returns the remaining messages whose former contents may contain purged texts, after splits and joins. */
function sharedHistories(
  tree: Tree,
  log: readonly Commit[],
  nodeIds: ReadonlySet<NodeId>,
): ReadonlyMap<string, SharedTextHistory> {
  const splits = new Map<string, SplitOrigin>();
  for (const { id, addedIn, meta } of allNodes(tree))
    if (meta.splitSource !== undefined) splits.set(id, { source: meta.splitSource, addedIn });
  const joins = new JoinedMessages();
  for (const { steps } of log) joins.add(steps);
  let texts: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  return findSharedTextHistories(nodeIds, splits, joins, (id) => {
    texts ??= textsOfNodes(tree, log, nodeIds);
    return texts.get(id) ?? [];
  });
}

/** Returns the current and former texts of nodes. */
function textsOfNodes(
  tree: Tree,
  log: readonly Commit[],
  nodeIds: ReadonlySet<NodeId>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const add = (id: NodeId, message: Message | null | undefined) => {
    if (!nodeIds.has(id) || message == null) return;
    const texts = found.get(id) ?? new Set<string>();
    found.set(id, texts.add(textOf(message)));
  };
  for (const id of nodeIds) add(id, findAnyNode(tree, id)?.message);
  for (const { steps } of log)
    for (const step of steps)
      if (step.type === 'insert') add(step.node.id, step.node.message);
      else if (step.type === 'replace') for (const one of [step.before, step.after]) add(step.nodeId, one.message);
  return found;
}

/** Whether a step contains a former content of a message that contains a purged text. */
function containsShared(step: Step, version: number, histories: ReadonlyMap<string, SharedTextHistory>): boolean {
  if (histories.size === 0) return false;
  const history = histories.get(nodeIdOfStep(step) ?? '');
  if (history === undefined) return false;
  if (step.type === 'insert')
    return step.node.message !== null && containsPurgedText(history, version, textOf(step.node.message));
  if (step.type !== 'replace') return false;
  const { before, after, since } = step;
  return (
    containsPurgedText(history, since, textOf(before.message)) ||
    containsPurgedText(history, version, textOf(after.message))
  );
}

function blankContent({ message, status, key }: ContentFields): ContentFields {
  const blank = purgedContent(message.role);
  return { ...blank, message: purgedMessage(message), status, key: key === null ? null : blank.key };
}

/** Returns a step without the content of its node. The log with such steps still builds a tree of the same shape. */
export function redactStep(step: Step): Step {
  switch (step.type) {
    case 'insert': {
      const { node } = step;
      const { message, status, key } = node;
      if (message === null)
        return { type: 'insert', node: { ...node, text: '', tokens: 0, meta: {}, marker: null, aliases: [] } };
      const blank = blankContent({ ...node, message, status, key });
      return { type: 'insert', node: { ...node, ...blank, meta: {}, marker: null } };
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
