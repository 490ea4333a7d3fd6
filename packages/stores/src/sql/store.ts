/** Implements the store contract on a SQL database. An engine provides transactions, search, feeds and backups. */
import {
  type AbortSignalLike,
  type AccountStore,
  type BackfillProgress,
  type BackupOptions,
  type BlobStore,
  type ChangeOptions,
  type ChangeResult,
  type Commit,
  type CommitSummary,
  type ConversationFormat,
  type ExternalId,
  type FsckOptions,
  type FsckReport,
  isAppError,
  type NewestAct,
  type NodeId,
  type Page,
  type PlannerFactory,
  type Provenance,
  type PurgeReport,
  type ReadProgram,
  type RunStore,
  type SealedRecords,
  type SearchHit,
  type SearchQuery,
  type SharedState,
  type Store,
  type StoreCapabilities,
  type StoredLinearConversation,
  type StoreInfo,
  type TrashItem,
  type TreeId,
  type TreeListEvent,
  type TreeQuery,
  type TreeSummary,
  type TrimHistoryOptions,
  type TrimHistoryReport,
} from '@coppice/core';
import { assertArgument } from '@coppice/core/decode';
import { assertLogComplete } from '@coppice/core/history';
import { insertedNodes } from '@coppice/core/tree';
import { argumentValidators, validateReads } from '../argument-shapes.ts';
import { assertExternalIdLength } from '../in-process/external-ids.ts';
import { assertStorableLinearConversation, buildLinearTree } from '../linear.ts';
import { defaultAttachmentGraceMs, defaultOwner, type StoreOptions } from '../options.ts';
import { throwNotInTrash, throwReadOnlyStore, throwStoreClosed, throwUnknownTree } from '../refusals.ts';
import { findFirstVersionForShares } from '../trim-limit.ts';
import { WaitingUploads } from '../waiting-uploads.ts';
import {
  type AttachmentObjectStore,
  deleteAttachmentObjectRows,
  hasAbandonedAttachmentObjects,
  takeAbandonedAttachmentObjects,
} from './attachment-objects.ts';
import { type BlobScope, deleteUnusedBlobs, findOwnersWithUnusedBlobs } from './attachments.ts';
import { convertLinearConversations, driveReads, runChange, type StoreScope } from './change.ts';
import { type CheckedStore, checkOneTree, checkStoredTrees } from './check-store.ts';
import type { SqlEngine } from './engine.ts';
import { writeExternalIds } from './external-ids.ts';
import { followFeed } from './follow.ts';
import { storeLinearConversationAsTree } from './linear-form.ts';
import {
  advancePositions,
  decodeFeedEvent,
  decodePositionsCursor,
  encodePositionsCursor,
  type FeedEvent,
  SharedFeedQueries,
} from './list-feed.ts';
import { listCommits, listStoredTrash, listStoredTrees } from './lists.ts';
import { findNewestActInTables, readLogWithContents } from './log.ts';
import { readMessageTexts } from './message-json.ts';
import { type PurgedRowsReport, type PurgeOptions, purgeRows, purgeTree } from './purge.ts';
import type { SqlTask } from './query.ts';
import { isRunWrite, RunBatches } from './run-batches.ts';
import { readTreeRow, type TreeScope } from './scope.ts';
import { createSealedRecordStore } from './sealed-records.ts';
import { toHitPage, toSearchRequest } from './search.ts';
import { createAccountStore, createBlobStore, createRunStore, type SqlTransactions } from './side-stores.ts';
import * as side from './side-tables.ts';
import { findTrimCandidates, trimTreeLog } from './trim.ts';

const eventsAtOnce = 500;
const commitsAtOnce = 500;
const treesAtOnce = 200;
// A change of at least this many nodes would block other requests too long, so it runs as a long transaction.
const manyNodes = 250;

/** The state that the handles of all owners share. */
interface Handles {
  closed: boolean;
  readonly uploads: WaitingUploads;
  readonly feedQueries: SharedFeedQueries;
  readonly runBatches: RunBatches;
}

/** The purge is committed already. Objects that are left are deleted by a later upload or purge. */
function ignoreAppError(error: unknown): readonly string[] {
  if (!isAppError(error)) throw error;
  return [];
}

