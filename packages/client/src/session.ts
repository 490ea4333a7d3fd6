/** One open tree: the loaded branch, unconfirmed local changes, and the feed that keeps both up to date. */
import type { Node, NodeId, RowChange, Step, TreeId } from '@coppice/core';
import { rowChanges } from '@coppice/core/tree';
import { TreeActions } from './actions.ts';
import type { Api } from './api/create-api.ts';
import type { FeedCommit, GenerationStartedAnswer, PageAnswer, TreeViewData, WriteResponse } from './api-types.ts';
import type { Connection } from './connection.ts';
import { openFeed, type TurnReport } from './feed.ts';
import { toHttpProblem } from './http.ts';
import {
  addPage,
  applyRowChanges,
  chooseEndAfterRead,
  createEmptyBranch,
  filterUnloadedChanges,
  findLoadedEnd,
  keepOlderPages,
  type LoadedBranch,
  loadedPath,
  showBranchEnd,
  showEndIfReached,
  shownPath,
} from './loaded-branch.ts';
import { createObservable, type Observable } from './observable.ts';
import { applyOverlays, confirmWrite, movesActiveNode } from './overlays.ts';
import { addPagesAround, firstPageLength, type PagesAround, runsInPage, TreePageReader } from './reads.ts';
import { RecentCommits } from './recent-commits.ts';
import { TreeReplies } from './replies.ts';
import type { Topology } from './topology.ts';
import { TopologyLoader } from './topology-loader.ts';
import { emptyTreeState, hasRunningTurn, type OpenTreeState, type Overlay } from './tree-state.ts';
import { WriteQueue } from './write-queue.ts';

export type { OpenTreeState } from './tree-state.ts';

// If the feed has not delivered a commit after this time, the branch is read from the server.
const feedTimeoutMs = 3000;
// How long to wait before the tree is requested again from an unreachable server.
const reopenMs = 2500;
// The number of acts whose newest node is remembered. The response that names an act may arrive after its commits.
const maxRememberedActs = 64;

/** An open tree: its state, the user's actions, and the feed. Close it when it is no longer shown. */
export class TreeSession {
  readonly treeId: TreeId;
  readonly store: Observable<OpenTreeState>;
  readonly actions: TreeActions;
  readonly replies: TreeReplies;
  readonly connection: Connection;
  readonly #queue: WriteQueue;
  #feed: { close(): void } | null = null;
  readonly #closed = new AbortController();
  readonly #reads: TreePageReader;
  readonly #recentCommits = new RecentCommits();
  readonly #topologyLoader: TopologyLoader;
  #nextOverlayId = 1;
  #reading = false;
  #readAgain = false;
  #hasMissedCommits = false;
  #moveCount = 0;
  #navigationCount = 0;
  /** How many times the view has moved to a message or reply that was requested here. */
  #followCount = 0;
  /** The number of writes so far. `#activeNodeMovedBy` is the last write that moved the active node. */
  #writeCount = 0;
  #activeNodeMovedBy = 0;
  #wantedEnd: NodeId | null = null;
  /** The newest version that the feed has delivered. A page that was read may be newer. */
  #deliveredVersion = 0;
  /** The callbacks that wait until the feed has delivered a version. */
  #waiters: { readonly version: number; readonly done: () => void }[] = [];
  /** The newest node of each act. The commits of a turn may arrive before the response that names its act. */
  readonly #newestOfAct = new Map<string, NodeId>();
  /** The last turn that was started here. The view follows its newest reply until the user moves the view. */
  #turn: { readonly actId: string; readonly navigationCount: number } | null = null;
  #openPromise: Promise<unknown> = Promise.resolve();
  #reopenTimer: ReturnType<typeof setTimeout> | undefined;
  #opensAt: NodeId | undefined;

