/**
 * Trees, their logs and related data as plain state in one process; every change passes one point before it becomes
 * visible. The memory store has no persistence; file stores have one.
 */
import {
  type AbortSignalLike,
  type AppliedCommit,
  treeId as asTreeId,
  type ChangeOptions,
  type ChangeResult,
  type Commit,
  type ConversationFormat,
  isAppError,
  type LinearRecord,
  type MessageKit,
  type Plan,
  type PlannerFactory,
  type ReadProgram,
  refuse,
  type Tree,
  type TreeId,
  type TreeListEvent,
  type TreeWriteScope,
} from '@coppice/core';
import { assertArgument } from '@coppice/core/decode';
import { isStale } from '@coppice/core/store';
import { allNodes, applyOrThrow, emptyTree } from '@coppice/core/tree';
import { argument } from '../argument-shapes.ts';
import { addHashes, newReferences } from '../attachments.ts';
import { checkLinear, isSameList, refuseBranching, treeOfLinear } from '../linear.ts';
import { mayBranch } from '../options.ts';
import { readOnlyStore, storeClosed, unknownTree } from '../refusals.ts';
import { Answers } from './answers.ts';
import { type BlobHold, BlobHolds } from './blob-holds.ts';
import { blobsNamedIn } from './blob-references.ts';
import { ChangeFeed } from './change-feed.ts';
import { freezeAnswer } from './freeze-steps.ts';
import { GlobalIndex } from './global-index.ts';
import { Locks } from './locks.ts';
import type { KnownTree, PartialTree, PersistedEntry, Persistence } from './persistence.ts';
import { prepareInTurns } from './prepare-commit.ts';
import { insertedBy, type LoadedSlot, Snapshot, TreeSlot } from './tree-slot.ts';
import { Yielder } from './yielder.ts';

/** Options of the state. */
export interface TreeStateOptions {
  readonly persistence?: Persistence;
  readonly readOnly?: boolean;
  readonly treeWrites?: TreeWriteScope;
  readonly kit?: MessageKit;
}

// Two trees with one unique key can only arise if both are created concurrently, so creations are serialised.
const openingStates = 'making a tree';

/** The shared state behind the handles of one store. */
export class TreeState {
  readonly volumes = new Map<TreeId, TreeSlot>();
  readonly locks = new Locks();
  readonly soon = new BlobHolds();
  readonly readOnly: boolean;
  readonly #persistence: Persistence | null;
  readonly #treeWrites: TreeWriteScope | undefined;
  readonly #kit: MessageKit | undefined;
  readonly #lookup: GlobalIndex;
  readonly #answers: Answers;
  readonly #news = new ChangeFeed();
  // Whether other processes may change the trees.
  readonly #follows: boolean;
  #closed = false;

