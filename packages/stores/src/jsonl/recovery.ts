/**
 * Fits the entries of a damaged session file into the tree, with other parents or positions, so that no message is
 * lost.
 */
import { findPositionAfterChildren, type SessionEntry, type SessionWarning } from '@coppice/content/sessions';
import {
  type ApplyResult,
  buildRootNode,
  isBlank,
  type MoveStep,
  matchParentOfChildren,
  type NewNode,
  type Node,
  type NodeId,
  nodeId,
  type RestoreStep,
  type Step,
  type Tree,
} from '@coppice/core';
import { ownField } from '@coppice/core/decode';
import { apply, findAnyNode, findNode, isAncestorOrSelf, leaves, nodeIdOfStep } from '@coppice/core/tree';
import type { ReplayOptions } from './replay-options.ts';

interface EarlyNode {
  readonly id: NodeId;
  readonly position: string;
  readonly groupId: number;
}

/** The steps of a commit that can be applied to the tree, and the result of applying them. */
export interface ApplicableSteps extends ApplyResult {
  readonly steps: readonly Step[];
}

/**
 * Adapts the steps of each commit so that they can be applied. It remembers misplaced nodes from one commit to the
 * next.
 */
export class StepRecovery {
  readonly #options: ReplayOptions;
  readonly #warn: (warning: SessionWarning) => void;
  // Nodes whose parent differs from the parent in their line.
  readonly #misplaced = new Set<NodeId>();
  // Nodes that were inserted before their parent, by the id of that parent.
  readonly #waitingForParent = new Map<string, EarlyNode[]>();
  // Nodes that a line restores before a later line removes them, with the version of that removal.
  readonly #restored = new Map<NodeId, number>();

  constructor(options: ReplayOptions, warn: (warning: SessionWarning) => void) {
    this.#options = options;
    this.#warn = warn;
  }

  /** The nodes that may be below another node only because a line is lost. */
  get misplaced(): ReadonlySet<NodeId> {
    return this.#misplaced;
  }

