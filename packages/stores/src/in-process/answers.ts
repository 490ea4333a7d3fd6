/**
 * Answers the reads of a program. Reads about the program's tree use one snapshot; another tree is answered from its
 * state when it was first read.
 */
import type { Answer, Read, ReadProgram, Tree, TreeId } from '@coppice/core';
import type { GlobalIndex, TreeLookup } from './global-index.ts';
import { answerUnknownTree, type TreeSnapshot } from './tree-slot.ts';
import type { Yielder } from './yielder.ts';

export class InProcessReads {
  readonly #trees: TreeLookup;
  readonly #lookup: GlobalIndex;

  constructor(trees: TreeLookup, lookup: GlobalIndex) {
    this.#trees = trees;
    this.#lookup = lookup;
  }

  /** Runs a read program or a planner on one snapshot. A long planner yields to other work. */
  async drive<T>(
    owner: string,
    treeId: TreeId,
    snapshot: TreeSnapshot | null,
    reading: ReadProgram<T>,
    turns?: Yielder,
  ): Promise<T> {
    const others = new Map<TreeId, Tree>();
    let step = reading.next();
    while (!step.done) {
      const resting = step.value.ask === 'pause' ? turns?.yieldIfDue() : undefined;
      if (resting !== undefined) await resting;
      const answered = this.#answer(owner, treeId, snapshot, step.value, others);
      // Reads that need no loading are answered without a promise, so a planner usually runs without interruption.
      step = reading.next(answered instanceof Promise ? await answered : answered);
    }
    return step.value;
  }

  #answer(
    owner: string,
    treeId: TreeId,
    snapshot: TreeSnapshot | null,
    read: Read,
    others: Map<TreeId, Tree>,
  ): Answer | Promise<Answer> {
    switch (read.ask) {
      case 'taken':
        return this.#lookup.taken(read.ids);
      case 'home':
        return this.#lookup.home(owner, read.id);
      case 'forest':
        return this.#lookup.forest(owner, read.project, read.key);
      case 'undoable':
      case 'redoable':
        return this.#lookup.act(owner, treeId, snapshot, read);
    }
    const other = 'treeId' in read ? read.treeId : undefined;
    if (other !== undefined && other !== treeId) {
      const slot = this.#trees.find(owner, other);
      if (slot !== undefined && slot.loaded === null && !others.has(other))
        return this.#trees.load(slot).then(() => this.#answer(owner, treeId, snapshot, read, others));
      const tree = slot?.loaded?.tree;
      if (tree !== undefined && !others.has(other)) others.set(other, tree);
    }
    const around = { tree: (id: TreeId) => (id === treeId ? snapshot?.tree : others.get(id)) };
    return snapshot === null ? answerUnknownTree(read, around) : snapshot.answer(read, around);
  }
}
