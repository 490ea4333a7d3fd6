/** Synchronises changes to nodes that exist on both sides: their parents, contents and metadata. */
import {
  actId as asActId,
  ask,
  type Command,
  type Commit,
  type ContentFields,
  isAppError,
  type Node,
  type NodeId,
  type Plan,
  type ReadProgram,
  type Reads,
  type RunContext,
  run,
  type Step,
  type Store,
  type TreeId,
} from '@coppice/core';
import { orderParentsFirst } from '@coppice/core/tree';
import { type IsNewerAtSource, makeMetadataKey, readChangeTimes } from './change-times.ts';
import { findGroupDifferences, regroupNodes } from './sync-groups.ts';
import { findLabelDifferences, findMetadataDifferences, planAnnotations } from './sync-metadata.ts';

type ChangedRows = NonNullable<Reads['rows']['answer']>;

/**
 * One side of a synchronisation: its rows, the mapping of its ids to those of the other side, and its log. The log is
 * read only if the sides differ.
 */
export interface SyncSide {
  readonly rows: ChangedRows;
  readonly name: (id: NodeId) => NodeId;
  readonly log: () => Promise<readonly Commit[]>;
}

/** A node that exists on both sides. */
export interface SyncPair {
  readonly from: Node;
  readonly to: Node;
}

/**
 * Transfers changes of common nodes from one side to the other; if both changed the same thing, the later change wins.
 * Each change is a separate command of one act, so that the next run completes an interrupted one.
 */
export class SyncChanges {
  readonly #from: SyncSide;
  readonly #to: Store;
  readonly #id: TreeId;
  readonly #context: RunContext;
  #later: IsNewerAtSource | null = null;
  // Nodes that were restored together with another node although the other side has them deleted.
  readonly #restoredToo = new Set<NodeId>();
  #count = 0;

  constructor(from: SyncSide, to: Store, id: TreeId, context: RunContext) {
    this.#from = from;
    this.#to = to;
    this.#id = id;
    this.#context = context;
  }