  /**
   * Returns the steps that can be applied. An entry that cannot be inserted gets another parent; any other step that
   * cannot be applied is dropped. Both give a warning.
   */
  fit(tree: Tree, given: readonly Step[], lines: readonly SessionEntry[], at: number): ApplicableSteps {
    const steps = given.map((step) => this.#markRecovered(step));
    const misplaced = this.#misplaced.size + this.#restored.size;
    const removesOrMoves = misplaced > 0 && steps.some((step) => step.type === 'remove' || step.type === 'move');
    if (this.#waitingForParent.size === 0 && !removesOrMoves) {
      const applied = apply(tree, steps, { at });
      if (applied.ok) return { steps, ...applied.value };
    }
    const applier = new StepApplier(tree, at);
    for (const step of steps) {
      if (step.type === 'remove') {
        if (this.#isAlreadyRestored(step.nodeId, lines)) continue;
        this.#moveMisplacedOut(applier, step.nodeId);
      }
      if (applier.take(step)) {
        if (step.type === 'insert') this.#attachWaiting(applier, step.node.id);
        if (step.type === 'move') this.#misplaced.delete(step.nodeId);
        continue;
      }
      const why = applier.why;
      if (step.type === 'move' && this.#moveMisplaced(applier, step)) continue;
      if (step.type === 'restore' && this.#restore(applier, step)) continue;
      const other = this.#buildReplacement(applier.tree, step);
      const line = lines.find(({ uuid }) => nodeIdOfStep(step) === this.#options.names.toNode(uuid)) ?? lines[0];
      if (other !== null && applier.take({ type: 'insert', node: other })) {
        if (line !== undefined) this.#warnMisplaced(line, other, why);
        this.#attachWaiting(applier, other.id);
      } else if (line !== undefined) {
        const message = `The entry ${line.uuid} does not fit: ${why}`;
        this.#warn({ code: 'misfit', message, line: 0, offset: 0, uuid: line.uuid });
      }
    }
    const applied = apply(tree, applier.steps, { at });
    return applied.ok ? { steps: applier.steps, ...applied.value } : { steps: [], tree, changes: [] };
  }

  /** Marks an inserted node with the id of its missing parent, in `recoveredFrom` of its metadata. */
  #markRecovered(step: Step): Step {
    if (step.type !== 'insert') return step;
    const { file, names } = this.#options;
    if (file.hasDetached !== true) return step;
    const named = file.namedParentAt?.(file.indexOf(names.toFile(step.node.id)));
    if (named === undefined) return step;
    const meta = { ...step.node.meta, recoveredFrom: names.toNode(named) };
    this.#misplaced.add(step.node.id);
    return { type: 'insert', node: { ...step.node, meta } };
  }

  /**
   * Moves a node that has another parent or position than the step expects. If the move fails, the node counts as
   * misplaced and is not removed together with its old parent.
   */
  #moveMisplaced(applier: StepApplier, { nodeId: id, to }: MoveStep): boolean {
    const isMoved = this.#move(applier, id, to.parentId, to.position, to.groupId);
    if (isMoved) this.#misplaced.delete(id);
    else this.#misplaced.add(id);
    return isMoved;
  }

  /**
   * Restores a node whose removal has another version than the step, or whose position is taken. If the node does not
   * exist or is not removed yet, its later removal is skipped.
   */
  #restore(applier: StepApplier, { nodeId: id, position, version: named }: RestoreStep): boolean {
    const node = findAnyNode(applier.tree, id);
    if (node === undefined || node.removedIn === null) {
      this.#restored.set(id, named);
      return true;
    }
    const { parentId, removedIn: version } = node;
    if (parentId === null) return false;
    return [position ?? node.position, findPositionAfterChildren(applier.tree, parentId)].some((candidate) =>
      applier.take({ type: 'restore', nodeId: id, version, position: candidate }),
    );
  }

  /** Whether an earlier line already restored the node that these lines remove. */
  #isAlreadyRestored(id: NodeId, lines: readonly SessionEntry[]): boolean {
    const version = this.#restored.get(id);
    return version !== undefined && lines.some((line) => ownField(line, 'version') === version);
  }

  /** Moves misplaced nodes out of a subtree that is about to be removed. They are in it only because a line is lost. */
  #moveMisplacedOut(applier: StepApplier, top: NodeId): void {
    const parentId = findNode(applier.tree, top)?.parentId;
    if (parentId == null) return;
    for (const id of this.#misplaced)
      if (id !== top && isAncestorOrSelf(applier.tree, top, id)) this.#move(applier, id, parentId, null, 0);
  }

  /**
   * Returns the node to insert instead of one that cannot be inserted: below its nearest existing ancestor, at a free
   * position. If the line of a reply is lost, the reply is rebuilt from the line that completed it. Null for steps that
   * insert no message.
   */
  #buildReplacement(tree: Tree, step: Step): NewNode | null {
    const { file, names, kit } = this.#options;
    if (step.type === 'replace' && findAnyNode(tree, step.nodeId) === undefined) {
      const { message, status, key, text, tokens } = step.after;
      const made = buildRootNode(step.nodeId, tree.updatedAt);
      const parent = tree.activeNodeId === null ? undefined : findNode(tree, tree.activeNodeId);
      const kind = key === null ? 'injected' : 'message';
      return asLastChild(
        tree,
        { ...made, kind, message, status, key, text, tokens, marker: key === null ? {} : null },
        parent,
      );
    }
    if (step.type !== 'insert' || findAnyNode(tree, step.node.id) !== undefined) return null;
    const { node } = step;
    const from = file.indexOf(names.toFile(node.id));
    let parent = node.parentId === null ? undefined : findNode(tree, node.parentId);
    let left = file.size;
    for (let index = from; parent === undefined && index > 0 && left > 0; left--) {
      index = file.parentAt(index);
      parent = findNode(tree, nodeId(names.toNode(file.uuidAt(index))));
    }
    if (parent?.id !== node.parentId) {
      this.#waitForParent(node);
      this.#misplaced.add(node.id);
    }
    const isBlankSuccess = node.message !== null && node.status === 'success' && isBlank(node.message);
    const key = node.kind === 'message' && node.message !== null ? (node.key ?? kit.key(node.message)) : null;
    return asLastChild(tree, { ...node, key, ...(isBlankSuccess ? { status: 'interrupted' } : {}) }, parent);
  }

