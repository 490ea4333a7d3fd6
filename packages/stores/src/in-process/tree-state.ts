/**
 * Trees, their logs and all that goes with them as plain state in one process, with one point through which every
 * change passes before it is seen. The memory store is a book without a keeper; a store of files is one with.
 */
import {
  type AbortSignalLike,
  treeId as asTreeId,
  type ChangeOptions,
  type ChangeResult,
  type Commit,
  type ConversationFormat,
  isAppError,
  type LinearRecord,
  type ListEvent,
  type MessageKit,
  type Plan,
  type PlannerFactory,
  type PreparedCommit,
  type ReadProgram,
  refuse,
  type Tree,
  type TreeId,
  type TreeWrites,
} from '@coppice/core';
import { assertArgument } from '@coppice/core/decode';
import { isStale } from '@coppice/core/store';
import { applyOrThrow, emptyTree } from '@coppice/core/tree';
import { argument } from '../argument-shapes.ts';
import { checkLinear, refuseBranching, treeOfLinear } from '../linear.ts';
import { mayBranch } from '../options.ts';
import { readOnlyStore, storeClosed, unknownTree } from '../refusals.ts';
import { Answers } from './answers.ts';
import { type BlobHold, BlobHolds } from './blob-holds.ts';
import { blobsNamedIn } from './blob-references.ts';
import { ChangeFeed } from './change-feed.ts';
import { GlobalIndex } from './global-index.ts';
import { Locks } from './locks.ts';
import type { KnownTree, PersistedEntry, Persistence } from './persistence.ts';
import { prepareInTurns } from './prepare-commit.ts';
import { insertedBy, type LoadedSlot, listStored, Snapshot, TreeSlot } from './tree-slot.ts';
import { Yielder } from './yielder.ts';

/** How a book is made. */
export interface TreeStateOptions {
  readonly persistence?: Persistence;
  readonly readOnly?: boolean;
  readonly treeWrites?: TreeWrites;
  readonly kit?: MessageKit;
}

// Two trees with one unique key can only be made at the same time if both are being made.
const openingStates = 'making a tree';

/** The shared state behind the handles of one store. */
export class TreeState {
  readonly volumes = new Map<TreeId, TreeSlot>();
  readonly locks = new Locks();
  readonly soon = new BlobHolds();
  readonly readOnly: boolean;
  readonly #persistence: Persistence | null;
  readonly #treeWrites: TreeWrites | undefined;
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

  /** Tells the book of trees that its keeper can load, when it is opened. */
  know(trees: readonly KnownTree[]): void {
    for (const { row, format, sequence } of [...trees].sort((a, b) => a.sequence - b.sequence)) {
      const volume = new TreeSlot(row, format, sequence);
      this.volumes.set(row.id, volume);
      this.#lookup.enterForest(row);
      this.#tell(volume);
    }
  }

  /** Tells the book of a list that was stored before, when it is opened. */
  knowLinear(owner: string, record: LinearRecord, sequence: number): void {
    this.#enterLinear(owner, record, sequence);
  }

  /** Tells the book which number the last change had, when it is opened: the tree that had it may be gone. */
  knowSequence(sequence: number): void {
    this.#news.goOnFrom(sequence);
  }

  /** Takes in what other processes did: trees that are new or gone, and with `rows` also changes in the others. */
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
    for (const { owner, record, sequence } of survey.lists.map(numbered)) this.#enterLinear(owner, record, sequence);
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