  async #there(): Promise<ChangedRows | null> {
    return this.#to.read(this.#id, () => ask('rows', {}));
  }

  #pairs({ nodes }: ChangedRows): SyncPair[] {
    const there = new Map(nodes.map((node) => [node.id, node]));
    return orderParentsFirst(this.#from.rows.nodes).flatMap((from) => {
      const to = there.get(this.#from.name(from.id));
      return to === undefined || from.parentId === null ? [] : [{ from, to }];
    });
  }

  #parentOf({ from }: SyncPair): NodeId | null {
    return from.parentId === null ? null : this.#from.name(from.parentId);
  }

  /**
   * Returns the function that decides which side changed something last. Reads the logs once, and only if something
   * differs.
   */
  async #loadComparison(): Promise<IsNewerAtSource> {
    if (this.#later !== null) return this.#later;
    const { log, name } = this.#from;
    const ours = readChangeTimes(await log(), name);
    const since = await this.#to.read(this.#id, () => ask('log', { since: 0 }));
    const theirs = readChangeTimes(since, (id) => id);
    this.#later = (what, key) => {
      const at = ours[what].get(key);
      return at !== undefined && at >= (theirs[what].get(key) ?? Number.NEGATIVE_INFINITY);
    };
    return this.#later;
  }

  /** Runs a command on the target. A refusal is ignored: the target stays unchanged, and the next run tries again. */
  async #run(command: Command): Promise<void> {
    try {
      await run(this.#to, command, this.#context);
      this.#count++;
    } catch (error) {
      if (!isAppError(error) || !error.code.startsWith('tree/') || error.code === 'tree/read-only') throw error;
    }
  }

  /** Restores nodes that the source side has restored, before new nodes are added below them. */
  async restoreNodes(): Promise<void> {
    const there = await this.#there();
    if (there === null) return;
    const gone = this.#pairs(there).filter(({ from, to }) => from.removedIn === null && to.removedIn !== null);
    if (gone.length === 0) return;
    const later = await this.#loadComparison();
    const present = new Map(there.nodes.map((node) => [node.id, node]));
    const back = new Set<NodeId>();
    for (const pair of gone)
      if (later('presence', pair.to.id)) await this.#restoreWithAncestors(pair.to, present, back);
    if (back.size === 0) return;
    const live = new Set((await this.#there())?.nodes.filter((node) => node.removedIn === null).map((node) => node.id));
    for (const { from, to } of this.#pairs(there))
      if (from.removedIn !== null && to.removedIn !== null && live.has(to.id)) this.#restoredToo.add(to.id);
  }

  /** Restores a node, and its deleted ancestors before it. On the other side the node may have another parent. */
  async #restoreWithAncestors(node: Node, present: ReadonlyMap<NodeId, Node>, back: Set<NodeId>): Promise<void> {
    const removedPath: Node[] = [];
    for (let at: Node | undefined = node; at !== undefined && at.removedIn !== null && !back.has(at.id); ) {
      removedPath.push(at);
      at = at.parentId === null ? undefined : present.get(at.parentId);
    }
    for (const { id, parentId, removedIn } of removedPath.reverse()) {
      back.add(id);
      // Restoring the parent has already restored a node that was deleted with it.
      const cameAlong = parentId !== null && back.has(parentId) && present.get(parentId)?.removedIn === removedIn;
      if (!cameAlong) await this.#run({ type: 'restore', treeId: this.#id, nodeId: id });
    }
  }

  /** Applies the moves, groups, edits, metadata, labels, deletions and the active node of the source side. */
  async applyChanges(): Promise<void> {
    await this.#move();
    await this.#group();
    await this.#rewrite();
    await this.#note();
    await this.#label();
    await this.#remove();
    const active = this.#from.rows.row.activeNodeId;
    const there = this.#count === 0 || active === null ? null : await this.#there();
    if (there === null || active === null) return;
    const nodeId = this.#from.name(active);
    const isThere = there.nodes.some((node) => node.id === nodeId && node.removedIn === null);
    if (isThere && there.row.activeNodeId !== nodeId) await this.#run({ type: 'select', treeId: this.#id, nodeId });
  }

  async #live(): Promise<SyncPair[]> {
    const there = await this.#there();
    return there === null ? [] : this.#pairs(there).filter(({ to }) => to.removedIn === null);
  }

  async #move(): Promise<void> {
    const elsewhere = (await this.#live()).filter((pair) => this.#parentOf(pair) !== pair.to.parentId);
    if (elsewhere.length === 0) return;
    const later = await this.#loadComparison();
    // Moves from the top down, so that no node becomes its own descendant in between. A node that the source side has
    // deleted is moved to its last position first, so that it can be restored alone.
    for (const pair of elsewhere) {
      const parentId = this.#parentOf(pair);
      if (parentId !== null && later('place', pair.to.id))
        await this.#run({ type: 'move', treeId: this.#id, nodeId: pair.to.id, parentId });
    }
  }

  async #group(): Promise<void> {
    const together = (await this.#live()).filter(
      (pair) => pair.from.removedIn === null && this.#parentOf(pair) === pair.to.parentId,
    );
    if (findGroupDifferences(together, () => true).length === 0) return;
    const later = await this.#loadComparison();
    const groupings = findGroupDifferences(together, (id) => later('group', id));
    if (groupings.length > 0) await this.#change(() => regroupNodes(groupings));
  }

  async #rewrite(): Promise<void> {
    const other = (await this.#live()).filter(({ from, to }) => from.removedIn === null && !isSameContent(from, to));
    if (other.length === 0) return;
    const later = await this.#loadComparison();
    const words = new Map(other.filter((pair) => later('content', pair.to.id)).map(({ from, to }) => [to.id, from]));
    if (words.size === 0) return;
    await this.#change(() => planRewrites(words));
    this.#count++;
  }

  async #change(planner: () => ReadProgram<Plan<null>>): Promise<void> {
    const { actor, actId, now, newId } = this.#context;
    const options = { actor, actId: asActId(actId ?? newId()), at: now(), additive: false };
    await this.#to.change(this.#id, planner, options);
  }

  async #note(): Promise<void> {
    const other = findMetadataDifferences(await this.#live());
    if (other.length === 0) return;
    const later = await this.#loadComparison();
    const notes = other.filter(({ nodeId, key }) => later('note', makeMetadataKey(nodeId, key)));
    if (notes.length === 0) return;
    await this.#change(() => planAnnotations(notes));
  }

  /** Applies labels and the title of the tree that differ from those of the source side. */
  async #label(): Promise<void> {
    const there = await this.#there();
    if (there === null) return;
    const other = findLabelDifferences(this.#from, there);
    const { title = null } = this.#from.rows.row.attributes;
    const isNamed = title === (there.row.attributes.title ?? null);
    if (other.length === 0 && isNamed) return;
    const later = await this.#loadComparison();
    for (const { nodeId, title } of other)
      if (later('label', nodeId)) await this.#run({ type: 'bookmark', treeId: this.#id, nodeId, title });
    if (!isNamed && later('note', makeMetadataKey('', 'title')))
      await this.#run({ type: 'attributes', treeId: this.#id, set: { title } });
  }

  /**
   * Returns the labels (by node) and the title that the source side removed after the target set them; they must not be
   * added again.
   */
  async readRemovals(): Promise<{ readonly labels: ReadonlySet<NodeId>; readonly name: boolean }> {
    const { rows, name, log } = this.#from;
    const there = await this.#there();
    const marked = new Set(there?.bookmarks.map((bookmark) => bookmark.nodeId));
    const known = new Set(there?.nodes.map((node) => node.id));
    const bare = rows.bookmarks.map(({ nodeId }) => name(nodeId)).filter((id) => known.has(id) && !marked.has(id));
    const { title } = rows.row.attributes;
    const isBare = there !== null && title !== undefined && there.row.attributes.title === undefined;
    if (there === null || (bare.length === 0 && !isBare)) return { labels: new Set(), name: false };
    const theirs = readChangeTimes(await this.#to.read(this.#id, () => ask('log', { since: 0 })), (id) => id);
    const ours = readChangeTimes(await log(), name);
    const isAfter = (what: 'label' | 'note', key: string) =>
      (theirs[what].get(key) ?? Number.NEGATIVE_INFINITY) > (ours[what].get(key) ?? Number.NEGATIVE_INFINITY);
    return {
      labels: new Set(bare.filter((id) => isAfter('label', id))),
      name: isBare && isAfter('note', makeMetadataKey('', 'title')),
    };
  }

  async #remove(): Promise<void> {
    const there = await this.#there();
    if (there === null) return;
    const gone = this.#pairs(there).filter(({ from, to }) => from.removedIn !== null && to.removedIn === null);
    if (gone.length === 0) return;
    const later = await this.#loadComparison();
    const isOver = ({ to }: SyncPair) => this.#restoredToo.has(to.id) || later('presence', to.id);
    const removedRoots = new Set(gone.filter(isOver).map(({ to }) => to.id));
    if (removedRoots.size === 0) return;
    const goneIds = new Set(gone.map(({ to }) => to.id));
    const live = there.nodes.filter((node) => node.removedIn === null);
    const newParents = new Map<NodeId, NodeId>();
    for (const node of orderParentsFirst(live)) {
      if (node.parentId === null) continue;
      const newParent = newParents.get(node.parentId) ?? (removedRoots.has(node.id) ? node.parentId : undefined);
      if (newParent === undefined) continue;
      if (goneIds.has(node.id)) newParents.set(node.id, newParent);
      // A node that the other side does not have, or has below another parent, is moved away before its ancestor is
      // deleted.
      else await this.#run({ type: 'move', treeId: this.#id, nodeId: node.id, parentId: newParent });
    }
    // Nodes that the source deleted together are deleted together here, in the same order, because restoring one
    // restores all that were deleted with it.
    const byRemoval = new Map<number, NodeId[]>();
    for (const { from, to } of gone) {
      if (!removedRoots.has(to.id) || from.removedIn === null) continue;
      const together = byRemoval.get(from.removedIn);
      if (together === undefined) byRemoval.set(from.removedIn, [to.id]);
      else together.push(to.id);
    }
    for (const [, nodeIds] of [...byRemoval].sort(([one], [other]) => one - other))
      await this.#run({ type: 'delete', treeId: this.#id, nodeIds, mode: 'cascade' });
  }
}

function isSameContent(from: Node, to: Node): boolean {
  return from.status === to.status && from.key === to.key && from.text === to.text;
}

/**
 * Plans the content and status that nodes have on the source side. Earlier content stays in the history, as after any
 * edit.
 */
function* planRewrites(words: ReadonlyMap<NodeId, Node>): ReadProgram<Plan<null>> {
  const steps: Step[] = [];
  for (const [id, { message, status, key, text, tokens }] of words) {
    const node = yield* ask('node', { id });
    if (node === null || node.message === null || message === null) continue;
    const { aliases } = node;
    const before: ContentFields = { ...contentOfSide(node), message: node.message };
    const after: ContentFields = { message, status, key, text, tokens, aliases };
    steps.push({ type: 'replace', nodeId: id, after, before, since: node.contentIn });
  }
  return { steps, result: null };
}

function contentOfSide({ status, key, text, tokens, aliases }: Node): Omit<ContentFields, 'message'> {
  return { status, key, text, tokens, aliases };
}
