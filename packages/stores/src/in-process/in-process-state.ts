/**
 * The trees of a store with their logs, in the memory of one process. Every change is persisted before it becomes
 * visible. Only the memory store has no persistence.
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
  type MessageKit,
  type Plan,
  type PlannerFactory,
  type ReadProgram,
  refuse,
  type StoredLinearConversation,
  type Tree,
  type TreeId,
  type TreeListEvent,
  type TreeWriteScope,
} from '@coppice/core';
import { assertArgument } from '@coppice/core/decode';
import { assertLogComplete } from '@coppice/core/history';
import { isStale } from '@coppice/core/store';
import { allNodes, applyOrThrow, emptyTree } from '@coppice/core/tree';
import { argumentValidators } from '../argument-shapes.ts';
import { addBlobHashesInJson, findNewBlobReferences } from '../attachments.ts';
import {
  assertNoNewBranch,
  assertStorableLinearConversation,
  buildLinearTree,
  isUnchangedLinearConversation,
} from '../linear.ts';
import { canBranch } from '../options.ts';
import { throwReadOnlyStore, throwStoreClosed, throwUnknownTree } from '../refusals.ts';
import { InProcessReads } from './answers.ts';
import { type BlobHold, BlobHolds } from './blob-holds.ts';
import { findReferencedBlobs } from './blob-references.ts';
import { ChangeFeed } from './change-feed.ts';
import { freezeAnswer } from './freeze-steps.ts';
import { GlobalIndex } from './global-index.ts';
import { KeyedLocks } from './locks.ts';
import type { PartialTree, PersistedEntry, Persistence, UnloadedTree } from './persistence.ts';
import { prepareCommitCooperatively } from './prepare-commit.ts';
import { findIndexInLog, type LoadedTreeSlot, listInsertedNodeIds, TreeSlot, TreeSnapshot } from './tree-slot.ts';
import { Yielder } from './yielder.ts';

/** Options of a {@link InProcessState}; the same as the store's options of the same names. */
export interface InProcessStateOptions {
  readonly persistence?: Persistence;
  readonly readOnly?: boolean;
  readonly treeWrites?: TreeWriteScope;
  readonly kit?: MessageKit;
}

// Work that creates trees is serialised under this key. Otherwise two trees with the same unique key could be
// created at the same time.
const creationKey = 'making a tree';

/** The trees of a store and all indexes over them. The handles of all owners share one instance. */
export class InProcessState {
  readonly slots = new Map<TreeId, TreeSlot>();
  readonly locks = new KeyedLocks();
  readonly blobHolds = new BlobHolds();
  readonly readOnly: boolean;
  readonly #persistence: Persistence | null;
  readonly #treeWrites: TreeWriteScope | undefined;
  readonly #kit: MessageKit | undefined;
  readonly #index: GlobalIndex;
  readonly #answers: InProcessReads;
  readonly #feed = new ChangeFeed();
  // Whether other processes may change the trees of this store, so that their changes must be looked for.
  readonly #isShared: boolean;
  #closed = false;

  constructor(options: InProcessStateOptions = {}) {
    this.readOnly = options.readOnly ?? false;
    this.#persistence = options.persistence ?? null;
    this.#isShared = this.#persistence?.findExternalChanges !== undefined;
    if (this.#isShared) this.#feed.pollWith(() => this.follow(true));
    this.#treeWrites = options.treeWrites;
    this.#kit = options.kit;
    const trees = {
      has: (id: string) => this.slots.has(asTreeId(id)),
      find: (owner: string, treeId: TreeId) => this.find(owner, treeId),
      load: (slot: TreeSlot) => this.#load(slot),
    };
    this.#index = new GlobalIndex(trees, this.#persistence);
    this.#answers = new InProcessReads(trees, this.#index);
  }

  /** Registers trees that the persistence can load: when the store is opened, and when another process adds trees. */
  register(trees: readonly UnloadedTree[]): void {
    for (const { row, format, sequence } of [...trees].sort((a, b) => a.sequence - b.sequence)) {
      const slot = new TreeSlot(row, format, sequence);
      this.slots.set(row.id, slot);
      this.#index.enterForest(row);
      this.#recordChange(slot);
    }
  }

  /**
   * Continues the change numbers after the last one on disk. No tree may have that number any more, because of a purge.
   */
  registerSequence(sequence: number): void {
    this.#feed.continueAfter(sequence);
  }

  /** Applies the changes of other processes: new and deleted trees, and with `rows` also new commits in known trees. */
  async follow(rows = false): Promise<void> {
    const external = this.#persistence?.findExternalChanges?.(rows) ?? null;
    if (external === null) return;
    for (const id of external.gone) this.#dropSlot(id);
    // Another process may have assigned numbers that followers here have passed already, so its changes get higher
    // ones.
    const numbered = <T extends { readonly sequence: number }>(one: T): T => ({
      ...one,
      sequence: Math.max(one.sequence, this.#feed.nextNumber()),
    });
    this.register(external.known.map(numbered));
    for (const [ids, isNew] of [
      [external.changed, false],
      [external.replaced, true],
    ] as const)
      for (const id of ids) await this.#reread(id, isNew);
    this.#feed.wake();
  }

  #dropSlot(id: TreeId): void {
    const slot = this.slots.get(id);
    if (slot === undefined) return;
    this.slots.delete(id);
    this.blobHolds.purges++;
    this.#index.remove(slot.row);
    this.#feed.forget(id);
  }

  /**
   * Applies what other processes wrote to a tree, so that lists and search include it. A tree that is locked is
   * skipped, because its writer does the same.
   */
  async #reread(id: TreeId, isNew: boolean): Promise<void> {
    const slot = this.slots.get(id);
    if (slot === undefined || this.locks.isHeld(id)) return;
    try {
      if (isNew) await this.#reload(slot);
      else this.#refresh(slot, await this.#load(slot), false);
    } catch (error) {
      // The next read of the tree reports this error.
      if (!isAppError(error)) throw error;
    }
  }