/** Implements the store contract on a SQL database, for one owner. */
export class SqlStore implements Store {
  readonly owner: string;
  readonly supports: StoreCapabilities;
  readonly runs: RunStore;
  readonly blobs: BlobStore;
  readonly accounts: AccountStore;
  readonly sealed: SealedRecords;
  readonly #engine: SqlEngine;
  readonly #options: StoreOptions;
  readonly #scopeOfStore: StoreScope;
  readonly #state: Handles;
  readonly #grace: number;

  constructor(engine: SqlEngine, options: StoreOptions, state?: Handles) {
    this.#engine = engine;
    this.#options = options;
    this.#grace = options.attachmentGrace ?? defaultAttachmentGraceMs;
    this.#state = state ?? {
      closed: false,
      uploads: new WaitingUploads(this.#grace, Date.now),
      feedQueries: new SharedFeedQueries(),
      runBatches: new RunBatches(engine),
    };
    this.owner = options.owner ?? defaultOwner;
    this.supports = engine.supports;
    this.#scopeOfStore = {
      dialect: engine.dialect,
      owner: this.owner,
      options,
      rowCache: engine.rowCache,
      uploads: this.#state.uploads,
    };
    const transactions: SqlTransactions = {
      snapshot: (work) => this.#snapshot(work),
      // These tables are not part of trees, so the row cache stays valid.
      transaction: (work) => this.#runTransaction(work),
      shared: async (operation, alone) => {
        if (isRunWrite(operation)) this.#assertWritable();
        else this.#assertOpen();
        return this.#state.runBatches.run(operation, alone);
      },
      known: (treeId) => this.#requireTree(treeId),
    };
    this.runs = createRunStore(engine.dialect, this.owner, transactions);
    this.blobs = createBlobStore(
      this.#blobScope(this.owner),
      transactions,
      this.#state.uploads,
      () => this.sweep(),
      engine.objects,
    );
    this.accounts = createAccountStore(transactions);
    this.sealed = createSealedRecordStore(engine.dialect, transactions);
  }

  get shared(): SharedState | null {
    return this.#engine.shared ?? null;
  }

  #blobScope(owner: string): BlobScope {
    return { dialect: this.#engine.dialect, owner, grace: this.#grace };
  }

  /**
   * Deletes attachments of all owners that an earlier purge did not delete, if no upload waits for them any more and
   * nothing refers to them. Errors are ignored, because the next call tries again.
   */
  async sweep(): Promise<void> {
    try {
      const owners = await this.#snapshot(() => findOwnersWithUnusedBlobs(this.#engine.dialect, this.#grace));
      for (const owner of owners) await this.#clearing(() => deleteUnusedBlobs(this.#blobScope(owner), new Set()));
      if (this.#engine.objects?.place != null) await this.#removeObjects();
    } catch (error) {
      if (!isAppError(error)) throw error;
    }
  }

  /**
   * Whether objects may have to be deleted. If new attachments go into the database, only objects that are marked for
   * deletion count, and uploads that broke off are not searched for.
   */
  async #hasAbandonedAttachmentObjects({ place }: AttachmentObjectStore): Promise<boolean> {
    return place !== null || (await this.#snapshot(hasAbandonedAttachmentObjects));
  }

  /** Deletes the objects that no attachment refers to any more. Returns those that could not be deleted. */
  async #removeObjects(): Promise<readonly string[]> {
    const { objects, dialect } = this.#engine;
    if (objects === undefined || !(await this.#hasAbandonedAttachmentObjects(objects))) return [];
    const left: string[] = [];
    const abandoned = await this.#runTransaction(() => takeAbandonedAttachmentObjects(dialect));
    for (const address of abandoned)
      await objects.remove(address).catch((error: unknown) => {
        if (!isAppError(error)) throw error;
        left.push(address);
      });
    const removed = abandoned.filter((address) => !left.includes(address));
    if (removed.length > 0) await this.#runTransaction(() => deleteAttachmentObjectRows(dialect, removed));
    return left;
  }

  forOwner(owner: string): SqlStore {
    assertArgument('owner', owner, argumentValidators.ownerName);
    return new SqlStore(this.#engine.forOwner?.(owner) ?? this.#engine, { ...this.#options, owner }, this.#state);
  }

  async info(): Promise<StoreInfo> {
    return this.#engine.info();
  }

  async read<T>(treeId: TreeId, reading: () => ReadProgram<T>): Promise<T> {
    return this.#snapshot(() => this.#read(treeId, () => validateReads(reading())));
  }

  *#read<T>(treeId: TreeId, reading: () => ReadProgram<T>): SqlTask<T> {
    const scope = yield* this.#scope(treeId);
    return yield* driveReads(scope, reading());
  }

  async change<R>(treeId: TreeId, planning: PlannerFactory<R>, options: ChangeOptions): Promise<ChangeResult<R>> {
    this.#assertWritable();
    const engine = this.#engine;
    const long = (options.nodes ?? 0) >= manyNodes && engine.longTransaction !== undefined;
    const inTurns = options.nodes !== undefined && (long || engine.atOnce !== true);
    const claim = this.#state.uploads.claim(this.owner);
    const work = () => runChange(this.#scopeOfStore, treeId, planning, options, inTurns, claim);
    const changed = await this.#changing(long, work).catch((error: unknown) => {
      claim.release();
      throw error;
    });
    const { commit, version } = changed;
    if (commit !== null) engine.announce(this.owner, treeId, version, insertedNodes(commit.steps).length);
    return changed;
  }

  #changing<T>(long: boolean, work: () => SqlTask<T>): Promise<T> {
    return (long ? this.#engine.longTransaction?.(work) : undefined) ?? this.#engine.transaction(work);
  }

  async *feed(treeId: TreeId, since: number, signal?: AbortSignalLike): AsyncIterable<Commit> {
    assertArgument('since', since, argumentValidators.version);
    let at = since;
    let known = false;
    let mark = '';
    const next = async () => {
      mark = this.#engine.changeMark({ treeId, version: at });
      const commits = await this.#snapshot(() => this.#commitsAfter(treeId, at));
      if (commits === null && !known) throwUnknownTree(treeId);
      known = true;
      // Null if the tree was purged, which ends the feed.
      return commits;
    };
    const passed = ({ version }: Commit) => {
      at = version;
    };
    const wait = () => this.#engine.changed({ treeId, version: at }, signal, mark);
    yield* followFeed({ next, passed, wait, limit: commitsAtOnce }, signal);
  }

  *#commitsAfter(treeId: TreeId, since: number): SqlTask<readonly Commit[] | null> {
    const scope = yield* this.#scope(treeId);
    if (scope.tree === null) return null;
    const commits = yield* readLogWithContents(scope, since, commitsAtOnce);
    assertLogComplete(treeId, since, commits);
    return commits;
  }

  async *feedAll(since: string | null, signal?: AbortSignalLike): AsyncIterable<TreeListEvent> {
    const { owner } = this;
    const engine = this.#engine;
    let positions = await this.#firstPositions(since);
    let mark = '';
    const { feedQueries } = this.#state;
    const query = async () =>
      (await this.#snapshot(() => engine.events(owner, positions, eventsAtOnce))).map((row) => decodeFeedEvent(row));
    const next = async () => {
      this.#assertOpen();
      mark = engine.changeMark({ owner, positions });
      return feedQueries.run(owner, positions, mark, query);
    };
    const passed = (event: FeedEvent) => {
      positions = advancePositions(positions, event);
    };
    const wait = () => engine.changed({ owner, positions }, signal, mark);
    const leave = feedQueries.follow(owner);
    try {
      for await (const { treeId, version } of followFeed({ next, passed, wait, limit: eventsAtOnce }, signal))
        yield { cursor: encodePositionsCursor(positions), treeId, version };
    } finally {
      leave();
    }
  }

  /** Returns the cursor of the owner's newest change. */
  async latestCursor(): Promise<string> {
    return encodePositionsCursor(await this.#snapshot(() => this.#engine.latest(this.owner)));
  }

  /**
   * Returns the positions at which a feed begins. If the cursor is newer than the log, the database was restored from a
   * backup, and the feed begins at the newest change. A read-only replica may only be behind, so its cursor is used
   * unchanged.
   */
  async #firstPositions(since: string | null): Promise<readonly number[]> {
    const requested = since === null ? null : decodePositionsCursor(since);
    if (requested !== null && (this.#options.readOnly === true || this.#engine.readOnly === true)) return requested;
    const newest = await this.#snapshot(() => this.#engine.latest(this.owner));
    return requested === null ? newest : requested.map((position, lane) => Math.min(position, newest[lane] ?? 0));
  }

  async content(treeId: TreeId, ids: readonly NodeId[]): Promise<ReadonlyMap<NodeId, string>> {
    assertArgument('ids', ids, argumentValidators.nodeIds);
    return this.#snapshot(() => this.#content(treeId, ids));
  }

  *#content(treeId: TreeId, ids: readonly NodeId[]): SqlTask<ReadonlyMap<NodeId, string>> {
    const scope = yield* this.#scope(treeId);
    return scope.tree === null ? new Map() : yield* readMessageTexts(scope, ids);
  }

  async trees(query: TreeQuery = {}): Promise<Page<TreeSummary>> {
    assertArgument('query', query, argumentValidators.treeQuery);
    return this.#snapshot(() => listStoredTrees(this.owner, query));
  }

  async formatOf(treeId: TreeId): Promise<ConversationFormat | null> {
    return (await this.#snapshot(() => readTreeRow(this.owner, treeId)))?.format ?? null;
  }

  async search(query: SearchQuery): Promise<Page<SearchHit>> {
    this.#assertOpen();
    assertArgument('query', query, argumentValidators.searchQuery);
    const search = toSearchRequest(this.owner, query);
    if (search === null) return { items: [], cursor: null };
    const found = await this.#engine.search(search);
    return toHitPage(found, search.limit);
  }

  async history(
    treeId: TreeId,
    options: { readonly before?: number; readonly limit?: number } = {},
  ): Promise<readonly CommitSummary[]> {
    assertArgument('options', options, argumentValidators.historyQuery);
    const self = this;
    return this.#snapshot(function* () {
      yield* self.#requireTree(treeId);
      return yield* listCommits(treeId, options.before ?? Number.MAX_SAFE_INTEGER, options.limit ?? 100);
    });
  }

  async newestAct(actor: string, which: 'undoable' | 'redoable'): Promise<NewestAct | null> {
    assertArgument('actor', actor, argumentValidators.actorName);
    assertArgument('which', which, argumentValidators.actKind);
    return this.#snapshot(() => findNewestActInTables(this.owner, actor, which));
  }

  async trash(treeId: TreeId): Promise<readonly TrashItem[]> {
    const self = this;
    return this.#snapshot(function* () {
      return yield* listStoredTrash(yield* self.#requireTree(treeId));
    });
  }

  async purge(treeId: TreeId, what: { readonly nodeId: NodeId } | { readonly upTo: number }): Promise<PurgeReport> {
    assertArgument('what', what, argumentValidators.purgeQuery);
    const self = this;
    return this.#purging(function* () {
      const scope = yield* self.#requireTree(treeId, self.#engine.dialect.forUpdate);
      return scope.tree === null
        ? throwUnknownTree(treeId)
        : yield* purgeRows(scope, scope.tree, what, self.#purgeOptions());
    });
  }

  async purgeTree(treeId: TreeId): Promise<PurgeReport> {
    const self = this;
    const report = await this.#purging(function* () {
      const scope = yield* self.#requireTree(treeId, self.#engine.dialect.forUpdate);
      if (scope.tree?.attributes.trashedAt === undefined) throwNotInTrash(treeId);
      return yield* purgeTree(scope, treeId, self.#purgeOptions());
    });
    this.#announceEnd(treeId);
    return report;
  }

  /** Deletes a tree with everything that belongs to it, whether it is in the trash or not. Used for temporary trees. */
  async discard(treeId: TreeId): Promise<void> {
    const self = this;
    await this.#purging(function* () {
      yield* self.#requireTree(treeId, self.#engine.dialect.forUpdate);
      return yield* purgeTree(yield* self.#requireTree(treeId), treeId, self.#purgeOptions());
    });
    this.#announceEnd(treeId);
  }

  /** Announces that a tree was deleted, so that its feeds in all processes end at once. */
  #announceEnd(treeId: TreeId): void {
    this.#engine.announce(this.owner, treeId, 0, 0);
  }

  /**
   * Trims one tree, or the trees of all owners, with one transaction per tree. `accounts` has the share links of the
   * trees, which may be in another database.
   */
  async trimHistory(options: TrimHistoryOptions, accounts = this.accounts): Promise<TrimHistoryReport> {
    assertArgument('options', options, argumentValidators.trimOptions);
    this.#assertWritable();
    const { before, treeId, signal, onProgress } = options;
    if (treeId !== undefined) {
      const commits = await this.#trimTree(treeId, before, accounts);
      return { trees: commits > 0 ? 1 : 0, commits, skipped: 0 };
    }
    await this.#engine.indexTexts?.();
    let [done, trees, commits, skipped] = [0, 0, 0, 0];
    for (let after = 0; !isAborted(signal); ) {
      const found = await this.#snapshot(() => findTrimCandidates(before, after, treesAtOnce));
      const last = found.at(-1);
      if (last === undefined) break;
      for (const candidate of found) {
        if (isAborted(signal)) break;
        try {
          const deleted = await this.forOwner(candidate.owner).#trimTree(candidate.treeId, before, accounts);
          commits += deleted;
          if (deleted > 0) trees++;
        } catch (error) {
          // The tree was purged, or its owner is being moved. The other trees are trimmed all the same.
          if (!isAppError(error) || error.code === 'store/full') throw error;
          skipped++;
        }
        onProgress?.({ done: ++done, total: done });
      }
      after = last.no;
    }
    return { trees, commits, skipped };
  }

  async #trimTree(treeId: TreeId, before: number, accounts: AccountStore): Promise<number> {
    const latest = findFirstVersionForShares(await accounts.shares(this.owner, treeId), Date.now());
    const self = this;
    return this.#runTransaction(function* () {
      const scope = yield* self.#requireTree(treeId, self.#engine.dialect.forUpdate);
      const { indexCommitsBeforeTrim } = self.#engine;
      return yield* trimTreeLog(scope, { before, latest, grace: self.#grace, indexCommitsBeforeTrim });
    });
  }

  #purgeOptions(): PurgeOptions {
    return { grace: this.#grace, unindex: this.#engine.unindex };
  }

  /**
   * Runs a purge, then removes the deleted data from the database files. `uncleared` names files that still contain it.
   */
  async #purging(work: () => SqlTask<PurgedRowsReport>): Promise<PurgeReport> {
    this.#engine.rowCache?.forget();
    const { value, uncleared } = await this.#clearing(work);
    return { ...value, uncleared: [...uncleared, ...(await this.#removeObjects().catch(ignoreAppError))] };
  }

  async #clearing<T>(work: () => SqlTask<T>): Promise<{ readonly value: T; readonly uncleared: readonly string[] }> {
    this.#assertWritable();
    const engine = this.#engine;
    return engine.purging === undefined
      ? { value: await this.#transaction(work), uncleared: [] }
      : engine.purging(work);
  }

  async putExternalIds(ids: readonly ExternalId[]): Promise<void> {
    assertArgument('ids', ids, argumentValidators.externalIds);
    for (const { id, scope } of ids) for (const name of [id, scope]) assertExternalIdLength(name);
    await this.#transaction(() => writeExternalIds(this.#scopeOfStore, ids, (treeId) => this.#requireTree(treeId)));
  }

  async findExternalIds(format: string, scope: string, ids: readonly string[]): Promise<readonly ExternalId[]> {
    assertArgument('names', { format, scope, ids }, argumentValidators.wantedNames);
    return this.#snapshot(() => side.findExternalIds(this.#engine.dialect, this.owner, format, scope, ids));
  }

  async externalIdsOf(treeId: TreeId): Promise<readonly ExternalId[]> {
    return this.#readOfTree(treeId, () => side.readExternalIdsOfTree(this.owner, treeId));
  }

  async addProvenance(list: readonly Provenance[]): Promise<void> {
    assertArgument('rows', list, argumentValidators.provenances);
    const self = this;
    await this.#transaction(function* () {
      for (const treeId of new Set(list.map((one) => one.treeId))) yield* self.#requireTree(treeId);
      yield* side.addProvenance(self.owner, list);
    });
  }

  async provenanceOf(treeId: TreeId): Promise<readonly Provenance[]> {
    return this.#readOfTree(treeId, () => side.readProvenanceRows(this.owner, treeId));
  }

  async putLinear(record: StoredLinearConversation): Promise<void> {
    assertArgument('record', record, argumentValidators.linearRecord);
    assertStorableLinearConversation(record);
    const linear = buildLinearTree(record, this.owner, this.#options.kit);
    const claim = this.#state.uploads.claim(this.owner);
    await this.#transaction(() =>
      storeLinearConversationAsTree(this.owner, this.#engine.dialect, record, linear, claim),
    ).catch((error: unknown) => {
      claim.release();
      throw error;
    });
    this.#engine.announce(this.owner, record.treeId, 1, insertedNodes(linear.applied.commit.steps).length);
  }

  async *backfill(
    options: { readonly batch?: number; readonly signal?: AbortSignalLike } = {},
  ): AsyncIterable<BackfillProgress> {
    assertArgument('options', options, argumentValidators.backfillOptions);
    let done = 0;
    while (options.signal?.aborted !== true) {
      const step = await this.#transaction(() => convertLinearConversations(this.#scopeOfStore, options.batch ?? 20));
      done += step.stored;
      yield { done, left: step.left };
      if (step.left === 0) return;
    }
  }

  async fsck(options: FsckOptions = {}): Promise<FsckReport> {
    assertArgument('options', options, argumentValidators.fsckOptions);
    if (options.repair === true && this.#options.readOnly === true) throwReadOnlyStore();
    const store: CheckedStore = {
      engine: this.#engine,
      owner: this.owner,
      snapshot: (work) => this.#snapshot(work),
      transaction: (work) => this.#transaction(work),
    };
    return options.treeId === undefined
      ? checkStoredTrees(store, options)
      : checkOneTree(store, options.treeId, options);
  }

  async backup(to: string, options: BackupOptions = {}): Promise<void> {
    this.#assertOpen();
    assertArgument('options', options, argumentValidators.backupOptions);
    await this.#engine.backup(to, options.onProgress);
  }

  async close(): Promise<void> {
    if (this.#state.closed) return;
    const pending = this.#state.runBatches.finish();
    this.#state.closed = true;
    await pending;
    await this.#engine.close();
  }

  #assertOpen(): void {
    if (this.#state.closed) throwStoreClosed();
  }

  async #snapshot<T>(work: () => SqlTask<T>): Promise<T> {
    this.#assertOpen();
    return this.#engine.snapshot(work);
  }

  /** Runs a transaction that may change tree rows without a commit, so the row cache is cleared first. */
  async #transaction<T>(work: () => SqlTask<T>): Promise<T> {
    const { rowCache } = this.#engine;
    return this.#runTransaction(() => {
      rowCache?.forget();
      return work();
    });
  }

  async #runTransaction<T>(work: () => SqlTask<T>): Promise<T> {
    this.#assertWritable();
    return this.#engine.transaction(work);
  }

  #assertWritable(): void {
    this.#assertOpen();
    if (this.#options.readOnly === true) throwReadOnlyStore();
  }

  /** Reads data about a tree of this owner. Throws if the owner does not have the tree. */
  #readOfTree<T>(treeId: TreeId, work: () => SqlTask<T>): Promise<T> {
    const self = this;
    return this.#snapshot(function* () {
      yield* self.#requireTree(treeId);
      return yield* work();
    });
  }

  *#scope(treeId: TreeId, lock = ''): SqlTask<TreeScope> {
    return {
      dialect: this.#engine.dialect,
      owner: this.owner,
      treeId,
      tree: yield* readTreeRow(this.owner, treeId, lock),
    };
  }

  *#requireTree(treeId: TreeId, lock = ''): SqlTask<TreeScope> {
    const scope = yield* this.#scope(treeId, lock);
    return scope.tree === null ? throwUnknownTree(treeId) : scope;
  }
}

// The signal is read each time, because it may change during an await.
function isAborted(signal: AbortSignalLike | undefined): boolean {
  return signal?.aborted === true;
}
