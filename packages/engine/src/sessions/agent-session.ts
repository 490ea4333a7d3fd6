/** A session as a coding agent uses it: branching, compaction and files, with hooks before and after each. */
import { deriveSessionNodeId, deriveSessionTreeId, type SessionFiles } from '@coppice/content/sessions';
import { isAppError, type NodeId, nodeId, refuse, type Store, type TreeId, textOf } from '@coppice/core';
import { printWarning } from '#platform/system';
import { createCompactor } from '../compaction/index.ts';
import { createEventBus, type EventBus, type HookFailure } from '../events.ts';
import { newId } from '../new-id.ts';
import type { Summarizer } from '../summaries/index.ts';
import type { BranchResult, CompactionResult, SessionOptions, SessionStats, SessionTree } from './contract.ts';
import { copyPathEntries, copySubtreeEntries } from './copies.ts';
import { SessionManager } from './manager.ts';
import { buildSessionTree, computeSessionStats } from './session-tree.ts';

/** The files of an agent session, and optional replacements for its hooks and summaries. */
export interface AgentSessionOptions extends SessionOptions {
  readonly files: SessionFiles;
  readonly events?: EventBus;
  /** Called when a hook fails, unless `events` is given; by default a process warning. */
  readonly onHookFailure?: (failure: HookFailure) => void;
  /** Writes summaries; if undefined, they are extracted from the messages without a model. */
  readonly summarizer?: Summarizer;
}

/** Whether and how to summarise the branch that is left. */
export interface BranchInPlaceOptions {
  /** Whether to add a summary of the entries that are left. */
  readonly summarize?: boolean;
  /** The topic that the summary must cover in detail. */
  readonly focus?: string;
  /** A summary that the caller has written; then no model is called. */
  readonly summary?: string;
  readonly signal?: AbortSignal;
}

/**
 * The target of a move. For a user's message that is the entry above it, and the text is returned for editing;
 * otherwise the entry itself.
 */
interface SessionMove {
  readonly at: number;
  readonly selectedText: string;
}

/** A session with its current file. Branching to a new file makes that the current one. */
export class AgentSession {
  readonly #options: AgentSessionOptions;
  readonly events: EventBus;
  #manager: SessionManager;
  #store: Promise<Store> | null = null;

  constructor(manager: SessionManager, options: AgentSessionOptions) {
    this.#manager = manager;
    this.#options = options;
    this.events = options.events ?? createEventBus(options.onHookFailure ?? warn);
  }

  static open(path: string, options: AgentSessionOptions): AgentSession {
    return new AgentSession(SessionManager.open(path, options), options);
  }

  /** The manager of the current file; another one after the session was branched to a new file. */
  get manager(): SessionManager {
    return this.#manager;
  }

  /** The id of the session's tree in its store. */
  get treeId(): TreeId {
    return deriveSessionTreeId(this.#manager.getSessionId());
  }

  /**
   * Returns the session as a tree in a store, for commands and turns. The manager shows changes made there after its
   * `refresh`.
   */
  async store(): Promise<Store> {
    this.#store ??= this.#options.files.store(this.#manager.path);
    return this.#store;
  }

  #resolveMove(uuid: string): SessionMove {
    const { index } = this.#manager;
    const at = index.file.indexOf(uuid);
    if (at < 0 || !index.isLive(at))
      refuse('tree/unknown-node', `There is no entry ${uuid} in ${this.#manager.path}.`, { nodeId: uuid });
    if (at === 0) return { at, selectedText: '' };
    const { kind, message } = index.decodedAt(at);
    if (kind !== 'message' || message.role !== 'user') return { at, selectedText: '' };
    return { at: index.parent(at), selectedText: textOf(message) };
  }