  async #reload(slot: TreeSlot): Promise<void> {
    const loaded = await this.#persistence?.load?.(slot.id);
    if (loaded === undefined || loaded.tree.version === 0 || this.locks.isHeld(slot.id)) return;
    const before = slot.row;
    const loadedSlot = slot.loaded ?? slot.setLoaded(loaded);
    loadedSlot.tree = loaded.tree;
    // Snapshots share the old array, so a new one replaces it.
    loadedSlot.log = [...loaded.log];
    loadedSlot.purged = new Set(loaded.purged);
    loadedSlot.index = null;
    slot.row = loaded.tree;
    slot.sequence = this.#feed.nextNumber();
    this.#index.remove(before);
    this.#index.enterForest(slot.row);
    this.#index.enter(slot.id, loadedSlot);
    this.#recordChange(slot);
  }

  assertOpen(): void {
    if (this.#closed) throwStoreClosed();
  }

  /** Throws if the store is closed or was opened read-only. */
  assertWritable(): void {
    this.assertOpen();
    if (this.readOnly) throwReadOnlyStore();
  }

  close(): void {
    this.#closed = true;
    this.#feed.end();
  }

  /** Persists an entry. Does nothing in the memory store. */
  async persist(entry: PersistedEntry): Promise<void> {
    await this.#persistence?.persist(entry);
  }

  /** Yields an owner's trees, loaded or not. */
  *slotsOf(owner: string): Generator<TreeSlot, void, undefined> {
    for (const slot of this.slots.values()) if (slot.owner === owner) yield slot;
  }

  /** Returns an owner's tree, loaded or not; undefined if the tree does not exist or belongs to another owner. */
  find(owner: string, treeId: TreeId): TreeSlot | undefined {
    const slot = this.slots.get(treeId);
    return slot?.owner === owner ? slot : undefined;
  }

  /** Loads an owner's tree if necessary and returns it. Throws if the owner has no such tree. */
  async open(owner: string, treeId: TreeId): Promise<{ readonly slot: TreeSlot; readonly loadedSlot: LoadedTreeSlot }> {
    this.assertOpen();
    if (this.#isShared) await this.follow();
    const slot = this.find(owner, treeId) ?? throwUnknownTree(treeId);
    return { slot, loadedSlot: await this.#current(slot) };
  }

  async #load(slot: TreeSlot): Promise<LoadedTreeSlot> {
    if (slot.loaded !== null) return slot.loaded;
    const loaded = await this.#persistence?.load?.(slot.id);
    // Another caller may have loaded the tree meanwhile. A second value of it would miss later commits.
    if (slot.loaded !== null) return slot.loaded;
    if (loaded === undefined) return throwUnknownTree(slot.id);
    const loadedSlot = slot.setLoaded(loaded);
    this.#index.enter(slot.id, loadedSlot);
    return loadedSlot;
  }

  /**
   * Returns a loaded tree with the commits of other processes. While the tree is locked, its writer applies them
   * instead.
   */
  async #current(slot: TreeSlot): Promise<LoadedTreeSlot> {
    const loadedSlot = await this.#load(slot);
    if (this.#persistence?.pull !== undefined && !this.locks.isHeld(slot.id)) this.#refresh(slot, loadedSlot, false);
    return loadedSlot;
  }

  /** Applies the commits that other processes added to a tree. The caller holds the tree's lock, or no one does. */
  #refresh(slot: TreeSlot, loadedSlot: LoadedTreeSlot, write: boolean): void {
    const more = this.#persistence?.pull?.(slot.id, loadedSlot.tree, write) ?? [];
    for (const { applied, tree, sequence, format } of more) {
      this.#index.adopt(slot.id, listInsertedNodeIds(applied));
      this.#publish(slot, applied, tree, Math.max(sequence, this.#feed.nextNumber()), format);
    }
  }

  /**
   * Reads a tree again after a failed write. The commit may be on disk although the write reported an error; then it
   * becomes visible.
   */
  #rereadAfterFailure(slot: TreeSlot, loadedSlot: LoadedTreeSlot): void {
    try {
      this.#refresh(slot, loadedSlot, false);
    } catch (error) {
      // The caller throws the error of the write. The next call reads the tree again.
      if (!isAppError(error)) throw error;
    }
  }

  /**
   * Returns the format of an owner's tree; null if the owner has no such tree. A loaded tree is read again first: a
   * conversion to a tree may be on disk although its write failed, and then the version and the format would not match.
   */
  async formatOf(owner: string, treeId: TreeId): Promise<ConversationFormat | null> {
    this.assertOpen();
    await this.follow(true);
    const slot = this.find(owner, treeId);
    if (slot !== undefined && slot.loaded !== null) await this.#current(slot);
    return slot?.format ?? null;
  }

  /** Runs a read program on one snapshot of a tree. */
  async read<T>(owner: string, treeId: TreeId, reading: () => ReadProgram<T>): Promise<T> {
    this.assertOpen();
    if (this.#isShared) await this.follow();
    const slot = this.find(owner, treeId);
    const part = slot?.loaded === null ? (this.#persistence?.openPart?.(treeId) ?? null) : null;
    const found = part === null ? null : readFromPart(part, reading());
    if (found !== null) return found.value;
    const snapshot = slot === undefined ? null : new TreeSnapshot(await this.#current(slot));
    return this.#answers.drive(owner, treeId, snapshot, reading());
  }

  /** Plans a change under the lock of the tree, persists the commit, then makes it visible. */
  async change<R>(
    owner: string,
    treeId: TreeId,
    planning: PlannerFactory<R>,
    options: ChangeOptions,
  ): Promise<ChangeResult<R>> {
    this.assertWritable();
    const work = () =>
      this.locks.run(treeId, async () => {
        const hold = this.blobHolds.hold(owner);
        try {
          return await this.#change(owner, treeId, planning, options, hold);
        } finally {
          hold.release();
        }
      });
    if (this.#isShared) await this.follow();
    return this.slots.has(treeId) ? work() : this.#runCreation(work);
  }

  /** Runs work that creates a tree. Such work runs one at a time, also among processes that share the store. */
  #runCreation<T>(work: () => Promise<T>): Promise<T> {
    return this.locks.run(creationKey, () => {
      const inside = async () => {
        await this.follow();
        return work();
      };
      return this.#persistence?.runExclusively?.(inside) ?? work();
    });
  }

  async #change<R>(
    owner: string,
    treeId: TreeId,
    planning: PlannerFactory<R>,
    options: ChangeOptions,
    hold: BlobHold,
  ): Promise<ChangeResult<R>> {
    this.assertWritable();
    const slot = this.find(owner, treeId);
    const loadedSlot = slot === undefined ? null : await this.#load(slot);
    if (slot !== undefined && loadedSlot !== null) this.#refresh(slot, loadedSlot, true);
    const snapshot = loadedSlot === null ? null : new TreeSnapshot(loadedSlot);
    const tree = snapshot?.tree ?? null;
    const stale = isStale(tree, options.expectedVersion);
    const yielder = new Yielder(options.nodes);
    let plan: Plan<R>;
    let purges: number;
    do {
      purges = this.blobHolds.purges;
      plan = await this.#answers.drive(owner, treeId, snapshot, planning({ stale }), yielder);
      // A purge during planning means that the plan may contain purged data of other trees. Then the change is
      // planned again.
    } while (purges !== this.blobHolds.purges);
    hold.take(plan);
    await yielder.yieldIfDue();
    const prepared = await prepareCommitCooperatively(treeId, snapshot, plan, options, yielder);
    if (prepared === null)
      return { result: plan.result, commit: null, version: tree?.version ?? 0, format: slot?.format };
    const branching = canBranch(this.#treeWrites, owner);
    if (!branching) await this.#answers.drive(owner, treeId, snapshot, assertNoNewBranch(treeId, plan.steps));
    await yielder.yieldIfDue();
    const before = tree ?? emptyTree(treeId, owner, options.at);
    const after = applyOrThrow(before, prepared.commit.steps, { at: options.at });
    const applied: AppliedCommit = { ...prepared, changes: after.changes };
    if (tree === null && this.slots.has(treeId))
      refuse('id/taken', `The id ${treeId} is taken by another chat.`, { treeId });
    await yielder.yieldIfDue();
    const release = await this.#index.reserve(treeId, listInsertedNodeIds(applied), after.tree);
    const format: ConversationFormat = branching ? 'tree' : (slot?.format ?? 'linear');
    const sequence = this.#feed.reserveNumber(owner);
    try {
      await this.persist({ type: 'commit', treeId, applied, tree: after.tree, sequence, format });
    } catch (error) {
      release();
      this.#feed.releaseNumber(sequence);
      if (slot !== undefined && loadedSlot !== null) this.#rereadAfterFailure(slot, loadedSlot);
      throw error;
    }
    this.#publish(slot ?? new TreeSlot(after.tree, format, sequence), applied, after.tree, sequence, format);
    if (hold.hashes.size > 0) {
      const fresh = await this.#answers.drive(owner, treeId, snapshot, findNewBlobReferences(plan));
      await this.blobHolds.onReferred(owner, fresh);
    }
    return { result: plan.result, commit: applied.commit, version: applied.commit.version, format };
  }

  #publish(slot: TreeSlot, applied: AppliedCommit, tree: Tree, sequence: number, format: ConversationFormat): void {
    const { commit, changes } = applied;
    const loadedSlot = slot.loaded ?? slot.setLoaded({ tree, log: [] });
    this.slots.set(slot.id, slot);
    this.#index.commit(applied, slot.row, tree);
    slot.applyCommit(loadedSlot, commit, tree, changes, sequence);
    slot.format = format;
    this.#recordChange(slot);
    this.#feed.wake();
  }

  #recordChange(slot: TreeSlot): void {
    this.#feed.record(slot.owner, slot.id, slot.row.version, slot.sequence);
  }

  /** Stores a conversation as a list. Storing the same list again changes nothing; a different one is refused. */
  async putLinear(owner: string, record: StoredLinearConversation): Promise<void> {
    this.assertWritable();
    assertStorableLinearConversation(record);
    // The record is copied, so that the caller cannot change what is stored.
    const linear = buildLinearTree(structuredClone(record), owner, this.#kit);
    const { applied, tree } = linear;
    const { treeId } = record;
    await this.#runCreation(async () => {
      const existing = this.slots.get(treeId);
      if (existing !== undefined && existing.owner !== owner)
        refuse('id/taken', `The id ${treeId} is taken by another chat.`, { treeId });
      if (existing !== undefined) {
        const { tree: stored } = await this.#load(existing);
        const isUnchanged = existing.format === 'linear' && stored.version === 1;
        if (
          isUnchanged &&
          isUnchangedLinearConversation(linear, { attributes: stored.attributes, nodes: allNodes(stored) })
        )
          return;
        refuse('tree/exists', `There is a chat ${treeId} already.`, { treeId });
      }
      const release = await this.#index.reserve(treeId, listInsertedNodeIds(applied), tree);
      const sequence = this.#feed.reserveNumber(owner);
      try {
        await this.persist({ type: 'commit', treeId, applied, tree, sequence, format: 'linear' });
      } catch (error) {
        release();
        this.#feed.releaseNumber(sequence);
        throw error;
      }
      this.#publish(new TreeSlot(tree, 'linear', sequence), applied, tree, sequence, 'linear');
      const named = new Set<string>();
      addBlobHashesInJson(JSON.stringify(record.messages), named);
      await this.blobHolds.onReferred(owner, named);
    });
  }

  /**
   * Converts a list to a tree. Returns false if the owner has no such list, it is a tree already, or the owner's
   * conversations may not branch.
   */
  async storeAsTree(owner: string, treeId: TreeId): Promise<boolean> {
    this.assertWritable();
    return this.locks.run(treeId, async () => {
      const slot = this.find(owner, treeId);
      if (slot === undefined || slot.format === 'tree' || !canBranch(this.#treeWrites, owner)) return false;
      const { tree, log } = await this.#load(slot);
      await this.persist({ type: 'format', treeId, format: 'tree', tree, log });
      slot.format = 'tree';
      return true;
    });
  }

  mayBranch(owner: string): boolean {
    return canBranch(this.#treeWrites, owner);
  }

  /** Persists a purge and replaces the loaded tree. The caller holds the tree's lock. */
  async purge(slot: TreeSlot, entry: Extract<PersistedEntry, { type: 'purge' }>): Promise<void> {
    await this.persist(entry);
    const loadedSlot = slot.loaded ?? throwUnknownTree(slot.id);
    loadedSlot.tree = entry.tree;
    // Snapshots share the old array, so a new one replaces it.
    loadedSlot.log = [...entry.log];
    loadedSlot.index = null;
    slot.row = entry.tree;
    for (const id of entry.nodeIds) loadedSlot.purged.add(id);
    this.blobHolds.purges++;
    this.#index.remove(entry.tree, entry.nodeIds);
  }

  /** Returns the log of an owner's tree. A tree that is not loaded is read, but not kept in memory. */
  async readLog(owner: string, treeId: TreeId): Promise<readonly Commit[]> {
    const slot = this.find(owner, treeId) ?? throwUnknownTree(treeId);
    const loaded = slot.loaded ?? (await this.#persistence?.load?.(treeId));
    return loaded?.log ?? throwUnknownTree(treeId);
  }

  /** Replaces the log of a loaded tree by its newest part, under the lock of the tree. */
  async trim(slot: TreeSlot, log: readonly Commit[]): Promise<void> {
    const loadedSlot = slot.loaded ?? throwUnknownTree(slot.id);
    await this.persist({ type: 'trim', treeId: slot.id, tree: loadedSlot.tree, log });
    // Snapshots share the old array, so a new one replaces it.
    loadedSlot.log = [...log];
  }

  /**
   * Returns which attachments an owner's trees refer to, in current, replaced and removed messages. `hashes` limits the
   * search in trees that are not loaded.
   */
  findReferencedHashes(owner: string, hashes: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    return findReferencedBlobs([...this.slotsOf(owner)], (slot) => {
      const reported = slot.loaded === null ? this.#persistence?.findReferencedHashes?.(slot.id, hashes) : undefined;
      return reported ?? this.#load(slot);
    });
  }

  /** Persists the repaired rows of a tree and replaces the loaded tree. The caller holds the tree's lock. */
  async repair(slot: TreeSlot, tree: Tree): Promise<void> {
    await this.persist({ type: 'mend', treeId: slot.id, tree });
    const loadedSlot = slot.loaded ?? throwUnknownTree(slot.id);
    loadedSlot.tree = tree;
    loadedSlot.index = null;
    slot.row = tree;
  }

  /** Deletes a tree with its log and ends its feeds. */
  async deleteTree(slot: TreeSlot): Promise<void> {
    // Followers may have received the highest number. If another change got the same number, they would miss that
    // change.
    await this.persist({ type: 'sequence', sequence: this.#feed.last });
    await this.persist({ type: 'purge-tree', treeId: slot.id });
    this.slots.delete(slot.id);
    this.blobHolds.purges++;
    this.#index.remove(slot.row);
    this.#feed.forget(slot.id);
    this.#feed.wake();
  }

  /**
   * Yields the commits of a tree after a version, then waits for new ones. Ends when the signal aborts, the tree is
   * deleted or the store is closed.
   */
  async *feed(owner: string, treeId: TreeId, since: number, signal?: AbortSignalLike): AsyncGenerator<Commit> {
    assertArgument('since', since, argumentValidators.version);
    const { slot, loadedSlot } = await this.open(owner, treeId);
    let at = Math.max(0, Math.floor(since));
    while (!this.#feed.isEnded(signal) && this.slots.get(treeId) === slot) {
      const { log } = loadedSlot;
      if (at < loadedSlot.tree.version && (log[0]?.version ?? 0) > at + 1) assertLogComplete(treeId, at, log);
      const next = log[findIndexInLog(log, at + 1)];
      if (next === undefined || at >= loadedSlot.tree.version) await this.#feed.wait(signal);
      else {
        at++;
        yield next;
      }
    }
  }

  /** Yields the changes in an owner's trees after a cursor (null: after this call), then waits for new ones. */
  feedAll(owner: string, since: string | null, signal?: AbortSignalLike): AsyncGenerator<TreeListEvent> {
    this.assertOpen();
    return this.#feed.changes(owner, since, signal);
  }
}

/** Runs a read program on parts of a tree. Returns null if a read needs the whole tree. Closes the part in any case. */
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
