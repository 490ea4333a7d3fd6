/** A store on a directory of buckets. All data of an owner is in one bucket, and each call runs on that bucket. */
import type {
  AbortSignalLike,
  AccountStore,
  BackfillProgress,
  BackupOptions,
  BlobStore,
  ChangeOptions,
  ChangeResult,
  Commit,
  CommitSummary,
  ConversationFormat,
  ExternalId,
  FsckOptions,
  FsckReport,
  NewestAct,
  NodeId,
  Page,
  PlannerFactory,
  Provenance,
  PurgeReport,
  ReadProgram,
  RunStore,
  SealedRecords,
  SearchHit,
  SearchQuery,
  SharedState,
  Store,
  StoreCapabilities,
  StoredLinearConversation,
  StoreInfo,
  TrashItem,
  TreeId,
  TreeListEvent,
  TreeQuery,
  TreeSummary,
  TrimHistoryOptions,
  TrimHistoryReport,
  WorkProgress,
} from '@coppice/core';
import { assertArgument } from '@coppice/core/decode';
import { argumentValidators } from '../../argument-shapes.ts';
import { joinFsckReports } from '../../join-fsck-reports.ts';
import { throwStoreClosed } from '../../refusals.ts';
import { queryRow } from '../../sql/query.ts';
import type { SqlStore } from '../../sql/store.ts';
import { isOwnerMovedError } from '../owner-gate.ts';
import { backUpBuckets } from './backup-buckets.ts';
import type { BucketPool, OpenedBucket } from './bucket-pool.ts';

// How many milliseconds a call waits until a move of its owner has finished.
const maxMoveWaitMs = 30_000;
const firstWait = 10;
const slowestWait = 250;

/** What the handles of all owners share. */
interface BucketParts {
  closed: boolean;
  readonly pool: BucketPool;
  /** The store of the directory, which contains accounts, tokens, shares and encrypted records. */
  readonly directory: SqlStore;
}

/** Implements the store contract over all buckets, for one owner. */
export class BucketStore implements Store {
  readonly owner: string;
  readonly supports: StoreCapabilities;
  readonly runs: RunStore;
  readonly blobs: BlobStore;
  readonly accounts: AccountStore;
  readonly sealed: SealedRecords | null;
  readonly #state: BucketParts;

  constructor(state: BucketParts, owner: string) {
    this.#state = state;
    this.owner = owner;
    this.supports = state.directory.supports;
    this.accounts = state.directory.accounts;
    this.sealed = state.directory.sealed;
    this.runs = this.#runs();
    this.blobs = {
      put: (bytes, mediaType) => this.#write((store) => store.blobs.put(bytes, mediaType)),
      find: (hash) => this.#read((store) => store.blobs.find(hash)),
      read: (hash, range) => this.#read((store) => store.blobs.read(hash, range)),
    };
  }

  get shared(): SharedState | null {
    return this.#state.directory.shared;
  }