  constructor(treeId: TreeId, connection: Connection) {
    this.treeId = treeId;
    this.connection = connection;
    this.store = createObservable<OpenTreeState>(emptyTreeState);
    this.actions = new TreeActions(this);
    this.replies = new TreeReplies(connection, treeId, this.store, () => void this.refresh());
    this.#queue = new WriteQueue(connection.waitingQueues, (line) => this.store.setState(line));
    this.#reads = new TreePageReader(connection.api, treeId, this.#closed.signal);
    this.#topologyLoader = new TopologyLoader(connection.api, treeId, this.store, this.#closed.signal);
  }

  get api(): Api {
    return this.connection.api;
  }

  get state(): OpenTreeState {
    return this.store.getState();
  }

  /** The shown messages, oldest first. */
  get messages(): readonly Node[] {
    const { part } = this.state;
    return part === null ? [] : shownPath(part);
  }

  /** The confirmed version, on which the next write is based. */
  get version(): number {
    return this.state.base?.tree.version ?? 0;
  }

  /** How many times the user has moved this view. A response that arrives after a move must not move the view back. */
  get navigationCount(): number {
    return this.#navigationCount;
  }

  /**
   * Reads the tree and the end of the branch through a node (by default the active one), then follows the feed. If the
   * node does not exist, the active branch is shown and this resolves to false. An error is in the state. If the server
   * was unreachable, the tree is read again until the session is closed.
   */
  open(wanted?: NodeId): Promise<boolean> {
    clearTimeout(this.#reopenTimer);
    this.#opensAt = wanted;
    const opening = this.#read(wanted);
    this.#openPromise = opening;
    return opening;
  }

  async #read(wanted: NodeId | undefined): Promise<boolean> {
    try {
      const tree = await this.api.tree(this.treeId);
      const end = wanted === undefined ? null : await this.#reads.findLeafThrough(wanted);
      const through = end === null ? undefined : wanted;
      const leaf = end ?? tree.activeNodeId;
      const page = await this.#reads.readPage(leaf ?? undefined);
      const part = addPage(createEmptyBranch(tree), page, { leaf });
      const around = through === undefined ? null : await this.#reads.readAround(part, through);
      const base = addPagesAround(part, around, this.#recentCommits);
      this.#show({ phase: 'ready', problem: null, base, runs: runsInPage(page) });
      if (through !== undefined) this.scrollTo(through);
      this.replies.followRuns();
      this.#deliveredVersion = tree.version;
      // Closed while the tree was read. A `fetch` that ignores signals responds nevertheless.
      if (this.#closed.signal.aborted) return true;
      this.#feed?.close();
      this.#feed = openFeed(this.connection, this.treeId, tree.version, {
        commit: (commit) => this.#applyFeedCommit(commit),
        turn: (report) => this.#applyTurnReport(report),
        delta: (delta) => this.replies.addText(delta.nodeId, delta.offset, delta.text),
        approval: ({ callId, name, parameters, actId: act }) =>
          this.replies.setCall(callId, { name, parameters, state: 'waiting', actId: act }),
        decided: (callId) => this.replies.setCall(callId, null),
        reset: () => {
          this.#noteMissedCommits();
          void this.refresh();
        },
        connected: (connected) => {
          this.store.setState({ connected });
          if (!connected) return this.#resolveWaiters();
          void this.#queue.work();
          this.#topologyLoader.retry();
        },
        neededWhileHidden: () => hasRunningTurn(this.state),
        missing: (problem) => this.store.setState({ phase: 'missing', problem }),
      });
      return through === wanted;
    } catch (thrown) {
      const problem = toHttpProblem(thrown);
      if (problem.code !== 'page/aborted')
        this.store.setState({ phase: problem.status === 404 ? 'missing' : 'failed', problem });
      if (problem.offline && !this.#closed.signal.aborted)
        this.#reopenTimer = setTimeout(() => void this.open(wanted), reopenMs);
      return true;
    }
  }

  close(): void {
    this.#closed.abort();
    clearTimeout(this.#reopenTimer);
    this.#resolveWaiters();
    this.#feed?.close();
    this.#queue.close();
    this.replies.close();
  }

  /** Updates the state and applies the unconfirmed changes to the new confirmed branch. */
  #show(set: Partial<OpenTreeState>): void {
    const { base = this.state.base, overlays = this.state.overlays } = set;
    if (base === null) return this.store.setState(set);
    const { part, unconfirmed } = applyOverlays(base, overlays);
    this.store.setState({ ...set, part, unconfirmed });
  }

  /** Sets fields of the tree that no commit contains. */
  patchTree(set: Partial<TreeViewData>): void {
    const { base } = this.state;
    if (base !== null) this.#show({ base: { ...base, tree: { ...base.tree, ...set } } });
  }

  /** Asks the view to scroll to a node, even if it has scrolled to the same node before. */
  scrollTo(id: NodeId): void {
    this.store.setState((state) => ({
      scrollTarget: { nodeId: id, requests: (state.scrollTarget?.requests ?? 0) + 1 },
    }));
  }

  /** Loads the messages before the first loaded message. */
  async loadOlder(): Promise<void> {
    const { base, loadingAbove } = this.state;
    if (loadingAbove || base === null || base.before === null || base.leaf === null) return;
    const reading = this.#reads.readBefore(base.until ?? base.leaf, base.before);
    await this.#loadPage('loadingAbove', reading, (now, page) =>
      now.before === base.before ? this.#addPage(now, page, 'above') : null,
    );
  }