  /** Runs the hooks before a move. Returns the final target, or the reason for a cancellation. */
  async #ask(uuid: string, summary?: string): Promise<{ readonly uuid: string; readonly summary?: string } | string> {
    try {
      const { treeId } = this;
      const revised = await this.events.ask('branch', {
        treeId,
        nodeId: nodeId(uuid),
        ...(summary === undefined ? {} : { summary }),
      });
      return { uuid: revised.nodeId, ...(revised.summary === undefined ? {} : { summary: revised.summary }) };
    } catch (error) {
      if (isAppError(error) && error.code === 'event/cancelled') return error.message;
      throw error;
    }
  }

  #tell(at: string, added: readonly NodeId[]): Promise<void> {
    return this.events.tell('branch', { treeId: this.treeId, nodeId: nodeId(at), added });
  }

  /**
   * Copies only the path to the entry to a new file and continues there. For a user's message the path ends above it,
   * and its text is returned.
   */
  async branch(entryUuid: string): Promise<BranchResult> {
    return this.#branchTo(this.#resolveMove(entryUuid));
  }

  async #branchTo({ at, selectedText }: SessionMove): Promise<BranchResult> {
    const place = this.#manager.index.file.uuidAt(at);
    const verdict = await this.#ask(place);
    if (typeof verdict === 'string') return { selectedText: '', cancelled: true, inPlace: false, reason: verdict };
    const moved = verdict.uuid !== place;
    const to = moved ? this.#resolveMove(verdict.uuid).at : at;
    const path = this.continueInCopy(this.#manager.index.file.uuidAt(to), false);
    await this.#tell(this.#manager.getLeafUuid(), []);
    return { selectedText: moved ? '' : selectedText, cancelled: false, newSessionFile: path, inPlace: false };
  }

  /**
   * Continues in a new file from an entry, like {@link branch}. Without an entry, or with the current leaf, the whole
   * path is copied.
   */
  async fork(entryUuid?: string): Promise<BranchResult> {
    const here = this.#manager.getLeafUuid();
    if (entryUuid !== undefined && entryUuid !== here) return this.branch(entryUuid);
    return this.#branchTo({ at: this.#manager.index.file.indexOf(here), selectedText: '' });
  }

  /** Copies the whole session with all branches to a new file and continues there. */
  async clone(): Promise<BranchResult> {
    const path = this.continueInCopy(this.#manager.getLeafUuid(), true);
    return { selectedText: '', cancelled: false, newSessionFile: path, inPlace: false };
  }

  /** Copies the path to an entry, or the whole session, to a new file and continues there. Runs no hooks. */
  continueInCopy(entryUuid: string, whole: boolean): string {
    const { index } = this.#manager;
    const at = index.file.indexOf(entryUuid);
    if (at < 0 || !index.isLive(at))
      refuse('tree/unknown-node', `There is no entry ${entryUuid} in ${this.#manager.path}.`, { nodeId: entryUuid });
    const path = this.#copyTo((header, copying) =>
      whole ? copySubtreeEntries(index, 0, at, header, copying) : copyPathEntries(index, at, header, copying),
    );
    this.#continueIn(path);
    return path;
  }

  /**
   * Writes the path to an entry and its descendants to a new file with the same ids; `pathOnly` leaves the descendants
   * out. Returns the new path.
   */
  exportBranch(entryUuid: string, options: { readonly pathOnly?: boolean; readonly to?: string } = {}): string {
    const { index } = this.#manager;
    const at = index.file.indexOf(entryUuid);
    if (at < 0 || !index.isLive(at))
      refuse('tree/unknown-node', `There is no entry ${entryUuid} in ${this.#manager.path}.`, { nodeId: entryUuid });
    const leaf = index.file.indexOf(this.#manager.getLeafUuid());
    return this.#copyTo(
      (header, copying) =>
        options.pathOnly === true
          ? copyPathEntries(index, at, header, copying)
          : copySubtreeEntries(index, at, leaf, header, copying),
      options.to,
    );
  }

  #copyTo(
    entries: (
      header: string,
      copying: { readonly newId: () => string; readonly time: string },
    ) => Parameters<SessionFiles['create']>[1]['entries'],
    to?: string,
  ): string {
    const { files, now = Date.now, actor = 'local' } = this.#options;
    const makeId = this.#options.newId ?? (() => newId());
    const at = now();
    const uuid = makeId();
    const { cwd } = this.#manager.getHeader();
    const createdFile = files.create(
      to === undefined ? { folder: folderOfSession(this.#manager.path) } : { path: to },
      {
        uuid,
        id: makeId(),
        at,
        ...(cwd === undefined ? {} : { cwd }),
        parentSession: this.#manager.path,
        entries: entries(uuid, { newId: makeId, time: new Date(at).toISOString() }) ?? [],
        commit: { actId: makeId(), actor, at },
      },
    );
    const { path } = createdFile;
    createdFile.close();
    return path;
  }

  #continueIn(path: string): void {
    const before = this.#manager;
    this.#manager = SessionManager.open(path, this.#options);
    before.close();
    void this.#closeStore();
  }

  async #closeStore(): Promise<void> {
    const store = this.#store;
    this.#store = null;
    await (await store)?.close();
  }

  /**
   * Moves to an entry within the file, and adds a summary of the branch that is left if requested. Does nothing if the
   * entry is the current one.
   */
  async branchInPlace(entryUuid: string, options: BranchInPlaceOptions = {}): Promise<BranchResult> {
    const { at, selectedText } = this.#resolveMove(entryUuid);
    const { index } = this.#manager;
    const place = index.file.uuidAt(at);
    const here = this.#manager.getLeafUuid();
    if (place === here || entryUuid === here)
      return { selectedText: entryUuid === here ? '' : selectedText, cancelled: false, inPlace: true };
    const verdict = await this.#ask(place, options.summary);
    if (typeof verdict === 'string') return { selectedText: '', cancelled: true, inPlace: true, reason: verdict };
    const summary =
      verdict.summary ?? (options.summarize === true ? await this.#summarize(verdict.uuid, options) : undefined);
    const { text, details } = typeof summary === 'string' ? { text: summary, details: undefined } : (summary ?? {});
    const uuid =
      text === undefined
        ? await this.#manager.branch(verdict.uuid)
        : await this.#manager.branchWithSummary(verdict.uuid, text, details);
    await this.#tell(this.#manager.getLeafUuid(), text === undefined ? [] : [nodeId(uuid)]);
    return { selectedText: verdict.uuid === place ? selectedText : '', cancelled: false, inPlace: true };
  }

  /** Summarises the entries between the common ancestor and the leaf that is left. */
  async #summarize(
    to: string,
    { focus, signal }: BranchInPlaceOptions,
  ): Promise<{ readonly text: string; readonly details: Readonly<Record<string, unknown>> } | undefined> {
    const { index } = this.#manager;
    const leaf = index.file.indexOf(this.#manager.getLeafUuid());
    const other = new Set(index.path(index.file.indexOf(to)));
    const path = index.path(leaf);
    const shared = path.findLast((line) => other.has(line)) ?? 0;
    if (shared === leaf) return undefined;
    const compactor = await this.#compactor();
    const { treeId } = this;
    const made = await compactor.summarizeRange({
      treeId,
      above: shared === 0 ? null : this.#node(shared),
      leaf: this.#node(leaf),
      ...(focus === undefined ? {} : { focus }),
      ...(signal === undefined ? {} : { signal }),
    });
    return made === null ? undefined : { text: made.text, details: { ...made.details, ...made.meta } };
  }

  async #compactor(): Promise<ReturnType<typeof createCompactor>> {
    const store = await this.store();
    const { summarizer, now, kit } = this.#options;
    return createCompactor({
      store,
      events: this.events,
      ...(summarizer === undefined ? {} : { summarizer }),
      ...(now === undefined ? {} : { now }),
      ...(kit === undefined ? {} : { kit }),
    });
  }

  #node(line: number): NodeId {
    return deriveSessionNodeId(this.#manager.getSessionId(), this.#manager.index.file.uuidAt(line));
  }

  /** Returns the tree as a flat list, parents before children. */
  getSessionTree(): SessionTree {
    const { index } = this.#manager;
    return buildSessionTree(index, index.file.indexOf(this.#manager.getLeafUuid()));
  }

  /** Replaces older messages by a summary. Throws `context/nothing-to-compact` if the context is too short. */
  async compact(
    options: { readonly focus?: string; readonly keep?: number; readonly signal?: AbortSignal } = {},
  ): Promise<CompactionResult> {
    const compactor = await this.#compactor();
    const line = this.#manager.index.file.indexOf(this.#manager.getLeafUuid());
    if (line <= 0)
      return refuse('context/nothing-to-compact', 'A session without messages has nothing to compact.', {});
    const made = await compactor.compact({ treeId: this.treeId, nodeId: this.#node(line), ...options });
    this.#manager.refresh();
    const { firstKept } = made;
    return {
      uuid: this.#uuidOf(made.nodeId),
      summary: made.summary,
      firstKeptEntryUuid: firstKept === null ? null : this.#uuidOf(firstKept),
      tokensBefore: made.tokensBefore,
      tokensAfter: made.tokensAfter,
    };
  }

  #uuidOf(id: NodeId): string {
    const { index } = this.#manager;
    const line = index.lineOf(id);
    return line < 0 ? id : index.file.uuidAt(line);
  }

  /** Counts entries and tokens of all branches. */
  getStats(): SessionStats {
    return computeSessionStats(this.#manager.index);
  }

  /** Moves the session's file to the trash of its folder; returns the new path. */
  async delete(): Promise<string> {
    const { path } = this.#manager;
    await this.close();
    return this.#options.files.trash(path);
  }

  async close(): Promise<void> {
    this.#manager.close();
    await this.#closeStore();
  }
}

function folderOfSession(path: string): string {
  const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return at < 0 ? '.' : path.slice(0, at);
}

function warn({ event, error }: HookFailure): void {
  printWarning(`A hook failed (${event}): ${error instanceof Error ? error.message : String(error)}`);
}
