/** One open tree: what is loaded of it, what was changed here and is not confirmed yet, and the feed that keeps it true. */
import type { NodeId, RowChange, Step, TreeId } from '@coppice/core';
import { rowChanges } from '@coppice/core/tree';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { BegunAnswer, FeedCommit, TreeViewData, WrittenAnswer } from './api-types.ts';
import type { Api } from './client.ts';
import { openFeed, type TurnReport } from './feed.ts';
import { asProblem } from './http.ts';
import {
  applyRowChanges,
  emptyBranch,
  endAfter,
  joinPages,
  keepOlderPages,
  type LoadedBranch,
  loadedEnd,
  moveToEnd,
  pathToNode,
  unread,
  withPage,
} from './loaded-branch.ts';
import { confirmed, withOverlays } from './overlays.ts';
import { browserClient, type PageClient } from './page-client.ts';
import { pageSize, runsOf, TreeReads } from './reads.ts';
import { Replies } from './replies.ts';
import type { Topology } from './topology.ts';
import { TopologyLoader } from './topology-loader.ts';
import { emptyTreeState, type OpenTreeState, type Overlay } from './tree-state.ts';
import { WriteQueue } from './write-queue.ts';

export type { OpenTreeState } from './tree-state.ts';

// A commit that the feed has not brought after this time is read from the server instead.
const feedPatienceMs = 3000;
// Acts whose newest node is remembered until their answer comes.
const mostActs = 64;

/** An open tree. Close it when its screen goes. */
export class TreeSession {
  readonly treeId: TreeId;
  readonly store: StoreApi<OpenTreeState>;
  /** Replies while they are written. */
  readonly replies: Replies;
  readonly #client: PageClient;
  readonly #queue: WriteQueue;
  #feed: { close(): void } | null = null;
  readonly #closed = new AbortController();
  readonly #reads: TreeReads;
  readonly #shape: TopologyLoader;
  #next = 1;
  #reading = false;
  #again = false;
  #missed = false;
  #steps = 0;
  #led = 0;
  #wanted: NodeId | null = null;
  /** The newest commit that the feed told: a page may be newer than that. */
  #reported = 0;
  /** Callbacks that wait until the feed has brought a version. */
  #waiters: { readonly version: number; readonly done: () => void }[] = [];
  /** The newest node that each act added: a turn's commits may arrive before the answer that says which turn it is. */
  readonly #newestOfAct = new Map<string, NodeId>();
  /** The turn that was started here last; the view follows its newest reply until the user goes elsewhere. */
  #turn: { readonly actId: string; readonly led: number } | null = null;
  #opening: Promise<unknown> = Promise.resolve();

  constructor(treeId: TreeId, client: PageClient = browserClient) {
    this.treeId = treeId;
    this.#client = client;
    this.store = createStore<OpenTreeState>(() => emptyTreeState);
    this.replies = new Replies(client, treeId, this.store, () => void this.refresh());
    this.#queue = new WriteQueue((line) => this.store.setState(line));
    this.#reads = new TreeReads(client.api, treeId, this.#closed.signal);
    this.#shape = new TopologyLoader(client.api, treeId, this.store, this.#closed.signal);
  }

  /** The server of this tree. */
  get api(): Api {
    return this.#client.api;
  }

  get state(): OpenTreeState {
    return this.store.getState();
  }

  /** The version that writes are based on. */
  get version(): number {
    return this.state.base?.tree.version ?? 0;
  }

  /** Rises when this view is led elsewhere by its user: an answer that comes after that must not pull it back. */
  get led(): number {
    return this.#led;
  }

  /**
   * Reads the tree and the end of the branch that leads through a node (the active one if not given), then follows it.
   * A tree without that node opens where its user was; false says so.
   */
  open(wanted?: NodeId): Promise<boolean> {
    const opening = this.#read(wanted);
    this.#opening = opening;
    return opening;
  }