  constructor(options: TreeStateOptions = {}) {
    this.readOnly = options.readOnly ?? false;
    this.#persistence = options.persistence ?? null;
    this.#follows = this.#persistence?.survey !== undefined;
    if (this.#follows) this.#news.pollWith(() => this.follow(true));
    this.#treeWrites = options.treeWrites;
    this.#kit = options.kit;
    const trees = {
      has: (id: string) => this.volumes.has(asTreeId(id)),
      find: (owner: string, treeId: TreeId) => this.find(owner, treeId),
      load: (volume: TreeSlot) => this.#pages(volume),
    };
    this.#lookup = new GlobalIndex(trees, this.#persistence);
    this.#answers = new Answers(trees, this.#lookup);
  }

  /** Registers trees that the persistence can load, when the store is opened. */
  know(trees: readonly KnownTree[]): void {
    for (const { row, format, sequence } of [...trees].sort((a, b) => a.sequence - b.sequence)) {
      const volume = new TreeSlot(row, format, sequence);
      this.volumes.set(row.id, volume);
      this.#lookup.enterForest(row);
      this.#tell(volume);
    }
  }

  /** Registers the number of the last change when the store is opened; its tree may be purged. */
  knowSequence(sequence: number): void {
    this.#news.goOnFrom(sequence);
  }

  /** Applies what other processes did: new and deleted trees, and with `rows` also changes in the others. */
  async follow(rows = false): Promise<void> {
    const survey = this.#persistence?.survey?.(rows) ?? null;
    if (survey === null) return;
    for (const id of survey.gone) this.#leave(id);
    // Numbers of other processes may be lower than those that followers here have seen.
    const numbered = <T extends { readonly sequence: number }>(one: T): T => ({
      ...one,
      sequence: Math.max(one.sequence, this.#news.next()),
    });
    this.know(survey.known.map(numbered));
    for (const [ids, isNew] of [
      [survey.changed, false],
      [survey.replaced, true],
    ] as const)
      for (const id of ids) await this.#reread(id, isNew);
    this.#news.wake();
  }

  #leave(id: TreeId): void {
    const volume = this.volumes.get(id);
    if (volume === undefined) return;
    this.volumes.delete(id);
    this.soon.purges++;
    this.#lookup.forget(volume.row);
    this.#news.forget(id);
  }

  /** Reads what others wrote to a tree, so that lists and search include it. */
  async #reread(id: TreeId, isNew: boolean): Promise<void> {
    const volume = this.volumes.get(id);
    if (volume === undefined || this.locks.held(id)) return;
    try {
      if (isNew) await this.#reload(volume);
      else this.#refresh(volume, await this.#pages(volume), false);
    } catch (error) {
      // A read of the tree itself reports the error.
      if (!isAppError(error)) throw error;
    }
  }