  #waitForParent(node: NewNode): void {
    const { parentId, id, position, groupId } = node;
    if (parentId === null) return;
    const waiting = this.#waitingForParent.get(parentId);
    const early = { id, position, groupId };
    if (waiting === undefined) this.#waitingForParent.set(parentId, [early]);
    else waiting.push(early);
  }

  /** Moves the nodes that were inserted before their parent below it, now that the parent exists. */
  #attachWaiting(applier: StepApplier, parentId: NodeId): void {
    const waiting = this.#waitingForParent.get(parentId) ?? [];
    this.#waitingForParent.delete(parentId);
    for (const { id, position, groupId } of waiting)
      if (this.#move(applier, id, parentId, position, groupId)) this.#misplaced.delete(id);
  }

  /** Moves a node below another one: to the given position if it is free, else to the end. */
  #move(applier: StepApplier, id: NodeId, parentId: NodeId, position: string | null, groupId: number): boolean {
    const node = findNode(applier.tree, id);
    const parent = findNode(applier.tree, parentId);
    if (node === undefined || parent === undefined || node.parentId === null) return false;
    const to = { parentId, matchParent: matchParentOfChildren(parent), groupId };
    const from = {
      parentId: node.parentId,
      position: node.position,
      matchParent: node.matchParent ?? node.parentId,
      groupId: node.groupId,
    };
    const last = findPositionAfterChildren(applier.tree, parentId);
    return [position ?? last, last].some((candidate) =>
      applier.take({ type: 'move', nodeId: id, to: { ...to, position: candidate }, from }),
    );
  }

  #warnMisplaced(entry: SessionEntry, node: NewNode, why: string): void {
    const { file } = this.#options;
    // A missing or later parent was already reported when the file was read.
    const index = file.indexOf(entry.uuid);
    if (file.namedParentAt?.(index) !== undefined || file.parentAt(index) > index) return;
    const message = `The entry ${entry.uuid} cannot be inserted at its position (${why}); it is shown below ${node.parentId}.`;
    this.#warn({ code: 'misfit', message, line: 0, offset: 0, uuid: entry.uuid });
  }
}

/** Applies steps one by one, and skips those that cannot be applied. */
class StepApplier {
  readonly steps: Step[] = [];
  readonly #at: number;
  tree: Tree;
  why = '';

  constructor(tree: Tree, at: number) {
    this.tree = tree;
    this.#at = at;
  }

  take(step: Step): boolean {
    // A tree with messages needs an active node, so a first message is tried together with its selection.
    const selection =
      step.type === 'insert' && step.node.parentId !== null ? [selectStep(this.tree, step.node.id)] : null;
    return (
      this.#takeAll([step]) ||
      (selection !== null && this.tree.activeNodeId === null && this.#takeAll([step, ...selection])) ||
      (step.type === 'remove' && this.#takeAll([step, selectStep(this.tree, this.#activeWithout(step.nodeId))]))
    );
  }

  /** Returns the node to select until a later step selects another one, if the active node is removed. */
  #activeWithout(id: NodeId): NodeId | null {
    const parentId = findNode(this.tree, id)?.parentId ?? null;
    if (parentId !== null && parentId !== this.tree.rootId) return parentId;
    const others = leaves(this.tree).filter((leaf) => !isAncestorOrSelf(this.tree, id, leaf.id));
    return others.at(-1)?.id ?? null;
  }

  #takeAll(steps: readonly Step[]): boolean {
    const tried = apply(this.tree, steps, { at: this.#at });
    if (!tried.ok) {
      this.why = tried.refusal.message;
      return false;
    }
    // All steps belong to one commit, so the version must not rise with each step.
    this.tree = { ...tried.value.tree, version: this.tree.version };
    for (const step of steps) this.steps.push(step);
    return true;
  }
}

/** Returns a node as the last child of another node, or of the root. */
function asLastChild(tree: Tree, node: NewNode, given: Node | undefined): NewNode | null {
  const parent = given ?? findNode(tree, tree.rootId);
  if (parent === undefined) return null;
  return {
    ...node,
    parentId: parent.id,
    position: findPositionAfterChildren(tree, parent.id),
    matchParent: matchParentOfChildren(parent),
    groupId: 0,
    aliases: [],
  };
}

function selectStep(tree: Tree, after: NodeId | null): Step {
  return { type: 'select', after, before: tree.activeNodeId };
}
