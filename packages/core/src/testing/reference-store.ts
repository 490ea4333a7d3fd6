import { findRedoableAct, findUndoableAct } from '../acts.ts';
import { answerFromTree, type CrossTreeAnswers } from '../answer-from-tree.ts';
import { applyOrThrow } from '../apply.ts';
import { isStale, isUndoable, makeVersionConflictError, prepareCommit } from '../commit.ts';
import { isAppError } from '../errors.ts';
import type { ActId, NodeId, TreeId } from '../ids.ts';
import { type ActRecord, type Commit, type ReadProgram, runReads } from '../reads.ts';
import type {
  AbortSignalLike,
  ChangeOptions,
  ChangeResult,
  PlannerFactory,
  StoreCapabilities,
  TreeStore,
} from '../store.ts';
import { emptyTree, findAnyNode, findNode, type Tree } from '../tree.ts';

/**
 * The smallest store that fulfils the contract: tree values and a log, in memory. Tests compare other stores with it.
 */
export class ReferenceStore implements TreeStore {
  readonly owner: string;
  readonly supports: StoreCapabilities = {
    durable: false,
    processes: false,
    search: false,
    crossProcessFeed: false,
    history: true,
  };
  readonly trees: Map<TreeId, Tree>;
  readonly commits: Map<TreeId, Commit[]>;
  readonly #listeners: Set<() => void>;

  constructor(owner = 'local', shared?: ReferenceStore) {
    this.owner = owner;
    this.trees = shared?.trees ?? new Map();
    this.commits = shared?.commits ?? new Map();
    this.#listeners = shared === undefined ? new Set() : shared.#listeners;
  }

  forOwner(owner: string): ReferenceStore {
    return new ReferenceStore(owner, this);
  }

  /** Returns the current value of a tree; undefined if another owner has it. */
  tree(id: TreeId): Tree | undefined {
    const tree = this.trees.get(id);
    return tree?.owner === this.owner ? tree : undefined;
  }

  async read<T>(treeId: TreeId, reading: () => ReadProgram<T>): Promise<T> {
    return runReads(reading(), (read) => answerFromTree(this.tree(treeId), read, this.#crossTree(treeId)));
  }

  async change<R>(treeId: TreeId, planning: PlannerFactory<R>, options: ChangeOptions): Promise<ChangeResult<R>> {
    const tree = this.tree(treeId);
    const stale = isStale(tree ?? null, options.expectedVersion);
    const plan = runReads(planning({ stale }), (read) => answerFromTree(tree, read, this.#crossTree(treeId)));
    try {
      const prepared = prepareCommit(treeId, tree ?? null, plan, options);
      if (prepared === null) return { result: plan.result, commit: null, version: tree?.version ?? 0 };
      const before = tree ?? emptyTree(treeId, this.owner, options.at);
      this.trees.set(treeId, applyOrThrow(before, plan.steps, { at: options.at }).tree);
      this.#log(treeId).push(prepared.commit);
      for (const tell of this.#listeners) tell();
      return { result: plan.result, commit: prepared.commit, version: prepared.commit.version };
    } catch (error) {
      if (!isAppError(error) || error.code !== 'tree/version-conflict') throw error;
      const expected = options.expectedVersion ?? 0;
      throw makeVersionConflictError(
        treeId,
        tree?.version ?? 0,
        expected,
        this.#log(treeId).filter((commit) => commit.version > expected),
      );
    }
  }

  async *feed(treeId: TreeId, since: number, signal?: AbortSignalLike): AsyncIterable<Commit> {
    let at = since;
    while (signal?.aborted !== true) {
      const next = this.#log(treeId).find((commit) => commit.version === at + 1);
      if (next !== undefined) {
        at = next.version;
        yield next;
        continue;
      }
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#listeners.delete(wake);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        this.#listeners.add(wake);
        signal?.addEventListener('abort', wake, { once: true });
      });
    }
  }

  async content(treeId: TreeId, ids: readonly NodeId[]): Promise<ReadonlyMap<NodeId, string>> {
    const tree = this.tree(treeId);
    const texts = new Map<NodeId, string>();
    for (const id of ids) {
      const message = tree === undefined ? undefined : findNode(tree, id)?.message;
      if (message != null) texts.set(id, JSON.stringify(message));
    }
    return texts;
  }

  async close(): Promise<void> {
    // A store in memory has nothing to close.
  }

  #log(treeId: TreeId): Commit[] {
    const log = this.commits.get(treeId) ?? [];
    this.commits.set(treeId, log);
    return log;
  }

  #crossTree(treeId: TreeId): CrossTreeAnswers {
    const own = [...this.trees.values()].filter((tree) => tree.owner === this.owner);
    const log = this.#log(treeId);
    return {
      tree: (id) => this.tree(id),
      taken: (ids) =>
        ids.filter((id) =>
          [...this.trees.values()].some((tree) => String(tree.id) === id || findAnyNode(tree, id) !== undefined),
        ),
      home: (id) => own.find((tree) => findNode(tree, id) !== undefined)?.id ?? null,
      forest: (key, project) =>
        own.find(
          ({ attributes }) =>
            attributes.forestKey === key && attributes.project === project && attributes.trashedAt === undefined,
        )?.id ?? null,
      log: (since, limit) => log.filter((commit) => commit.version > since).slice(0, limit),
      undoable: (actor, actId) => this.#record(treeId, findUndoableAct(log, actor, actId)),
      redoable: (actor, actId) => this.#record(treeId, findRedoableAct(log, actor, actId)),
    };
  }

  #record(
    treeId: TreeId,
    found: { readonly actId: ActId; readonly commits: readonly Commit[] } | null,
  ): ActRecord | null {
    if (found === null) return null;
    // An act that only created the tree or moved the active node has nothing to invert.
    const changed = (commit: Commit) => commit.actId === found.actId && commit.version > 1 && isUndoable(commit.steps);
    const elsewhere = [...this.commits].filter(
      ([id, log]) => id !== treeId && this.tree(id) !== undefined && log.some(changed),
    );
    return { ...found, elsewhere: elsewhere.map(([id]) => id), purged: false };
  }
}
