/** Implements the store contract of core over trees in memory, for one owner. */
import {
  type AbortSignalLike,
  type AccountStore,
  ask,
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
  type Node,
  type NodeId,
  type Page,
  type PlannerFactory,
  type Provenance,
  type PurgeReport,
  type ReadProgram,
  type RunStore,
  refuse,
  type SearchHit,
  type SearchQuery,
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
import { findTrimVersion, treeFromRows } from '@coppice/core/history';
import { allBookmarks, allNodes, checkTree, findNode } from '@coppice/core/tree';
import { argumentValidators, validateReads } from '../argument-shapes.ts';
import { addBlobHashesOfLog, addBlobHashesOfNodes } from '../attachments.ts';
import { summarizeCommit } from '../history.ts';
import { clampPageLength, defaultHistoryLength } from '../limits.ts';
import type { StoreOptions } from '../options.ts';
import { countReplacedContents, type PurgeTarget, purgeFromTree } from '../purge.ts';
import { throwNotInTrash, throwUnknownTree } from '../refusals.ts';
import { repairRows } from '../repair.ts';
import { findFirstVersionForShares } from '../trim-limit.ts';
import { InProcessAccounts } from './accounts.ts';
import { InProcessBlobs } from './blobs.ts';
import { findCopiesInMemory } from './copies.ts';
import { InProcessExternalIds } from './external-ids.ts';
import { InProcessState, type InProcessStateOptions } from './in-process-state.ts';
import { listTrash, listTreesInMemory, searchMessages } from './lists.ts';
import { findNewestAct } from './newest-act.ts';
import type { Persistence } from './persistence.ts';
import { InProcessRuns } from './runs.ts';
import { findIndexInLog, type TreeSlot } from './tree-slot.ts';

// Codes of findings: a pending reply without a run, and a run without its reply. The SQL stores use the same codes.
const unwritten = 'J27 pending-without-run';
const unplaced = 'run-dangling';

/** The parts of a store that all its handles share. */
export interface StoreParts {
  readonly state: InProcessState;
  readonly runs: InProcessRuns;
  readonly blobs: InProcessBlobs;
  readonly accounts: InProcessAccounts;
  readonly names: InProcessExternalIds;
}

/** What differs between the stores that keep their trees in memory: description, backup and closing. */
export interface StoreIdentity {
  readonly supports: StoreCapabilities;
  info(): StoreInfo;
  backup(to: string): Promise<void>;
  close(): Promise<void>;
}

/** Creates the state of all trees of a store, with the options of the store that the state needs. */
export function createInProcessState(
  { treeWrites, kit }: StoreOptions,
  about: Pick<InProcessStateOptions, 'persistence' | 'readOnly'>,
): InProcessState {
  return new InProcessState({
    ...about,
    ...(treeWrites === undefined ? {} : { treeWrites }),
    ...(kit === undefined ? {} : { kit }),
  });
}

/** Creates the parts that all handles of a store share: runs, attachments, external ids and accounts over one state. */
export function createStoreParts(
  state: InProcessState,
  persistence?: Persistence,
  options: StoreOptions = {},
): StoreParts {
  return {
    state,
    runs: new InProcessRuns(state),
    blobs: new InProcessBlobs(state, persistence, options),
    accounts: new InProcessAccounts(state),
    names: new InProcessExternalIds(state),
  };
}

/** A store that keeps its trees in memory, limited to one owner. The handles of other owners share the trees. */
export class InProcessStore implements Store {
  readonly owner: string;
  readonly supports: StoreCapabilities;
  readonly runs: RunStore;
  readonly blobs: BlobStore;
  readonly accounts: AccountStore;
  readonly sealed = null;
  readonly shared = null;
  readonly #parts: StoreParts;
  readonly #plate: StoreIdentity;

  constructor(parts: StoreParts, plate: StoreIdentity, owner: string) {
    assertArgument('owner', owner, argumentValidators.ownerName);
    this.#parts = parts;
    this.#plate = plate;
    this.owner = owner;
    this.supports = plate.supports;
    this.runs = parts.runs.for(owner);
    this.blobs = parts.blobs.for(owner);
    this.accounts = parts.accounts;
  }

  forOwner(owner: string): InProcessStore {
    return new InProcessStore(this.#parts, this.#plate, owner);
  }

  get #state(): InProcessState {
    return this.#parts.state;
  }

  read<T>(treeId: TreeId, reading: () => ReadProgram<T>): Promise<T> {
    return this.#state.read(this.owner, treeId, () => validateReads(reading()));
  }

  change<R>(treeId: TreeId, planning: PlannerFactory<R>, options: ChangeOptions): Promise<ChangeResult<R>> {
    return this.#state.change(this.owner, treeId, planning, options);
  }

  feed(treeId: TreeId, since: number, signal?: AbortSignalLike): AsyncIterable<Commit> {
    return this.#state.feed(this.owner, treeId, since, signal);
  }

  feedAll(since: string | null, signal?: AbortSignalLike): AsyncIterable<TreeListEvent> {
    return this.#state.feedAll(this.owner, since, signal);
  }

  async content(treeId: TreeId, ids: readonly NodeId[]): Promise<ReadonlyMap<NodeId, string>> {
    this.#state.assertOpen();
    assertArgument('ids', ids, argumentValidators.nodeIds);
    const texts = new Map<NodeId, string>();
    for (const { id, message } of await this.#state.read(this.owner, treeId, () => ask('nodes', { ids })))
      if (message !== null) texts.set(id, JSON.stringify(message));
    return texts;
  }

  async close(): Promise<void> {
    this.#state.close();
    await this.#plate.close();
  }

  async info(): Promise<StoreInfo> {
    return this.#plate.info();
  }

  async trees(query: TreeQuery = {}): Promise<Page<TreeSummary>> {
    this.#state.assertOpen();
    assertArgument('query', query, argumentValidators.treeQuery);
    await this.#state.follow(true);
    return listTreesInMemory(this.#state, this.owner, query);
  }

  async formatOf(treeId: TreeId): Promise<ConversationFormat | null> {
    return this.#state.formatOf(this.owner, treeId);
  }

  async search(query: SearchQuery): Promise<Page<SearchHit>> {
    this.#state.assertOpen();
    assertArgument('query', query, argumentValidators.searchQuery);
    await this.#state.follow(true);
    return searchMessages(this.#state, this.owner, query);
  }

  async history(
    treeId: TreeId,
    options: { readonly before?: number; readonly limit?: number } = {},
  ): Promise<readonly CommitSummary[]> {
    assertArgument('options', options, argumentValidators.historyQuery);
    const limit = clampPageLength(options.limit ?? defaultHistoryLength);
    const { loadedSlot } = await this.#state.open(this.owner, treeId);
    const before = Math.min(loadedSlot.tree.version + 1, options.before ?? Number.POSITIVE_INFINITY);
    const end = findIndexInLog(loadedSlot.log, before);
    return loadedSlot.log
      .slice(Math.max(0, end - limit), end)
      .reverse()
      .map(summarizeCommit);
  }

  async newestAct(actor: string, which: 'undoable' | 'redoable'): Promise<NewestAct | null> {
    this.#state.assertOpen();
    assertArgument('actor', actor, argumentValidators.actorName);
    assertArgument('which', which, argumentValidators.actKind);
    await this.#state.follow(true);
    return findNewestAct(this.#state, this.owner, actor, which);
  }

  async trash(treeId: TreeId): Promise<readonly TrashItem[]> {
    const { slot, loadedSlot } = await this.#state.open(this.owner, treeId);
    return listTrash(slot, loadedSlot);
  }

  async purge(treeId: TreeId, what: PurgeTarget): Promise<PurgeReport> {
    this.#state.assertWritable();
    assertArgument('what', what, argumentValidators.purgeQuery);
    return this.#state.locks.run(treeId, async () => {
      const { slot, loadedSlot } = await this.#state.open(this.owner, treeId);
      const done = purgeFromTree(loadedSlot.tree, loadedSlot.log, what);
      const { nodeIds, tree, log, report } = done;
      if (nodeIds.size === 0) return { ...report, copies: [], waitingAttachments: 0, uncleared: [] };
      const purged = allNodes(loadedSlot.tree).filter((node) => nodeIds.has(node.id));
      const named = nodesNamedBy(purged, loadedSlot.log);
      const copies = await findCopiesInMemory(this.#state, this.owner, treeId, purged);
      await this.#parts.runs.forget(treeId, nodeIds);
      await this.#state.purge(slot, { type: 'purge', treeId, nodeIds: [...nodeIds], tree, log });
      this.#parts.names.forget(treeId, nodeIds);
      const waitingAttachments = await this.#parts.blobs.collect(this.owner, named);
      return { ...report, copies, waitingAttachments, uncleared: [] };
    });
  }

  async purgeTree(treeId: TreeId): Promise<PurgeReport> {
    this.#state.assertWritable();
    return this.#state.locks.run(treeId, async () => {
      const slot = this.#state.find(this.owner, treeId) ?? throwUnknownTree(treeId);
      if (slot.row.attributes.trashedAt === undefined) throwNotInTrash(treeId);
      return this.#deleteTree(treeId);
    });
  }

  async trimHistory(options: TrimHistoryOptions): Promise<TrimHistoryReport> {
    this.#state.assertWritable();
    assertArgument('options', options, argumentValidators.trimOptions);
    const { before, treeId, signal, onProgress } = options;
    if (treeId !== undefined) {
      const slot = this.#state.find(this.owner, treeId) ?? throwUnknownTree(treeId);
      const commits = await this.#trimTree(slot, before);
      return { trees: commits > 0 ? 1 : 0, commits, skipped: 0 };
    }
    await this.#state.follow(true);
    const slots = [...this.#state.slots.values()];
    let [trees, commits, skipped] = [0, 0, 0];
    for (const [done, slot] of slots.entries()) {
      if (signal?.aborted === true) break;
      onProgress?.({ done, total: slots.length });
      try {
        const deleted = await this.#trimTree(slot, before);
        commits += deleted;
        if (deleted > 0) trees++;
      } catch (error) {
        // Another program owns the file, or the file cannot be read. The other trees are trimmed all the same.
        if (!isAppError(error)) throw error;
        skipped++;
      }
    }
    return { trees, commits, skipped };
  }

  /** Deletes the old commits of one tree. Returns their number. */
  async #trimTree({ id, owner, row }: TreeSlot, before: number): Promise<number> {
    if (row.createdAt >= before || row.version === 1) return 0;
    const latest = findFirstVersionForShares(await this.accounts.shares(owner, id), Date.now());
    const log = await this.#state.readLog(owner, id);
    if (findTrimVersion(log, before, latest) === log[0]?.version) return 0;
    return this.#state.locks.run(id, async () => {
      const { slot, loadedSlot } = await this.#state.open(owner, id);
      const start = findIndexInLog(loadedSlot.log, findTrimVersion(loadedSlot.log, before, latest));
      if (start === 0) return 0;
      const deleted = loadedSlot.log.slice(0, start);
      await this.#state.trim(slot, loadedSlot.log.slice(start));
      await this.#parts.blobs.collect(owner, nodesNamedBy([], deleted));
      return deleted.length;
    });
  }

  /** Deletes a tree with everything that belongs to it, whether it is in the trash or not. Used for temporary trees. */
  async discard(treeId: TreeId): Promise<void> {
    this.#state.assertWritable();
    await this.#state.locks.run(treeId, async () => {
      if (this.#state.find(this.owner, treeId) === undefined) throwUnknownTree(treeId);
      await this.#deleteTree(treeId);
    });
  }

  async #deleteTree(treeId: TreeId): Promise<PurgeReport> {
    const slot = this.#state.find(this.owner, treeId) ?? throwUnknownTree(treeId);
    const { nodes, log } = await this.#readable(treeId);
    const named = nodesNamedBy(nodes, log);
    const copies = await findCopiesInMemory(this.#state, this.owner, treeId, nodes);
    await this.#parts.runs.forget(treeId);
    await this.#state.deleteTree(slot);
    this.#parts.names.forget(treeId);
    this.#parts.accounts.forget(treeId);
    const waitingAttachments = await this.#parts.blobs.collect(this.owner, named);
    const contents = log.reduce((sum, commit) => sum + countReplacedContents(commit.steps), 0);
    return { nodes: nodes.length, contents, copies, waitingAttachments, uncleared: [] };
  }

  /** Returns the nodes and the log of a tree that is about to be deleted; empty lists if the tree cannot be read. */
  async #readable(treeId: TreeId): Promise<{ readonly nodes: readonly Node[]; readonly log: readonly Commit[] }> {
    try {
      const { loadedSlot } = await this.#state.open(this.owner, treeId);
      return { nodes: [...allNodes(loadedSlot.tree)], log: loadedSlot.log };
    } catch (error) {
      if (!isAppError(error)) throw error;
      return { nodes: [], log: [] };
    }
  }

  async putExternalIds(ids: readonly ExternalId[]): Promise<void> {
    assertArgument('ids', ids, argumentValidators.externalIds);
    return this.#parts.names.put(this.owner, ids);
  }

  async findExternalIds(format: string, scope: string, ids: readonly string[]): Promise<readonly ExternalId[]> {
    assertArgument('names', { format, scope, ids }, argumentValidators.wantedNames);
    return this.#parts.names.find(this.owner, format, scope, ids);
  }

  externalIdsOf(treeId: TreeId): Promise<readonly ExternalId[]> {
    return this.#parts.names.of(this.owner, treeId);
  }

  async addProvenance(rows: readonly Provenance[]): Promise<void> {
    assertArgument('rows', rows, argumentValidators.provenances);
    return this.#parts.names.addProvenance(this.owner, rows);
  }

  provenanceOf(treeId: TreeId): Promise<readonly Provenance[]> {
    return this.#parts.names.provenanceOf(this.owner, treeId);
  }

  async putLinear(record: StoredLinearConversation): Promise<void> {
    assertArgument('record', record, argumentValidators.linearRecord);
    return this.#state.putLinear(this.owner, record);
  }

  async *backfill(
    options: { readonly batch?: number; readonly signal?: AbortSignalLike } = {},
  ): AsyncGenerator<BackfillProgress> {
    this.#state.assertWritable();
    assertArgument('options', options, argumentValidators.backfillOptions);
    const batch = clampPageLength(options.batch);
    if (!this.#state.mayBranch(this.owner)) return;
    const open = [...this.#state.slotsOf(this.owner)].filter((slot) => slot.format === 'linear').map(({ id }) => id);
    let done = 0;
    while (done < open.length && options.signal?.aborted !== true) {
      for (const id of open.slice(done, done + batch)) await this.#state.storeAsTree(this.owner, id);
      done = Math.min(open.length, done + batch);
      yield { done, left: open.length - done };
    }
  }

  /** Returns the ids of the trees to check: the given one, or all. An unknown id gives an empty list. */
  protected wanted(treeId: TreeId | undefined): TreeId[] {
    return [...this.#state.slotsOf(this.owner)].flatMap(({ id }) =>
      treeId === undefined || id === treeId ? [id] : [],
    );
  }

  async fsck(options: FsckOptions = {}): Promise<FsckReport> {
    assertArgument('options', options, argumentValidators.fsckOptions);
    if (options.repair === true) this.#state.assertWritable();
    this.#state.assertOpen();
    const findings: FsckReport['findings'][number][] = [];
    const repaired: string[] = [];
    let nodes = 0;
    const wanted = this.wanted(options.treeId);
    if (options.treeId !== undefined && wanted.length === 0) throwUnknownTree(options.treeId);
    for (const [at, id] of wanted.entries()) {
      if (at > 0) options.onProgress?.({ done: at, total: wanted.length });
      const { loadedSlot } = await this.#state.open(this.owner, id);
      nodes += loadedSlot.tree.nodes.size;
      const found = checkTree(loadedSlot.tree);
      for (const finding of found) findings.push({ ...finding, treeId: id });
      const runs = await this.runs.list(id);
      const warn = (code: string, at: string) =>
        findings.push({ code, severity: 'warning', id: at, message: `${code} at ${at}.`, treeId: id });
      const written = new Set(runs.map((run) => run.nodeId));
      for (const node of allNodes(loadedSlot.tree))
        if (node.status === 'pending' && node.removedIn === null && !written.has(node.id)) warn(unwritten, node.id);
      for (const run of runs) if (findNode(loadedSlot.tree, run.nodeId)?.removedIn !== null) warn(unplaced, run.id);
      if (options.repair !== true || found.every(({ severity }) => severity !== 'error')) continue;
      for (const text of await this.#mend(id)) repaired.push(text);
    }
    if (wanted.length > 0) options.onProgress?.({ done: wanted.length, total: wanted.length });
    return { trees: wanted.length, nodes, findings, repaired };
  }

  async #mend(treeId: TreeId): Promise<readonly string[]> {
    return this.#state.locks.run(treeId, async () => {
      const { slot, loadedSlot } = await this.#state.open(this.owner, treeId);
      const { tree } = loadedSlot;
      const { row, nodes, bookmarks, repaired } = repairRows({
        row: tree,
        nodes: allNodes(tree),
        bookmarks: allBookmarks(tree),
      });
      if (repaired.length > 0) await this.#state.repair(slot, treeFromRows(row, nodes, bookmarks));
      return repaired;
    });
  }

  async backup(to: string, options: BackupOptions = {}): Promise<void> {
    this.#state.assertOpen();
    assertArgument('options', options, argumentValidators.backupOptions);
    if (to === '') refuse('command/invalid', 'A backup needs a target path.');
    await this.#plate.backup(to);
  }
}

/** Returns the hashes of the attachments that nodes and logged contents refer to. */
function nodesNamedBy(nodes: Iterable<Node>, log: readonly Commit[]): ReadonlySet<string> {
  const named = new Set<string>();
  addBlobHashesOfNodes(nodes, named);
  addBlobHashesOfLog(log, named);
  return named;
}