  #runs(): RunStore {
    return {
      start: (run) => this.#write((store) => store.runs.start(run)),
      beat: (id, at) => this.#write((store) => store.runs.beat(id, at)),
      note: (id, data, unless) => this.#write((store) => store.runs.note(id, data, unless)),
      append: (id, chunk) => this.#write((store) => store.runs.append(id, chunk)),
      chunks: (id, from) => this.#read((store) => store.runs.chunks(id, from)),
      find: (id) => this.#read((store) => store.runs.find(id)),
      list: (treeId) => this.#read((store) => store.runs.list(treeId)),
      claimStale: (silentMs, process) => this.#write((store) => store.runs.claimStale(silentMs, process)),
      claimStaleOfAll: (silentMs, process) =>
        this.#fromReachableBuckets(({ store }) => store.runs.claimStaleOfAll(silentMs, process)),
      end: (id) => this.#write((store) => store.runs.end(id)),
    };
  }

  /**
   * Collects results from all buckets. Those of a database that is down are left out, so that its failure does not stop
   * the work for the users of the others. Throws if no bucket answers.
   */
  async #fromReachableBuckets<T>(work: (bucket: OpenedBucket) => Promise<readonly T[]>): Promise<readonly T[]> {
    const outcomes = await this.#pool.allSettled(work);
    if (outcomes.every(({ status }) => status === 'rejected'))
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  }

  get #pool(): BucketPool {
    if (this.#state.closed) throwStoreClosed();
    return this.#state.pool;
  }

  /** Runs work on the owner's bucket. If the owner is moved meanwhile, runs it again on the new bucket. */
  async #runOnBucket<T>(forWriting: boolean, work: (store: SqlStore) => Promise<T>): Promise<T> {
    const until = performance.now() + maxMoveWaitMs;
    for (let wait = firstWait; ; wait = Math.min(wait * 2, slowestWait)) {
      const { store } = await this.#pool.homeOf(this.owner, forWriting);
      try {
        return await work(store.forOwner(this.owner));
      } catch (error) {
        if (!isOwnerMovedError(error) || performance.now() > until) throw error;
        await this.#lookUpBucketAgain(wait);
      }
    }
  }

  /**
   * Looks up the owner's bucket again after a pause. The old bucket refuses the owner shortly before the directory
   * names the new one.
   */
  async #lookUpBucketAgain(wait: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, wait));
    await this.#pool.forget(this.owner);
  }

  #read<T>(work: (store: SqlStore) => Promise<T>): Promise<T> {
    return this.#runOnBucket(false, work);
  }

  #write<T>(work: (store: SqlStore) => Promise<T>): Promise<T> {
    return this.#runOnBucket(true, work);
  }

  forOwner(owner: string): BucketStore {
    assertArgument('owner', owner, argumentValidators.ownerName);
    return new BucketStore(this.#state, owner);
  }

  async info(): Promise<StoreInfo> {
    const about = await this.#state.directory.info();
    const buckets = await this.#pool.reload();
    const servers = new Set(buckets.map(({ url }) => url)).size;
    const note = `The store is divided into ${buckets.length} buckets in ${servers === 1 ? 'one database' : `${servers} databases`}.`;
    return { ...about, notes: [...about.notes, note] };
  }

  read<T>(treeId: TreeId, reading: () => ReadProgram<T>): Promise<T> {
    return this.#read((store) => store.read(treeId, reading));
  }

  change<R>(treeId: TreeId, planning: PlannerFactory<R>, options: ChangeOptions): Promise<ChangeResult<R>> {
    return this.#write((store) => store.change(treeId, planning, options));
  }

  async *feed(treeId: TreeId, since: number, signal?: AbortSignalLike): AsyncIterable<Commit> {
    let at = since;
    for (;;)
      try {
        const { store } = await this.#pool.homeOf(this.owner, false);
        for await (const commit of store.forOwner(this.owner).feed(treeId, at, signal)) {
          at = commit.version;
          yield commit;
        }
        return;
      } catch (error) {
        if (!isOwnerMovedError(error)) throw error;
        await this.#lookUpBucketAgain(firstWait);
      }
  }

  async *feedAll(since: string | null, signal?: AbortSignalLike): AsyncIterable<TreeListEvent> {
    await this.#pool.homeForFeed(this.owner);
    let at = since ?? (await this.#read((store) => store.latestCursor()));
    for (;;)
      try {
        const { store } = await this.#pool.homeForFeed(this.owner);
        for await (const event of store.forOwner(this.owner).feedAll(at, signal)) {
          at = event.cursor;
          yield event;
        }
        return;
      } catch (error) {
        if (!isOwnerMovedError(error)) throw error;
        await this.#lookUpBucketAgain(firstWait);
      }
  }

  content(treeId: TreeId, ids: readonly NodeId[]): Promise<ReadonlyMap<NodeId, string>> {
    return this.#read((store) => store.content(treeId, ids));
  }

  trees(query?: TreeQuery): Promise<Page<TreeSummary>> {
    return this.#read((store) => store.trees(query));
  }

  formatOf(treeId: TreeId): Promise<ConversationFormat | null> {
    return this.#read((store) => store.formatOf(treeId));
  }

  search(query: SearchQuery): Promise<Page<SearchHit>> {
    return this.#read((store) => store.search(query));
  }

  history(
    treeId: TreeId,
    options?: { readonly before?: number; readonly limit?: number },
  ): Promise<readonly CommitSummary[]> {
    return this.#read((store) => store.history(treeId, options));
  }

  newestAct(actor: string, which: 'undoable' | 'redoable'): Promise<NewestAct | null> {
    return this.#read((store) => store.newestAct(actor, which));
  }

  trash(treeId: TreeId): Promise<readonly TrashItem[]> {
    return this.#read((store) => store.trash(treeId));
  }

  purge(treeId: TreeId, what: { readonly nodeId: NodeId } | { readonly upTo: number }): Promise<PurgeReport> {
    return this.#write((store) => store.purge(treeId, what));
  }

  purgeTree(treeId: TreeId): Promise<PurgeReport> {
    return this.#write((store) => store.purgeTree(treeId));
  }

  async trimHistory(options: TrimHistoryOptions): Promise<TrimHistoryReport> {
    if (options.treeId !== undefined) return this.#write((store) => store.trimHistory(options, this.accounts));
    const reports = await this.#fromReachableBuckets(async ({ store }) => [
      await store.trimHistory(options, this.accounts),
    ]);
    const sum = (count: (report: TrimHistoryReport) => number) => reports.reduce((all, one) => all + count(one), 0);
    return {
      trees: sum(({ trees }) => trees),
      commits: sum(({ commits }) => commits),
      skipped: sum(({ skipped }) => skipped),
    };
  }

  putExternalIds(ids: readonly ExternalId[]): Promise<void> {
    return this.#write((store) => store.putExternalIds(ids));
  }

  findExternalIds(format: string, scope: string, ids: readonly string[]): Promise<readonly ExternalId[]> {
    return this.#read((store) => store.findExternalIds(format, scope, ids));
  }

  externalIdsOf(treeId: TreeId): Promise<readonly ExternalId[]> {
    return this.#read((store) => store.externalIdsOf(treeId));
  }

  addProvenance(rows: readonly Provenance[]): Promise<void> {
    return this.#write((store) => store.addProvenance(rows));
  }

  provenanceOf(treeId: TreeId): Promise<readonly Provenance[]> {
    return this.#read((store) => store.provenanceOf(treeId));
  }

  putLinear(record: StoredLinearConversation): Promise<void> {
    return this.#write((store) => store.putLinear(record));
  }

  /**
   * Converts the owner's lists to trees. If the owner is moved meanwhile, waits and then continues in the new bucket.
   */
  async *backfill(
    options: { readonly batch?: number; readonly signal?: AbortSignalLike } = {},
  ): AsyncIterable<BackfillProgress> {
    let before = 0;
    for (;;) {
      let done = 0;
      try {
        const { store } = await this.#pool.homeOf(this.owner, true);
        for await (const progress of store.forOwner(this.owner).backfill(options)) {
          done = progress.done;
          yield { ...progress, done: before + done };
        }
        return;
      } catch (error) {
        if (!isOwnerMovedError(error)) throw error;
        before += done;
        await this.#lookUpBucketAgain(firstWait);
      }
    }
  }

  /** Checks one tree in the owner's bucket, or all trees of all buckets, one bucket after another. */
  async fsck(options: FsckOptions = {}): Promise<FsckReport> {
    assertArgument('options', options, argumentValidators.fsckOptions);
    if (options.treeId !== undefined) return this.#write((store) => store.fsck(options));
    const reports: FsckReport[] = [];
    // The totals of later buckets are not known yet, so the reported total grows with each bucket.
    let before = 0;
    const buckets = await this.#pool.all();
    for (const { unchecked } of buckets) {
      let checked = 0;
      const onProgress = ({ done, total }: WorkProgress) => {
        checked = done;
        options.onProgress?.({ done: before + done, total: before + total });
      };
      reports.push(await unchecked(this.owner).fsck({ ...options, onProgress }));
      before += checked;
    }
    const report = joinFsckReports(reports);
    const findings: FsckReport['findings'][number][] = [];
    // The shares are in the directory, while their trees are in any bucket. So a share without a tree in one bucket is
    // no error.
    for (const finding of report.findings)
      if (finding.code !== 'share-dangling' || !(await hasTreeAnywhere(buckets, finding.treeId)))
        findings.push(finding);
    return { ...report, findings };
  }

  /** Copies all buckets into one file, each from one snapshot, so that the data of each owner is consistent. */
  async backup(to: string, options: BackupOptions = {}): Promise<void> {
    assertArgument('options', options, argumentValidators.backupOptions);
    await backUpBuckets(this.#pool, to, options.onProgress);
  }

  async close(): Promise<void> {
    if (this.#state.closed) return;
    const { pool } = this.#state;
    this.#state.closed = true;
    await pool.close();
  }
}

/** Whether one of the buckets has a tree with this id, of any owner. */
async function hasTreeAnywhere(buckets: readonly OpenedBucket[], id: TreeId | null): Promise<boolean> {
  if (id === null) return false;
  for (const { database } of buckets)
    if ((await database.read(() => queryRow('SELECT 1 AS yes FROM tree WHERE id = $1', id))) !== undefined) return true;
  return false;
}