  async #reload(volume: TreeSlot): Promise<void> {
    const loaded = await this.#persistence?.load?.(volume.id);
    if (loaded === undefined || loaded.tree.version === 0 || this.locks.held(volume.id)) return;
    const before = volume.row;
    const pages = volume.pages ?? volume.fill(loaded);
    pages.tree = loaded.tree;
    // A new array instead of clearing the old one, so that existing snapshots keep theirs.
    pages.log = [...loaded.log];
    pages.purged = new Set(loaded.purged);
    pages.index = null;
    volume.row = loaded.tree;
    volume.sequence = this.#news.next();
    this.#lookup.forget(before);
    this.#lookup.enterForest(volume.row);
    this.#lookup.enter(volume.id, pages);
    this.#tell(volume);
  }

  /** Throws if the store is closed. */
  alive(): void {
    if (this.#closed) storeClosed();
  }

  /** Throws if nothing may be written. */
  writable(): void {
    this.alive();
    if (this.readOnly) readOnlyStore();
  }

  close(): void {
    this.#closed = true;
    this.#news.end();
  }

  /** Persists an entry. */
  async keep(entry: PersistedEntry): Promise<void> {
    await this.#persistence?.persist(entry);
  }

  /** Yields an owner's trees, loaded or not. */
  *owned(owner: string): Generator<TreeSlot, void, undefined> {
    for (const volume of this.volumes.values()) if (volume.owner === owner) yield volume;
  }

  /** Returns an owner's tree; undefined if there is none or it belongs to another owner. */
  find(owner: string, treeId: TreeId): TreeSlot | undefined {
    const volume = this.volumes.get(treeId);
    return volume?.owner === owner ? volume : undefined;
  }

  /** Returns an owner's tree, loaded; throws if there is none. */
  async open(owner: string, treeId: TreeId): Promise<{ readonly volume: TreeSlot; readonly pages: LoadedSlot }> {
    this.alive();
    if (this.#follows) await this.follow();
    const volume = this.find(owner, treeId) ?? unknownTree(treeId);
    return { volume, pages: await this.#current(volume) };
  }

  async #pages(volume: TreeSlot): Promise<LoadedSlot> {
    if (volume.pages !== null) return volume.pages;
    const loaded = await this.#persistence?.load?.(volume.id);
    // Another caller may have loaded it meanwhile: there must be only one value.
    if (volume.pages !== null) return volume.pages;
    if (loaded === undefined) return unknownTree(volume.id);
    const pages = volume.fill(loaded);
    this.#lookup.enter(volume.id, pages);
    return pages;
  }

  /** Returns a loaded tree with what others added meanwhile. A writer has already read that under its lock. */
  async #current(volume: TreeSlot): Promise<LoadedSlot> {
    const pages = await this.#pages(volume);
    if (this.#persistence?.pull !== undefined && !this.locks.held(volume.id)) this.#refresh(volume, pages, false);
    return pages;
  }

  /** Applies what others added to a tree; called under its lock, or while it is free. */
  #refresh(volume: TreeSlot, pages: LoadedSlot, write: boolean): void {
    const more = this.#persistence?.pull?.(volume.id, pages.tree, write) ?? [];
    for (const { settled, tree, sequence, format } of more) {
      this.#lookup.adopt(volume.id, insertedBy(settled));
      this.#publish(volume, settled, tree, Math.max(sequence, this.#news.next()), format);
    }
  }

  /** After a failure: an unacknowledged commit may have been persisted after all, and then becomes visible. */
  #lookAgain(volume: TreeSlot, pages: LoadedSlot): void {
    try {
      this.#refresh(volume, pages, false);
    } catch (error) {
      // The caller reports the failure; the next call tries again.
      if (!isAppError(error)) throw error;
    }
  }

  /**
   * Returns the format of an owner's tree, null if there is none. A loaded tree is brought up to date first, as for its
   * reads: otherwise a migration whose failed write was persisted after all would show its version and the old format.
   */
  async formatOf(owner: string, treeId: TreeId): Promise<ConversationFormat | null> {
    this.alive();
    await this.follow(true);
    const volume = this.find(owner, treeId);
    if (volume !== undefined && volume.pages !== null) await this.#current(volume);
    return volume?.format ?? null;
  }

  /** Runs a read program on one snapshot of a tree. */
  async read<T>(owner: string, treeId: TreeId, reading: () => ReadProgram<T>): Promise<T> {
    this.alive();
    if (this.#follows) await this.follow();
    const volume = this.find(owner, treeId);
    const part = volume?.pages === null ? (this.#persistence?.openPart?.(treeId) ?? null) : null;
    const found = part === null ? null : readFromPart(part, reading());
    if (found !== null) return found.value;
    const snapshot = volume === undefined ? null : new Snapshot(await this.#current(volume));
    return this.#answers.drive(owner, treeId, snapshot, reading());
  }

  /** Plans under the lock of the tree, persists the commit, and only then makes it visible. */
  async change<R>(
    owner: string,
    treeId: TreeId,
    planning: PlannerFactory<R>,
    options: ChangeOptions,
  ): Promise<ChangeResult<R>> {
    this.writable();
    const work = () =>
      this.locks.run(treeId, async () => {
        const hold = this.soon.hold(owner);
        try {
          return await this.#change(owner, treeId, planning, options, hold);
        } finally {
          hold.release();
        }
      });
    if (this.#follows) await this.follow();
    return this.volumes.has(treeId) ? work() : this.#making(work);
  }

  /** Runs work that creates a tree: one at a time, also among processes that share a place. */
  #making<T>(work: () => Promise<T>): Promise<T> {
    return this.locks.run(openingStates, () => {
      const inside = async () => {
        await this.follow();
        return work();
      };
      return this.#persistence?.alone?.(inside) ?? work();
    });
  }

  async #change<R>(
    owner: string,
    treeId: TreeId,
    planning: PlannerFactory<R>,
    options: ChangeOptions,
    hold: BlobHold,
  ): Promise<ChangeResult<R>> {
    this.writable();
    const volume = this.find(owner, treeId);
    const pages = volume === undefined ? null : await this.#pages(volume);
    if (volume !== undefined && pages !== null) this.#refresh(volume, pages, true);
    const snapshot = pages === null ? null : new Snapshot(pages);
    const tree = snapshot?.tree ?? null;
    const stale = isStale(tree, options.expectedVersion);
    const turns = new Yielder(options.nodes);
    let plan: Plan<R>;
    let purges: number;
    do {
      purges = this.soon.purges;
      plan = await this.#answers.drive(owner, treeId, snapshot, planning({ stale }), turns);
      // Data that it read from other trees may have been purged meanwhile: then it is planned again.
    } while (purges !== this.soon.purges);
    hold.take(plan);
    await turns.rest();
    const prepared = await prepareInTurns(treeId, snapshot, plan, options, turns);
    if (prepared === null) return { result: plan.result, commit: null, version: tree?.version ?? 0 };
    const branching = mayBranch(this.#treeWrites, owner);
    if (!branching) await this.#answers.drive(owner, treeId, snapshot, refuseBranching(treeId, plan.steps));
    await turns.rest();
    const before = tree ?? emptyTree(treeId, owner, options.at);
    const applied = applyOrThrow(before, prepared.commit.steps, { at: options.at });
    const settled: AppliedCommit = { ...prepared, changes: applied.changes };
    if (tree === null && this.volumes.has(treeId))
      refuse('id/taken', `The id ${treeId} is taken by another tree.`, { treeId });
    await turns.rest();
    const release = await this.#lookup.reserve(treeId, insertedBy(settled), applied.tree);
    const format: ConversationFormat = branching ? 'tree' : (volume?.format ?? 'linear');
    const sequence = this.#news.next();
    try {
      await this.keep({ type: 'commit', treeId, settled, tree: applied.tree, sequence, format });
    } catch (error) {
      release();
      if (volume !== undefined && pages !== null) this.#lookAgain(volume, pages);
      throw error;
    }
    this.#publish(volume ?? new TreeSlot(applied.tree, format, sequence), settled, applied.tree, sequence, format);
    if (hold.named.size > 0) {
      const fresh = await this.#answers.drive(owner, treeId, snapshot, newReferences(plan));
      await this.soon.referred(owner, fresh);
    }
    return { result: plan.result, commit: settled.commit, version: settled.commit.version };
  }

  #publish(volume: TreeSlot, settled: AppliedCommit, tree: Tree, sequence: number, format: ConversationFormat): void {
    const { commit, changes } = settled;
    const pages = volume.pages ?? volume.fill({ tree, log: [] });
    this.volumes.set(volume.id, volume);
    this.#lookup.commit(settled, volume.row, tree);
    volume.write(pages, commit, tree, changes, sequence);
    volume.format = format;
    this.#tell(volume);
    this.#news.wake();
  }

  #tell(volume: TreeSlot): void {
    this.#news.tell(volume.owner, volume.id, volume.row.version, volume.sequence);
  }

  /** Stores a list as it is. Storing the same list again changes nothing. */
  async putLinear(owner: string, record: LinearRecord): Promise<void> {
    this.writable();
    checkLinear(record);
    // A copy, so that the caller cannot change what is stored.
    const linear = treeOfLinear(structuredClone(record), owner, this.#kit);
    const { settled, tree } = linear;
    const { treeId } = record;
    await this.#making(async () => {
      const there = this.volumes.get(treeId);
      if (there !== undefined && there.owner !== owner)
        refuse('id/taken', `The id ${treeId} is taken by another tree.`, { treeId });
      if (there !== undefined) {
        const { tree: stored } = await this.#pages(there);
        const isUnchanged = there.format === 'linear' && stored.version === 1;
        if (isUnchanged && isSameList(linear, { attributes: stored.attributes, nodes: allNodes(stored) })) return;
        refuse('tree/exists', `There is a tree ${treeId} already.`, { treeId });
      }
      const release = await this.#lookup.reserve(treeId, insertedBy(settled), tree);
      const sequence = this.#news.next();
      try {
        await this.keep({ type: 'commit', treeId, settled, tree, sequence, format: 'linear' });
      } catch (error) {
        release();
        throw error;
      }
      this.#publish(new TreeSlot(tree, 'linear', sequence), settled, tree, sequence, 'linear');
      const named = new Set<string>();
      addHashes(JSON.stringify(record.messages), named);
      await this.soon.referred(owner, named);
    });
  }

  /** Converts one list to a tree; false if it is one already or its owner's lists are not converted. */
  async storeAsTree(owner: string, treeId: TreeId): Promise<boolean> {
    this.writable();
    return this.locks.run(treeId, async () => {
      const volume = this.find(owner, treeId);
      if (volume === undefined || volume.format === 'tree' || !mayBranch(this.#treeWrites, owner)) return false;
      const { tree, log } = await this.#pages(volume);
      await this.keep({ type: 'format', treeId, format: 'tree', tree, log });
      volume.format = 'tree';
      return true;
    });
  }

  /** Whether an owner's lists are converted to trees. */
  branches(owner: string): boolean {
    return mayBranch(this.#treeWrites, owner);
  }

  /** Purges nodes of a loaded tree, under its lock; the caller has built the entry. */
  async purge(volume: TreeSlot, entry: Extract<PersistedEntry, { type: 'purge' }>): Promise<void> {
    await this.keep(entry);
    const pages = volume.pages ?? unknownTree(volume.id);
    pages.tree = entry.tree;
    // A new array instead of clearing the old one, so that existing snapshots keep theirs.
    pages.log = [...entry.log];
    pages.index = null;
    volume.row = entry.tree;
    for (const id of entry.nodeIds) pages.purged.add(id);
    this.soon.purges++;
    this.#lookup.forget(entry.tree, entry.nodeIds);
  }

  /** Returns which of these attachments an owner's trees refer to, in current and former contents and in the trash. */
  naming(owner: string, hashes: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    return blobsNamedIn([...this.owned(owner)], (volume) => {
      const reported = volume.pages === null ? this.#persistence?.mentions?.(volume.id, hashes) : undefined;
      return reported ?? this.#pages(volume);
    });
  }

  /** Replaces a tree by its repaired rows, under its lock. */
  async mend(volume: TreeSlot, tree: Tree): Promise<void> {
    await this.keep({ type: 'mend', treeId: volume.id, tree });
    const pages = volume.pages ?? unknownTree(volume.id);
    pages.tree = tree;
    pages.index = null;
    volume.row = tree;
  }

  /** Deletes a tree completely. */
  async forget(volume: TreeSlot): Promise<void> {
    // Followers of all trees have seen this number: if it were reused, they would miss a change.
    await this.keep({ type: 'sequence', sequence: this.#news.last });
    await this.keep({ type: 'purge-tree', treeId: volume.id });
    this.volumes.delete(volume.id);
    this.soon.purges++;
    this.#lookup.forget(volume.row);
    this.#news.forget(volume.id);
    this.#news.wake();
  }

  /**
   * Yields the commits of a tree after a version, then new ones, until the signal aborts or the tree or store is gone.
   */
  async *feed(owner: string, treeId: TreeId, since: number, signal?: AbortSignalLike): AsyncGenerator<Commit> {
    assertArgument('since', since, argument.version);
    const { volume, pages } = await this.open(owner, treeId);
    let at = Math.max(0, Math.floor(since));
    while (!this.#news.over(signal) && this.volumes.get(treeId) === volume) {
      const next = pages.log[at];
      if (next === undefined || at >= pages.tree.version) await this.#news.wait(signal);
      else {
        at++;
        yield next;
      }
    }
  }

  /** Yields the changes in an owner's trees after a cursor, or from now on, then new ones. */
  feedAll(owner: string, since: string | null, signal?: AbortSignalLike): AsyncGenerator<TreeListEvent> {
    this.alive();
    return this.#news.changes(owner, since, signal);
  }
}

/** Runs a read program on parts of a tree; null if it reads something that needs the whole tree. */
function readFromPart<T>(part: PartialTree, reading: ReadProgram<T>): { readonly value: T } | null {
  try {
    let step = reading.next();
    while (!step.done) {
      const answered = part.answer(step.value);
      if (answered === undefined) return null;
      step = reading.next(freezeAnswer(answered));
    }
    return { value: step.value };
  } finally {
    part.close();
  }
}