  /** Reads what others wrote to a tree, so that lists and search have it. */
  async #reread(id: TreeId, isNew: boolean): Promise<void> {
    const volume = this.volumes.get(id);
    if (volume === undefined || this.locks.held(id)) return;
    try {
      if (isNew || volume.linear !== null) await this.#reload(volume);
      else this.#refresh(volume, await this.#pages(volume), false);
    } catch (error) {
      // Whoever reads the tree itself is told.
      if (!isAppError(error)) throw error;
    }
  }

  async #reload(volume: TreeSlot): Promise<void> {
    const loaded = await this.#persistence?.load?.(volume.id);
    if (loaded === undefined || loaded.tree.version === 0 || this.locks.held(volume.id)) return;
    const before = volume.row;
    const pages = volume.pages ?? volume.fill(loaded);
    pages.tree = loaded.tree;
    // A new list, not the old one emptied: moments that were opened before keep theirs.
    pages.log = [...loaded.log];
    pages.purged = new Set(loaded.purged);
    pages.index = null;
    volume.linear = null;
    volume.row = loaded.tree;
    volume.sequence = this.#news.next();
    this.#lookup.forget(before);
    this.#lookup.enterForest(volume.row);
    this.#lookup.enter(volume.id, pages);
    this.#tell(volume);
  }

  /** Refuses once the book is closed. */
  alive(): void {
    if (this.#closed) storeClosed();
  }

  /** Refuses what would write where nothing may be written. */
  writable(): void {
    this.alive();
    if (this.readOnly) readOnlyStore();
  }

  close(): void {
    this.#closed = true;
    this.#news.end();
  }

  /** Has the keeper make an entry last. */
  async keep(entry: PersistedEntry): Promise<void> {
    await this.#persistence?.persist(entry);
  }

  /** An owner's trees, loaded or not. */
  *owned(owner: string): Generator<TreeSlot, void, undefined> {
    for (const volume of this.volumes.values()) if (volume.owner === owner) yield volume;
  }

  /** An owner's tree; undefined where there is none, which a foreign one is answered as. */
  find(owner: string, treeId: TreeId): TreeSlot | undefined {
    const volume = this.volumes.get(treeId);
    return volume?.owner === owner ? volume : undefined;
  }

  /** An owner's tree, loaded; refused where there is none. */
  async open(owner: string, treeId: TreeId): Promise<{ readonly volume: TreeSlot; readonly pages: LoadedSlot }> {
    this.alive();
    if (this.#follows) await this.follow();
    const volume = this.find(owner, treeId) ?? unknownTree(treeId);
    return { volume, pages: await this.#current(volume) };
  }

  async #pages(volume: TreeSlot): Promise<LoadedSlot> {
    if (volume.pages !== null) return volume.pages;
    const loaded = await this.#persistence?.load?.(volume.id);
    // Somebody else may have loaded it meanwhile: there must be one value only.
    if (volume.pages !== null) return volume.pages;
    if (loaded === undefined) return unknownTree(volume.id);
    const pages = volume.fill(loaded);
    this.#lookup.enter(volume.id, pages);
    return pages;
  }

  /** A loaded tree with what others added to it meanwhile. Whoever is changing it has looked already. */
  async #current(volume: TreeSlot): Promise<LoadedSlot> {
    const pages = await this.#pages(volume);
    if (this.#persistence?.pull !== undefined && !this.locks.held(volume.id)) this.#refresh(volume, pages, false);
    return pages;
  }

  /** Takes in what others added to a tree, where its keeper can tell; under its lock, or while nobody has it. */
  #refresh(volume: TreeSlot, pages: LoadedSlot, write: boolean): void {
    const more = this.#persistence?.pull?.(volume.id, pages.tree, write) ?? [];
    for (const { settled, tree, sequence, format } of more) {
      this.#lookup.adopt(volume.id, insertedBy(settled));
      volume.linear = null;
      this.#publish(volume, settled, tree, Math.max(sequence, this.#news.next()), format);
    }
  }

  /** After a failure: what was not acknowledged may have lasted all the same, and then it is seen from now on. */
  #lookAgain(volume: TreeSlot, pages: LoadedSlot): void {
    try {
      this.#refresh(volume, pages, false);
    } catch (error) {
      // What failed is told by whoever calls this; the next one looks again.
      if (!isAppError(error)) throw error;
    }
  }

  /** Answers a reading from one moment of a tree. */
  async read<T>(owner: string, treeId: TreeId, reading: () => ReadProgram<T>): Promise<T> {
    this.alive();
    if (this.#follows) await this.follow();
    const volume = this.find(owner, treeId);
    const snapshot = volume === undefined ? null : new Snapshot(await this.#current(volume));
    return this.#answers.drive(owner, treeId, snapshot, reading());
  }

  /** Plans inside the lock of the tree, keeps the commit, and only then lets anybody see it. */
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

  /** Runs work that makes a tree: one at a time, also among the processes that share a place. */
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
      // What it read of other trees may have been purged before it was through: then it is planned anew.
    } while (purges !== this.soon.purges);
    hold.take(plan);
    await turns.rest();
    const settled = await prepareInTurns(treeId, snapshot, plan, options, turns);
    if (settled === null) return { result: plan.result, commit: null, version: tree?.version ?? 0 };
    const branching = mayBranch(this.#treeWrites, owner);
    if (!branching) await this.#answers.drive(owner, treeId, snapshot, refuseBranching(treeId, plan.steps));
    await turns.rest();
    const applied = applyOrThrow(tree ?? emptyTree(treeId, owner, options.at), settled.commit.steps, {
      at: options.at,
    });
    if (tree === null && this.volumes.has(treeId))
      refuse('id/taken', `The id ${treeId} is taken by another tree.`, { treeId });
    await turns.rest();
    const release = await this.#lookup.reserve(treeId, insertedBy(settled), applied.tree);
    const format: ConversationFormat = branching ? 'tree' : (volume?.format ?? 'linear');
    const sequence = this.#news.next();
    const list = volume === undefined ? undefined : listStored(volume);
    try {
      const entry = { type: 'commit', treeId, settled, tree: applied.tree, sequence, format } as const;
      await this.keep(list === undefined ? entry : { ...entry, list });
    } catch (error) {
      release();
      if (volume !== undefined && pages !== null) this.#lookAgain(volume, pages);
      throw error;
    }
    if (volume !== undefined) volume.linear = null;
    this.#publish(volume ?? new TreeSlot(applied.tree, format, sequence), settled, applied.tree, sequence, format);
    return { result: plan.result, commit: settled.commit, version: settled.commit.version };
  }

  #publish(volume: TreeSlot, settled: PreparedCommit, tree: Tree, sequence: number, format: ConversationFormat): void {
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
    const { settled, tree } = treeOfLinear(record, owner, this.#kit);
    await this.#making(async () => {
      const there = this.volumes.get(record.treeId);
      if (there !== undefined && there.owner !== owner)
        refuse('id/taken', `The id ${record.treeId} is taken by another tree.`, { treeId: record.treeId });
      if (there !== undefined) {
        if (JSON.stringify(there.linear?.record) === JSON.stringify(record)) return;
        refuse('tree/exists', `There is a tree ${record.treeId} already.`, { treeId: record.treeId });
      }
      const release = await this.#lookup.reserve(record.treeId, insertedBy(settled), tree);
      const sequence = this.#news.next();
      try {
        await this.keep({ type: 'linear', owner, record, sequence });
      } catch (error) {
        release();
        throw error;
      }
      this.#enterLinear(owner, record, sequence);
      this.#news.wake();
    });
  }

  #enterLinear(owner: string, record: LinearRecord, sequence: number): void {
    const { tree, settled } = treeOfLinear(record, owner, this.#kit);
    const volume = new TreeSlot(tree, 'linear', sequence);
    volume.linear = { record, settled };
    this.volumes.set(volume.id, volume);
    this.#lookup.enter(volume.id, volume.fill({ tree, log: [settled.commit] }));
    this.#tell(volume);
  }

  async #storeLinear(volume: TreeSlot, format: ConversationFormat): Promise<void> {
    const list = listStored(volume);
    if (list === undefined) return;
    await this.keep({ type: 'commit', treeId: volume.id, ...list, format });
    volume.linear = null;
    volume.format = format;
  }

  /** Stores one list as a tree; false if it is one already or if its owner's are not to become trees. */
  async storeAsTree(owner: string, treeId: TreeId): Promise<boolean> {
    this.writable();
    return this.locks.run(treeId, async () => {
      const volume = this.find(owner, treeId);
      if (volume === undefined || volume.format === 'tree' || !mayBranch(this.#treeWrites, owner)) return false;
      await this.#storeLinear(volume, 'tree');
      volume.format = 'tree';
      return true;
    });
  }

  /** Whether an owner's lists are to become trees. */
  branches(owner: string): boolean {
    return mayBranch(this.#treeWrites, owner);
  }

  /** Takes nodes out of a loaded tree for good, under its lock: the caller has made the entry. */
  async purge(volume: TreeSlot, entry: Extract<PersistedEntry, { type: 'purge' }>): Promise<void> {
    await this.keep(entry);
    const pages = volume.pages ?? unknownTree(volume.id);
    pages.tree = entry.tree;
    // A new list, not the old one emptied: moments that were opened before keep theirs.
    pages.log = [...entry.log];
    pages.index = null;
    volume.row = entry.tree;
    for (const id of entry.nodeIds) pages.purged.add(id);
    this.soon.purges++;
    this.#lookup.forget(entry.tree, entry.nodeIds);
  }

  /** Which of these attachments an owner's trees name, in what they say, said before or have in the trash. */
  naming(owner: string, hashes: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    return blobsNamedIn([...this.owned(owner)], (volume) => {
      const reported = volume.pages === null ? this.#persistence?.mentions?.(volume.id, hashes) : undefined;
      return reported ?? this.#pages(volume);
    });
  }

  /** Puts mended rows in the place of a tree's own, under its lock. */
  async mend(volume: TreeSlot, tree: Tree): Promise<void> {
    await this.keep({ type: 'mend', treeId: volume.id, tree });
    const pages = volume.pages ?? unknownTree(volume.id);
    pages.tree = tree;
    pages.index = null;
    volume.row = tree;
  }

  /** Forgets a tree as if it had never been. */
  async forget(volume: TreeSlot): Promise<void> {
    // Whoever follows all trees has seen this number: one that was given again would be passed over.
    await this.keep({ type: 'sequence', sequence: this.#news.last });
    await this.keep({ type: 'purge-tree', treeId: volume.id });
    this.volumes.delete(volume.id);
    this.soon.purges++;
    this.#lookup.forget(volume.row);
    this.#news.forget(volume.id);
    this.#news.wake();
  }

  /** The commits of a tree after a version, then those to come, until the signal, the end of the tree or of the book. */
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

  /** The changes in an owner's trees after a cursor, or from now on, then those to come. */
  feedAll(owner: string, since: string | null, signal?: AbortSignalLike): AsyncGenerator<ListEvent> {
    this.alive();
    return this.#news.changes(owner, since, signal);
  }
}