  /** Loads the messages after the last shown one, if the view does not show the end. */
  async loadNewer(): Promise<void> {
    const { base, loadingBelow } = this.state;
    if (loadingBelow || base === null || base.until === null || base.leaf === null) return;
    const reading = this.#reads.readAfter(base.leaf, base.until);
    await this.#loadPage('loadingBelow', reading, (now, page) =>
      now.until === base.until && now.leaf === base.leaf ? showEndIfReached(this.#addPage(now, page, 'below')) : null,
    );
  }

  /** Adds a page that is being read; `add` returns null if the view has moved meanwhile. */
  async #loadPage(
    flag: 'loadingAbove' | 'loadingBelow',
    reading: Promise<PageAnswer>,
    add: (now: LoadedBranch, page: PageAnswer) => LoadedBranch | null,
  ): Promise<void> {
    this.store.setState({ [flag]: true });
    const release = this.#recentCommits.keep();
    try {
      const page = await reading;
      const { base } = this.state;
      const added = base === null ? null : add(base, page);
      if (added !== null) this.#show({ base: added });
    } catch (thrown) {
      if (toHttpProblem(thrown).code === 'tree/not-on-path') await this.refresh();
    } finally {
      release();
      this.store.setState({ [flag]: false });
    }
  }

  /** Adds a page, and the commits that the feed delivered after the page was read. */
  #addPage(part: LoadedBranch, page: PageAnswer, how: Parameters<typeof addPage>[2]): LoadedBranch {
    return this.#recentCommits.applyAfter(page.version, addPage(part, page, how));
  }

  showEnd(): void {
    const { base } = this.state;
    if (base !== null) this.#show({ base: showBranchEnd(base) });
  }

  /** Shows an empty view before the first message. The next message starts a new branch there. */
  showBeginning(): void {
    const { base } = this.state;
    if (base !== null)
      this.#show({ base: { ...base, leaf: null, before: null, until: null }, overlays: this.#overlaysWithoutEnds() });
    this.#moveCount++;
    this.#navigationCount++;
  }

  /**
   * Shows the branch through a node, or the branch that ends at `leaf`. Stores it as the active branch unless `keep` is
   * false.
   */
  async go(through: NodeId, options: { readonly leaf?: NodeId; readonly keep?: boolean } = {}): Promise<void> {
    const moveNumber = this.#showLoadedPart(through, options.leaf);
    const [before, followCount, writeCount] = [this.state.base, this.#followCount, this.#writeCount];
    // A later action of the user decides what is shown. The page must not move the view back from it.
    const isOvertaken = () => moveNumber !== this.#moveCount || followCount !== this.#followCount;
    const release = this.#recentCommits.keep();
    try {
      const end = options.leaf ?? (await this.#reads.readLeafThrough(through));
      const page = await this.#reads.readPage(end, this.#loadedCount());
      const addBranch = (base: LoadedBranch) => {
        const leaf = chooseEndAfterRead(before ?? base, base, end);
        return keepOlderPages(this.#addPage({ ...base, before: null }, page, { leaf }), showBranchEnd(base).before);
      };
      const { base } = this.state;
      const around = base === null || isOvertaken() ? null : await this.#reads.readAround(addBranch(base), through);
      const { base: now } = this.state;
      if (now === null || moveNumber !== this.#moveCount) return;
      // The message or reply may be below messages of this branch that are not loaded.
      if (isOvertaken()) return await this.refresh();
      const whole = addPagesAround(addBranch(now), around, this.#recentCommits);
      this.#show({ base: whole, overlays: this.#overlaysWithoutEnds(), runs: runsInPage(page) });
      this.replies.followRuns();
      if (options.keep !== false) this.#saveActiveNode(end, writeCount);
    } catch (thrown) {
      if (moveNumber === this.#moveCount) await this.refresh();
      throw thrown;
    } finally {
      release();
    }
  }

  /** Shows the loaded part of a branch before the rest is read. Returns the number of this move. */
  #showLoadedPart(through: NodeId, leaf: NodeId | undefined): number {
    const { base } = this.state;
    const end = base === null ? null : findLoadedEnd(base, leaf ?? through, leaf !== undefined);
    // If the node is not loaded, nothing changes before the branch is read.
    if (base !== null && end !== null)
      this.#show({ base: { ...base, leaf: end, until: null }, overlays: this.#overlaysWithoutEnds() });
    this.#navigationCount++;
    return ++this.#moveCount;
  }

  /**
   * Returns the unconfirmed changes without the end of the view that they set. After the user has moved the view, their
   * confirmation must not move it back.
   */
  #overlaysWithoutEnds(): readonly Overlay[] {
    return this.state.overlays.map(({ id, steps }) => ({ id, steps }));
  }

  /**
   * Stores the end of the view as the active node, unless a write after the first `writeCount` ones has moved it
   * meanwhile. An error is ignored, because only the next visit needs it.
   */
  #saveActiveNode(leaf: NodeId, writeCount: number): void {
    const before = this.state.part?.tree.activeNodeId ?? null;
    if (before === leaf) return;
    const select = (version: number): Promise<Pick<WriteResponse, 'version'>> =>
      this.#activeNodeMovedBy > writeCount ? Promise.resolve({ version }) : this.api.select(this.treeId, leaf);
    this.write([{ type: 'select', after: leaf, before }], select).catch(() => undefined);
  }

  #loadedCount(): number {
    const { base } = this.state;
    return base === null ? firstPageLength : Math.max(firstPageLength, Math.min(400, loadedPath(base).length));
  }

  /** Reads the loaded branch again, ending at `end` if given. A call during a read makes it read once more. */
  async refresh(end?: NodeId): Promise<void> {
    // A call without a node must not override a call with a node.
    if (end !== undefined) this.#wantedEnd = end;
    if (this.#reading) {
      this.#readAgain = true;
      return;
    }
    this.#reading = true;
    const release = this.#recentCommits.keep();
    try {
      do {
        this.#readAgain = false;
        const { base } = this.state;
        if (base === null) return;
        // The wanted end is taken before the read. An end that is set during the read is for the next round.
        const wanted = this.#wantedEnd;
        const [navigationCount, followCount] = [this.#navigationCount, this.#followCount];
        this.#wantedEnd = null;
        const page = await this.#reads.readPageOrActive(
          wanted ?? base.leaf ?? base.tree.activeNodeId ?? undefined,
          this.#loadedCount(),
        );
        const leafIn = (now: LoadedBranch) => chooseEndAfterRead(base, now, page.nodes.at(-1)?.id ?? null);
        // Whether the view has left the branch that was read. The branch
        // at the new position is read instead of moving the view back.
        const hasLeft = (now: LoadedBranch) =>
          wanted === null
            ? now.leaf !== base.leaf && now.leaf !== leafIn(now)
            : navigationCount !== this.#navigationCount || followCount !== this.#followCount;
        // Missed commits may have changed older messages too, so older pages are not kept.
        const fresh = this.#hasMissedCommits;
        const addBranch = (now: LoadedBranch) => {
          const part = this.#addPage({ ...now, before: null }, page, { leaf: leafIn(now) });
          return fresh ? part : keepOlderPages(part, showBranchEnd(now).before);
        };
        const now = this.state.base ?? base;
        const around = wanted === null && fresh && !hasLeft(now) ? await this.#readSection(addBranch(now), now) : null;
        const shown = this.state.base ?? base;
        if (hasLeft(shown) || (around !== null && shown.until !== now.until)) {
          this.#readAgain = true;
          continue;
        }
        this.#hasMissedCommits = false;
        const whole = addPagesAround(addBranch(shown), around, this.#recentCommits);
        this.#show({
          base: wanted === null && !fresh ? keepShownSection(whole, shown) : whole,
          runs: runsInPage(page),
        });
        this.replies.followRuns();
      } while (this.#readAgain);
    } catch (thrown) {
      if (toHttpProblem(thrown).offline) this.store.setState({ connected: false });
    } finally {
      this.#reading = false;
      release();
    }
  }

  /**
   * Reads the section in the middle of a branch that was shown before the branch was read again. Null if the end was
   * shown, or if the section no longer exists.
   */
  async #readSection(part: LoadedBranch, before: LoadedBranch): Promise<PagesAround | null> {
    if (before.until === null || before.leaf !== part.leaf) return null;
    try {
      return await this.#reads.readAround(part, before.until);
    } catch (thrown) {
      if (toHttpProblem(thrown).offline) throw thrown;
      return null;
    }
  }

  /** Remembers that messages have to be read again, and reads the topology again, which may lack commits too. */
  #noteMissedCommits(): void {
    this.#hasMissedCommits = true;
    this.#topologyLoader.reload();
  }

  loadTopology(): Promise<Topology | null> {
    return this.#topologyLoader.load();
  }

  #applyFeedCommit(commit: FeedCommit): void {
    const { base } = this.state;
    if (base === null || commit.version <= this.#deliveredVersion) return;
    this.#deliveredVersion = commit.version;
    const changes = toRowChanges(commit);
    const added = changes.findLast((change) => change.op === 'added');
    if (added?.op === 'added') this.#setNewestOfAct(commit.actId, added.node.id);
    this.#recentCommits.add(commit.version, changes);
    const late = commit.version <= base.tree.version;
    this.#applyChanges(late ? filterUnloadedChanges(base, changes) : changes, commit);
    this.#topologyLoader.applyRowChanges(changes, commit.version);
    // A gap in the versions means a missed commit. A restored subtree that is too large for the feed has to be read.
    if (commit.version > base.tree.version + 1) this.#noteMissedCommits();
    if (this.#hasMissedCommits || changes.some((change) => requiresRead(change, late))) void this.refresh();
    for (const change of changes)
      if (change.op === 'updated' && change.set.status !== undefined && change.set.status !== 'pending')
        for (const id of change.nodeIds) this.replies.removeReply(id);
    this.#resolveWaiters(commit.version);
  }

  /** Applies an event of a turn that is not a commit: thinking, a retry or a tool call. */
  #applyTurnReport(report: TurnReport): void {
    const { actId, type, nodeId, callId, name = '', parameters = {}, text = '' } = report;
    if (type === 'thinking-delta' && nodeId !== undefined)
      this.replies.updateReply(nodeId, (live) => ({ ...live, thinking: live.thinking + text, retry: undefined }));
    else if (type === 'retry' && nodeId !== undefined) {
      const { code = '', message = '', attempt = 1, retries = 1, waitMs = 0 } = report;
      const retry = { code, message, attempt, retries, at: this.connection.now() + waitMs };
      this.replies.updateReply(nodeId, (live) => ({ ...live, retry }));
    } else if (callId === undefined) return;
    else if (type === 'tool-result') this.replies.setCall(callId, null);
    // A call that waits for approval must not become a running call by the event that announces it.
    else if (type === 'tool-use' && !this.state.calls.has(callId))
      this.replies.setCall(callId, { name, parameters, state: 'running', actId });
  }

  #setNewestOfAct(actId: string, id: NodeId): void {
    this.#newestOfAct.delete(actId);
    this.#newestOfAct.set(actId, id);
    const [oldest] = this.#newestOfAct.keys();
    if (this.#newestOfAct.size > maxRememberedActs && oldest !== undefined) this.#newestOfAct.delete(oldest);
  }

  #applyChanges(changes: readonly RowChange[], { version, actId }: FeedCommit): void {
    const { base } = this.state;
    if (base === null) return;
    const applied = applyRowChanges(base, changes, version);
    const isNew = (id: NodeId) => applied.nodes.get(id)?.status === 'pending' && !base.nodes.has(id);
    const pending = changes.flatMap((change) => (change.op === 'added' && isNew(change.node.id) ? [change.node] : []));
    const isMine = this.#turn?.actId === actId && this.#turn.navigationCount === this.#navigationCount;
    const newest = isMine ? this.#newestOfAct.get(actId) : undefined;
    const end = newest === undefined ? null : findLoadedEnd(applied, newest, true);
    if (end !== null) this.#followCount++;
    this.#show({
      base:
        end === null
          ? { ...applied, leaf: endAfterChanges(base, applied, changes) }
          : { ...showBranchEnd(applied), leaf: end },
    });
    for (const node of pending) this.replies.startReply(node.id, null);
  }

  /**
   * Shows the branch that ends at the newest reply of a turn, and follows further replies. Does nothing if the user has
   * moved the view since `navigationCount` was read.
   */
  async followTurn({ actId, nodes, version }: GenerationStartedAnswer, navigationCount: number): Promise<void> {
    const first = nodes.at(-1)?.nodeId;
    if (first === undefined || navigationCount !== this.#navigationCount) return;
    this.#turn = { actId, navigationCount };
    await this.followTo(() => this.#newestOfAct.get(actId) ?? first, version, navigationCount);
  }

  /**
   * Shows the branch that ends at a node when the feed has delivered a version. Reads the branch only if it is not
   * loaded. Does nothing if the user has moved the view since `navigationCount` was read.
   */
  async followTo(end: () => NodeId, version: number, navigationCount: number): Promise<void> {
    const isDelivered = await this.waitForVersion(version);
    if (navigationCount !== this.#navigationCount) return isDelivered ? undefined : this.refresh();
    this.#followCount++;
    if (!isDelivered) return this.refresh(end());
    const { base } = this.state;
    const leaf = base === null ? null : findLoadedEnd(base, end(), true);
    if (base === null || leaf === null) return this.refresh(end());
    if (leaf !== base.leaf) this.#show({ base: { ...showBranchEnd(base), leaf } });
  }

  /** Shows all commits up to a version, from the feed or by reading them. */
  async catchUp(version: number): Promise<void> {
    if (!(await this.waitForVersion(version))) await this.refresh();
  }

  /** Waits until the feed has delivered a version. Resolves to false if the feed does not deliver it in time. */
  async waitForVersion(version: number): Promise<boolean> {
    if (version > this.#deliveredVersion && this.state.connected && this.connection.isVisible())
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => waiter.done(), feedTimeoutMs);
        const waiter = {
          version,
          done: () => {
            clearTimeout(timer);
            this.#waiters = this.#waiters.filter((each) => each !== waiter);
            resolve();
          },
        };
        this.#waiters.push(waiter);
      });
    return version <= this.#deliveredVersion;
  }

  #resolveWaiters(version = Number.POSITIVE_INFINITY): void {
    for (const waiter of [...this.#waiters]) if (waiter.version <= version) waiter.done();
  }

  /** Records that another writer added or changed the message `theirs` while `mine` was added. */
  recordConflict(mine: NodeId, theirs: NodeId): void {
    this.store.setState((state) => ({ conflicts: new Map(state.conflicts).set(mine, theirs) }));
  }

  /**
   * Writes to the tree. The view shows the steps immediately, and removes them if the server refuses the write. The
   * request is sent after earlier ones, and waits while the server is unreachable. Rejects with the error.
   */
  write<T extends Pick<WriteResponse, 'version'>>(
    steps: readonly Step[],
    run: (version: number) => Promise<T>,
    leaf?: NodeId,
  ): Promise<T> {
    const overlay: Overlay | null =
      steps.length === 0 && leaf === undefined
        ? null
        : { id: this.#nextOverlayId++, steps, ...(leaf === undefined ? {} : { leaf }) };
    if (overlay !== null) this.#show({ overlays: [...this.state.overlays, overlay] });
    if (leaf !== undefined) {
      this.#navigationCount++;
      this.#followCount++;
    }
    const number = ++this.#writeCount;
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({
        run: async () => {
          // A write needs the version of the tree, which is unknown before the tree is read.
          await this.#openPromise;
          const before = this.state.base;
          const value = await run(this.version);
          if (before !== null && movesActiveNode(value, before)) this.#activeNodeMovedBy = number;
          this.#confirmWrite(overlay, value);
          resolve(value);
        },
        refused: (problem) => {
          this.#removeOverlay(overlay);
          reject(problem);
        },
      });
    });
  }

  #removeOverlay(overlay: Overlay | null): void {
    if (overlay !== null) this.#show({ overlays: this.state.overlays.filter((each) => each.id !== overlay.id) });
  }

  /** Replaces an overlay by the server's response. Otherwise the change would disappear until the feed delivers it. */
  #confirmWrite(overlay: Overlay | null, value: unknown): void {
    const { base } = this.state;
    if (base === null) return;
    const now = this.state.overlays.find((each) => each.id === overlay?.id) ?? null;
    const overlays = this.state.overlays.filter((each) => each !== now);
    this.#show({ base: confirmWrite(base, now, value), overlays });
  }

  /** Sends the waiting writes again, and reads the branch again; or the tree, if it could not be read yet. */
  retry(): void {
    void this.#queue.work();
    if (this.state.base === null && this.state.phase === 'failed') void this.open(this.#opensAt);
    else void this.refresh();
  }
}