  async #read(wanted: NodeId | undefined): Promise<boolean> {
    try {
      const tree = await this.api.tree(this.treeId);
      const end = wanted === undefined ? null : await this.#reads.leafIfThere(wanted);
      const through = end === null ? undefined : wanted;
      const leaf = end ?? tree.activeNodeId;
      const page = await this.#reads.page(leaf ?? undefined);
      let base = withPage(emptyBranch(tree), page, { leaf });
      if (through !== undefined) base = await this.#reads.reaching(base, through);
      this.#show({ phase: 'ready', base, runs: runsOf(page) });
      if (through !== undefined) this.look(through);
      this.replies.followRuns();
      this.#reported = tree.version;
      this.#feed = openFeed(this.#client, this.treeId, tree.version, {
        commit: (commit) => this.#applyFeedCommit(commit),
        turn: (report) => this.#applyTurnReport(report),
        delta: (delta) => this.replies.add(delta.nodeId, delta.offset, delta.text),
        approval: ({ callId, name, parameters, actId: act }) =>
          this.replies.setCall(callId, { name, parameters, state: 'waiting', actId: act }),
        decided: (callId) => this.replies.setCall(callId, null),
        reset: () => {
          this.#missed = true;
          void this.refresh();
        },
        connected: (connected) => {
          this.store.setState({ connected });
          if (!connected) return this.#endWaiting();
          void this.#queue.work();
          this.#shape.retry();
        },
      });
      return through === wanted;
    } catch (thrown) {
      const problem = asProblem(thrown);
      if (problem.code !== 'page/aborted')
        this.store.setState({ phase: problem.status === 404 ? 'missing' : 'failed', problem });
      return true;
    }
  }

  close(): void {
    this.#closed.abort();
    this.#endWaiting();
    this.#feed?.close();
    this.#queue.close();
    this.replies.close();
  }

  /** Draws the confirmed part with all unconfirmed changes landed on it again. */
  #show(set: Partial<OpenTreeState>): void {
    const state = { ...this.state, ...set };
    if (state.base === null) return this.store.setState(set);
    const { part, unconfirmed } = withOverlays(state.base, state.overlays);
    this.store.setState({ ...set, part, unconfirmed });
  }

  /** Sets what is told of the tree itself and comes by no commit. */
  patchTree(set: Partial<TreeViewData>): void {
    const { base } = this.state;
    if (base !== null) this.#show({ base: { ...base, tree: { ...base.tree, ...set } } });
  }

  /** Brings a node into sight. */
  look(id: NodeId): void {
    this.store.setState((state) => ({ sight: { nodeId: id, ask: (state.sight?.ask ?? 0) + 1 } }));
  }

  /** Loads what lies above the first loaded message. */
  async above(): Promise<void> {
    const { base, loadingAbove } = this.state;
    if (loadingAbove || base === null || base.before === null || base.leaf === null) return;
    this.store.setState({ loadingAbove: true });
    try {
      const page = await this.#reads.before(base.until ?? base.leaf, base.before);
      const now = this.state.base;
      if (now !== null && now.before === base.before) this.#show({ base: withPage(now, page, 'above') });
    } catch (thrown) {
      if (asProblem(thrown).code === 'tree/not-on-path') await this.refresh();
    } finally {
      this.store.setState({ loadingAbove: false });
    }
  }

  /** Loads what lies below the last shown message, where that is not the end. */
  async below(): Promise<void> {
    const { base, loadingBelow } = this.state;
    if (loadingBelow || base === null || base.until === null || base.leaf === null) return;
    this.store.setState({ loadingBelow: true });
    try {
      const page = await this.#reads.after(base.leaf, base.until);
      const now = this.state.base;
      if (now !== null && now.until === base.until && now.leaf === base.leaf)
        this.#show({ base: joinPages(withPage(now, page, 'below')) });
    } catch (thrown) {
      if (asProblem(thrown).code === 'tree/not-on-path') await this.refresh();
    } finally {
      this.store.setState({ loadingBelow: false });
    }
  }

  /** Shows the end of the branch, from wherever in it the view stands. */
  toEnd(): void {
    const { base } = this.state;
    if (base !== null) this.#show({ base: moveToEnd(base) });
  }

  /** Shows the place before the first message: what is said next begins a branch of its own. */
  toBeginning(): void {
    const { base } = this.state;
    if (base !== null) this.#show({ base: { ...base, leaf: null, before: null, until: null } });
    this.#steps++;
    this.#led++;
  }

  /** Goes to the branch that leads through a node. Nothing above the fork is read or drawn again. */
  async go(through: NodeId, options: { readonly leaf?: NodeId; readonly keep?: boolean } = {}): Promise<void> {
    const came = this.#step(through, options.leaf);
    const before = this.state.base;
    try {
      const end = options.leaf ?? (await this.#reads.leafThrough(through));
      const page = await this.#reads.page(end, this.#loadedCount());
      const { base } = this.state;
      // Whoever has gone on meanwhile is not pulled back.
      if (base === null || came !== this.#steps) return;
      const leaf = endAfter(before ?? base, base, end);
      const part = keepOlderPages(withPage({ ...base, before: null }, page, { leaf }), moveToEnd(base).before);
      this.#show({ base: await this.#reads.reaching(part, through), runs: runsOf(page) });
      this.replies.followRuns();
      if (options.keep !== false) this.#remember(end);
    } catch (thrown) {
      if (came === this.#steps) await this.refresh();
      throw thrown;
    }
  }

  /** Shows at once what is loaded of a branch, before the rest of it is read. Answers which step this is. */
  #step(through: NodeId, leaf: NodeId | undefined): number {
    const { base } = this.state;
    const end = base === null ? null : loadedEnd(base, leaf ?? through, leaf !== undefined);
    // What hangs on the shown stretch is shown as its end; on anything else, the stretch is left.
    if (base !== null && end !== null) this.#show({ base: { ...base, leaf: end, until: null } });
    this.#led++;
    return ++this.#steps;
  }

  /** Where the user is, is remembered for the next visit; that it could not be is nothing to trouble anyone with. */
  #remember(leaf: NodeId): void {
    const before = this.state.part?.tree.activeNodeId ?? null;
    if (before === leaf) return;
    this.perform([{ type: 'select', after: leaf, before }], () => this.api.select(this.treeId, leaf)).catch(
      () => undefined,
    );
  }

  #loadedCount(): number {
    const { base } = this.state;
    return base === null ? pageSize : Math.max(pageSize, Math.min(400, pathToNode(base).length));
  }

  /** Reads the loaded branch again, with its end at a node if one is named. Asked for while it runs, it runs once more. */
  async refresh(wish?: NodeId): Promise<void> {
    // Whoever asks without a place must not undo the wish of one who named it.
    if (wish !== undefined) this.#wanted = wish;
    if (this.#reading) {
      this.#again = true;
      return;
    }
    this.#reading = true;
    try {
      do {
        this.#again = false;
        const { base } = this.state;
        if (base === null) return;
        // Taken before it is read: a place that is named meanwhile is for the next time round, not to be forgotten.
        const wanted = this.#wanted;
        const led = this.#led;
        this.#wanted = null;
        const page = await this.#reads.pageOrActive(
          wanted ?? base.leaf ?? base.tree.activeNodeId ?? undefined,
          this.#loadedCount(),
        );
        const now = this.state.base ?? base;
        const leaf = endAfter(base, now, page.nodes.at(-1)?.id ?? null);
        // What was read is of a place that the view has left meanwhile: it is read again where it is, not pulled back.
        if (wanted === null ? now.leaf !== base.leaf && now.leaf !== leaf : led !== this.#led) {
          this.#again = true;
          continue;
        }
        const part = withPage({ ...now, before: null }, page, { leaf });
        // What was missed may have changed what lies above, too.
        const fresh = this.#missed;
        this.#missed = false;
        const whole = fresh ? part : keepOlderPages(part, moveToEnd(now).before);
        this.#show({ base: wanted === null ? await this.#around(whole, now, fresh) : whole, runs: runsOf(page) });
        this.replies.followRuns();
      } while (this.#again);
    } catch (thrown) {
      if (asProblem(thrown).offline) this.store.setState({ connected: false });
    } finally {
      this.#reading = false;
    }
  }

  /** A branch that was read again, shown where in the midst of it the view stood before; its end where that is gone. */
  async #around(part: LoadedBranch, before: LoadedBranch, fresh: boolean): Promise<LoadedBranch> {
    if (before.until === null || before.leaf !== part.leaf) return part;
    if (!fresh) return joinPages({ ...part, before: before.before, until: before.until });
    try {
      return await this.#reads.reaching(part, before.until);
    } catch (thrown) {
      if (asProblem(thrown).offline) throw thrown;
      return part;
    }
  }

  /** Loads the shape of the whole tree, once; from then on the feed keeps it. */
  wantTopology(): Promise<Topology | null> {
    return this.#shape.want();
  }

  #applyFeedCommit(commit: FeedCommit): void {
    const { base } = this.state;
    if (base === null || commit.version <= this.#reported) return;
    this.#reported = commit.version;
    const changes = withRestored(commit);
    const added = changes.findLast((change) => change.op === 'added');
    if (added?.op === 'added') this.#noteNewest(commit.actId, added.node.id);
    const late = commit.version <= base.tree.version;
    this.#land(late ? unread(base, changes) : changes, commit);
    this.#shape.land(changes);
    // A gap means that a commit was missed; a subtree that is too large for the feed is read.
    if (commit.version > base.tree.version + 1) this.#missed = true;
    const reread = (op: RowChange['op']) => op === 'restored' || (late && (op === 'removed' || op === 'placed'));
    if (this.#missed || changes.some(({ op }) => reread(op))) void this.refresh();
    for (const step of commit.steps)
      if (step.type === 'replace' && step.after.status !== 'pending') this.replies.ended(step.nodeId);
    this.#endWaiting(commit.version);
  }

  /** What a turn reports beside its commits: thinking, and calls of tools. */
  #applyTurnReport({ actId, type, nodeId, callId, name = '', parameters = {}, text = '' }: TurnReport): void {
    if (type === 'thinking-delta' && nodeId !== undefined)
      this.replies.change(nodeId, (live) => ({ ...live, thinking: live.thinking + text }));
    else if (callId === undefined) return;
    else if (type === 'tool-result') this.replies.setCall(callId, null);
    // A question that waits for an answer must not be replaced by the call that it is about.
    else if (type === 'tool-use' && !this.state.calls.has(callId))
      this.replies.setCall(callId, { name, parameters, state: 'running', actId });
  }

  #noteNewest(actId: string, id: NodeId): void {
    this.#newestOfAct.delete(actId);
    this.#newestOfAct.set(actId, id);
    const [oldest] = this.#newestOfAct.keys();
    if (this.#newestOfAct.size > mostActs && oldest !== undefined) this.#newestOfAct.delete(oldest);
  }

  #land(changes: readonly RowChange[], { version, actId }: FeedCommit): void {
    const { base } = this.state;
    if (base === null) return;
    const grown = applyRowChanges(base, changes, version);
    const pending = [...grown.nodes.values()].filter((node) => node.status === 'pending' && !base.nodes.has(node.id));
    const isMine = this.#turn?.actId === actId && this.#turn.led === this.#led;
    const newest = isMine ? this.#newestOfAct.get(actId) : undefined;
    const end = newest === undefined ? null : loadedEnd(grown, newest, true);
    this.#show({
      base: end === null ? { ...grown, leaf: followedRuns(base, grown, changes) } : { ...moveToEnd(grown), leaf: end },
    });
    for (const node of pending) this.replies.begin(node.id, null);
  }

  /**
   * Shows the branch that ends at the newest reply of a turn, and goes on doing so while the turn adds to it; not where
   * the user has gone elsewhere since `led` was read.
   */
  async followTurn({ actId, nodes, version }: BegunAnswer, led: number): Promise<void> {
    const first = nodes.at(-1)?.nodeId;
    if (first === undefined || led !== this.#led) return;
    this.#turn = { actId, led };
    await this.leadTo(() => this.#newestOfAct.get(actId) ?? first, version, led);
  }

  /**
   * Shows the branch that ends at a node once the feed has brought a version, and reads it only where it is not loaded.
   * Does nothing where the user has gone elsewhere since `led` was read.
   */
  async leadTo(end: () => NodeId, version: number, led: number): Promise<void> {
    if (!(await this.caughtUp(version))) return this.refresh(led === this.#led ? end() : undefined);
    if (led !== this.#led) return;
    const { base } = this.state;
    const leaf = base === null ? null : loadedEnd(base, end(), true);
    if (base === null || leaf === null) return this.refresh(end());
    if (leaf !== base.leaf) this.#show({ base: { ...moveToEnd(base), leaf } });
  }

  /** Shows everything up to a version: as the feed brings it, or read where that cannot bring it. */
  async catchUp(version: number): Promise<void> {
    if (!(await this.caughtUp(version))) await this.refresh();
  }

  /** Resolves when everything up to a version is shown; false where the feed cannot bring it, so that it has to be read. */
  async caughtUp(version: number): Promise<boolean> {
    if (version > this.#reported && this.state.connected && this.#client.isVisible())
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => waiter.done(), feedPatienceMs);
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
    return version <= this.#reported;
  }

  #endWaiting(version = Number.POSITIVE_INFINITY): void {
    for (const waiter of [...this.#waiters]) if (waiter.version <= version) waiter.done();
  }

  /** Marks that another writer put something beside a node at the same time. */
  conflict(mine: NodeId, theirs: NodeId): void {
    this.store.setState((state) => ({ conflicts: new Map(state.conflicts).set(mine, theirs) }));
  }

  /**
   * Sends a change: shows its steps at once, sends it when the ones before it are through, keeps it while the server is
   * away, and takes it back where it is refused. Rejects with the refusal.
   */
  perform<T extends Pick<WrittenAnswer, 'version'>>(
    steps: readonly Step[],
    run: (version: number) => Promise<T>,
    leaf?: NodeId,
  ): Promise<T> {
    const overlay: Overlay | null =
      steps.length === 0 && leaf === undefined
        ? null
        : { id: this.#next++, steps, ...(leaf === undefined ? {} : { leaf }) };
    if (overlay !== null) this.#show({ overlays: [...this.state.overlays, overlay] });
    if (leaf !== undefined) this.#led++;
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({
        run: async () => {
          // Before the tree is read there is no version that a write could be based on.
          await this.#opening;
          const value = await run(this.version);
          this.#confirm(overlay, value);
          resolve(value);
        },
        refused: (problem) => {
          this.#drop(overlay);
          reject(problem);
        },
      });
    });
  }

  #drop(overlay: Overlay | null): void {
    if (overlay !== null) this.#show({ overlays: this.state.overlays.filter((each) => each.id !== overlay.id) });
  }

  /** Takes over what the server made of a change, so that nothing flickers between its answer and the feed. */
  #confirm(overlay: Overlay | null, value: unknown): void {
    const { base } = this.state;
    if (base === null) return;
    const overlays =
      overlay === null ? this.state.overlays : this.state.overlays.filter((each) => each.id !== overlay.id);
    this.#show({ base: confirmed(base, overlay, value), overlays });
  }

  /** Tries again what waits for the server. */
  retry(): void {
    void this.#queue.work();
    void this.refresh();
  }
}

/**
 * Where a view stands after others' changes: it keeps its place, but goes along with what grows at its very end, as a
 * reply that follows a message does.
 */
function followedRuns(before: LoadedBranch, after: LoadedBranch, changes: readonly RowChange[]): NodeId | null {
  let { leaf } = after;
  if (leaf === null && before.leaf === null) leaf = changes.find((change) => change.op === 'pointed')?.nodeId ?? null;
  for (const change of changes) if (change.op === 'added' && change.node.parentId === leaf) leaf = change.node.id;
  return leaf;
}

/** The row changes of a commit. A restored subtree that came with the commit is added node by node. */
function withRestored(commit: FeedCommit): readonly RowChange[] {
  const { version, seq, at, restored } = commit;
  const changes = rowChanges(commit.steps, { version, seq, at });
  if (restored === undefined) return changes;
  return changes.flatMap((change): readonly RowChange[] => {
    const subtree = change.op === 'restored' ? restored[change.nodeId] : undefined;
    if (subtree === undefined) return [change];
    return [
      ...subtree.nodes.map((node): RowChange => ({ op: 'added', node })),
      ...subtree.bookmarks.map((bookmark): RowChange => ({ op: 'bookmarked', nodeId: bookmark.nodeId, bookmark })),
    ];
  });
}