/** Returns the end of the view after a commit. It moves only to messages that were added directly below it. */
function endAfterChanges(before: LoadedBranch, after: LoadedBranch, changes: readonly RowChange[]): NodeId | null {
  let { leaf } = after;
  if (leaf === null && before.leaf === null)
    for (const change of changes) if (change.op === 'tree') leaf ??= change.activeNodeId ?? null;
  for (const change of changes) if (change.op === 'added' && change.node.parentId === leaf) leaf = change.node.id;
  return leaf;
}

/** Returns a branch that was read again with the same section shown as before. */
function keepShownSection(part: LoadedBranch, before: LoadedBranch): LoadedBranch {
  if (before.until === null || before.leaf !== part.leaf) return part;
  return showEndIfReached({ ...part, before: before.before, until: before.until });
}

/** Whether the branch has to be read after a change, because the change may show nodes that are not loaded. */
function requiresRead(change: RowChange, late: boolean): boolean {
  if (change.op === 'marked') return late || change.to === null;
  return late && change.op === 'updated' && change.set.parentId !== undefined;
}

/** Returns the row changes of a commit, with the nodes of restored subtrees as added nodes. */
function toRowChanges(commit: FeedCommit): readonly RowChange[] {
  const { version, seq, at, restored } = commit;
  const changes = rowChanges(commit.steps, { version, seq, at });
  if (restored === undefined) return changes;
  return changes.flatMap((change): readonly RowChange[] => {
    const subtree = change.op === 'marked' && change.to === null ? restored[change.nodeId] : undefined;
    if (subtree === undefined) return [change];
    return [
      ...subtree.nodes.map((node): RowChange => ({ op: 'added', node })),
      ...subtree.bookmarks.map((bookmark): RowChange => ({ op: 'bookmarked', nodeId: bookmark.nodeId, bookmark })),
    ];
  });
}
