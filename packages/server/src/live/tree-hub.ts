/**
 * The feed of one tree for all its readers in this process: the store is read once, and each event is encoded once.
 * Commits are sent in order, without gaps or duplicates. The text of running replies is batched between them.
 */
import {
  ask,
  type Bookmark,
  type Commit,
  type Node,
  type NodeId,
  type ReadProgram,
  readTree,
  type Store,
  type TreeId,
} from '@coppice/core';
import { rowChanges } from '@coppice/core/tree';
import type { FollowEvent } from '@coppice/engine';
import type { ServerLimits } from '../contract.ts';
import type { OwnerServices, SharedServices } from '../services.ts';
import { listChangedIds, readNodes, readNodesOfCommits } from '../tree-view.ts';
import { type EventStream, encodeEvent } from './event-stream.ts';
import type { LiveTurn, LiveTurns } from './turns.ts';

interface BufferedEvent {
  readonly version: number;
  readonly bytes: Uint8Array;
}

/** A running reply and the text that was sent so far. */
interface StreamingReply {
  readonly runId: string | null;
  text: string;
  sent: number;
  /** Whether readers have received its node; until then its text is not sent. */
  known: boolean;
}

/** A subtree that a commit restored. */
interface RestoredSubtree {
  readonly nodes: readonly Node[];
  readonly bookmarks: readonly Bookmark[];
}

// Turn events that a page shows in addition to commits and text.
const reportedEvents: ReadonlySet<string> = new Set([
  'thinking-delta',
  'tool-use',
  'tool-start',
  'tool-result',
  'notice',
  'retry',
]);

// Recent events, for readers that reconnect. They need not be read from the store again.
const keptBytes = 256 * 1024;

export interface HubOptions {
  readonly ownerServices: OwnerServices;
  readonly store: Store;
  readonly treeId: TreeId;
  readonly turns: LiveTurns;
  readonly limits: Pick<ServerLimits, 'deltaMs'>;
  readonly log: SharedServices['log'];
  /** Called when the last reader has disconnected. */
  onEmpty(): void;
}

/** The feed of one tree. */
export class TreeHub {
  readonly #options: HubOptions;
  readonly #readers = new Map<EventStream, number>();
  readonly #over = new AbortController();
  readonly #growing = new Map<NodeId, StreamingReply>();
  readonly #kept: BufferedEvent[] = [];
  #keptSize = 0;
  #timer: NodeJS.Timeout | null = null;
  #version = 0;
  #joining = 0;
  readonly #ready: Promise<void>;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#ready = this.#start();
    this.#ready.catch(() => this.#finish());
  }

  /** The number of current and joining readers. */
  get size(): number {
    return this.#readers.size + this.#joining;
  }

  async #start(): Promise<void> {
    const { store, treeId, turns } = this.#options;
    const runs = await store.runs.list(treeId);
    const { version, pending } = await store.read(treeId, function* () {
      const row = yield* readTree(treeId);
      const written = new Set<NodeId>();
      for (const { nodeId } of runs)
        if ((yield* ask('head', { id: nodeId }))?.status === 'pending') written.add(nodeId);
      return { version: row.version, pending: written };
    });
    this.#version = version;
    for (const run of runs) {
      // A run whose reply has ended waits for its tools, so no more text follows.
      if (!pending.has(run.nodeId)) continue;
      const { actId } = run.data;
      const local = [...turns.inTree(store, treeId)].some((live) => live.actId === actId);
      this.#growing.set(run.nodeId, { runId: run.id, text: '', sent: 0, known: true });
      if (!local) void this.#followElsewhere(run.nodeId);
    }
    for (const live of turns.inTree(store, treeId)) void this.hear(live);
    void this.#listen(version);
  }

  async #listen(since: number): Promise<void> {
    const { store, treeId, log } = this.#options;
    try {
      for await (const commit of store.feed(treeId, since, this.#over.signal)) await this.#publish(commit);
    } catch (error) {
      if (!this.#over.signal.aborted) log.warn({ err: error }, 'the feed of a tree broke off');
    }
    this.#finish();
  }

  async #publish(commit: Commit): Promise<void> {
    const bytes = await commitEvent(this.#options.store, commit);
    this.#flush();
    this.#version = commit.version;
    this.#keep({ version: commit.version, bytes });
    for (const [stream, at] of this.#readers) if (commit.version > at) stream.send(bytes);
    this.#meetNodes(commit);
  }

  #keep(kept: BufferedEvent): void {
    this.#kept.push(kept);
    this.#keptSize += kept.bytes.byteLength;
    while (this.#keptSize > keptBytes) this.#keptSize -= this.#kept.shift()?.bytes.byteLength ?? 0;
  }

  /** Starts to send the text of replies that a commit added, and stops for replies that it finished. */
  #meetNodes(commit: Commit): void {
    for (const change of rowChanges(commit.steps, commit)) {
      if (change.op === 'added' && change.node.status === 'pending') this.#begins(change.node.id, commit);
      else if (change.op === 'marked' && change.to !== null) this.#growing.delete(change.nodeId);
      else if (change.op === 'updated' && change.set.status !== undefined)
        for (const id of change.nodeIds)
          if (change.set.status === 'pending') this.#begins(id, commit);
          else this.#growing.delete(id);
    }
  }

  #begins(nodeId: NodeId, commit: Commit): void {
    const known = this.#growing.get(nodeId);
    if (known !== undefined) {
      known.known = true;
      this.#soon();
      return;
    }
    this.#growing.set(nodeId, { runId: null, text: '', sent: 0, known: true });
    if (!this.#options.turns.isLocal(commit.actId)) void this.#followElsewhere(nodeId);
  }

  /** Handles the events of a turn of this process. */
  async hear(live: LiveTurn): Promise<void> {
    for await (const [, event] of live.read(0, this.#over.signal)) {
      if (event.type === 'text-delta') this.#appendText(event.nodeId, event.offset, event.text);
      else if (event.type === 'node' && event.status === 'pending' && event.runId !== undefined)
        this.#named(event.nodeId, event.runId);
      else if (event.type === 'approval' || event.type === 'approval-end')
        this.#broadcast(encodeEvent(event.type, { actId: live.actId, ...event }));
      else if (reportedEvents.has(event.type)) this.#broadcast(encodeEvent('turn', { actId: live.actId, ...event }));
    }
  }

  #named(nodeId: NodeId, runId: string): void {
    const growing = this.#growing.get(nodeId);
    if (growing === undefined) this.#growing.set(nodeId, { runId, text: '', sent: 0, known: false });
    else this.#growing.set(nodeId, { ...growing, runId });
  }

  /** Follows a reply that another process generates. */
  async #followElsewhere(nodeId: NodeId): Promise<void> {
    const { ownerServices, store, treeId } = this.#options;
    const events: AsyncIterable<FollowEvent> = ownerServices
      .engineOf(store)
      .generator.follow({ treeId, nodeId }, this.#over.signal);
    for await (const event of events)
      if (event.type === 'text-delta') this.#appendText(nodeId, event.offset, event.text);
  }

  #appendText(nodeId: NodeId, offset: number, text: string): void {
    const growing = this.#growing.get(nodeId);
    // The text of a finished reply is in its last commit.
    if (growing === undefined) return;
    const fresh = text.slice(Math.max(0, growing.text.length - offset));
    if (offset > growing.text.length || fresh === '') return;
    growing.text += fresh;
    this.#soon();
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => this.#flush(), this.#options.limits.deltaMs);
  }

  /** Sends the text that has arrived since the last call. */
  #flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const [nodeId, growing] of this.#growing) {
      if (!growing.known || growing.sent === growing.text.length) continue;
      const { runId, text, sent: offset } = growing;
      growing.sent = text.length;
      this.#broadcast(encodeEvent('delta', { nodeId, runId, offset, text: text.slice(offset) }));
    }
  }

  #broadcast(bytes: Uint8Array): void {
    for (const stream of this.#readers.keys()) stream.send(bytes);
  }

  /** Sends a reader the events that it missed, then live events. Rejects if the tree does not exist. */
  async join(stream: EventStream, since: number | null): Promise<void> {
    this.#joining++;
    try {
      await this.#ready;
      await this.#admit(stream, since);
    } finally {
      this.#joining--;
    }
    if (stream.closed.aborted) this.#leave(stream);
  }

  async #admit(stream: EventStream, since: number | null): Promise<void> {
    let at = since ?? this.#version;
    if (at > this.#version) {
      // The reader has a later version than the store, for example after a restored backup, so it must reload.
      stream.send(encodeEvent('reset', { version: this.#version }, this.#version));
      at = this.#version;
    }
    stream.closed.addEventListener('abort', () => this.#leave(stream), { once: true });
    at = await this.#catchUp(stream, at);
    if (stream.closed.aborted) return;
    if (this.#over.signal.aborted) {
      stream.close();
      return;
    }
    this.#readers.set(stream, at);
    this.#flush();
    for (const [nodeId, { runId, text, known }] of this.#growing)
      if (known && text !== '') stream.send(encodeEvent('delta', { nodeId, runId, offset: 0, text }));
  }

  /** Sends older commits, only as fast as they are read. Returns the version that the reader has afterwards. */
  async #catchUp(stream: EventStream, since: number): Promise<number> {
    let at = since;
    while (at < this.#version && !stream.closed.aborted) {
      const next = this.#keptAfter(at);
      if (next === undefined) at = await this.#catchUpFromStore(stream, at);
      else {
        await stream.waitForDrain();
        if (stream.send(next.bytes)) at = next.version;
      }
    }
    return at;
  }

  #keptAfter(version: number): BufferedEvent | undefined {
    // Versions increase by one, so the index follows from the first version.
    return this.#kept[version + 1 - (this.#kept[0]?.version ?? 0)];
  }

  async #catchUpFromStore(stream: EventStream, since: number): Promise<number> {
    const { store, treeId } = this.#options;
    let at = since;
    for await (const commit of store.feed(treeId, since, stream.closed)) {
      const bytes = await commitEvent(store, commit);
      await stream.waitForDrain();
      if (!stream.send(bytes)) break;
      at = commit.version;
      if (at >= this.#version || this.#keptAfter(at) !== undefined) break;
    }
    return at;
  }

  #leave(stream: EventStream): void {
    this.#readers.delete(stream);
    this.#options.onEmpty();
  }

  #finish(): void {
    this.#over.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const stream of [...this.#readers.keys()]) stream.close();
  }

  /** Ends the feed for all readers. */
  close(): void {
    this.#finish();
  }
}

/** Encodes a commit with the nodes that it added or changed and the subtrees that it restored. */
async function commitEvent(store: Store, commit: Commit): Promise<Uint8Array> {
  const nodes = readNodesOfCommits(commit);
  if (nodes !== null) return encodeEvent('commit', { ...commit, nodes }, commit.version);
  const read = await store.read(commit.treeId, function* () {
    return { nodes: yield* readNodes(listChangedIds(commit)), restored: yield* readRestored(commit) };
  });
  return encodeEvent('commit', { ...commit, ...read }, commit.version);
}

// Larger subtrees are not sent; readers load the parts that they show.
const mostRestored = 200;
const mostRestoredLength = 256 * 1024;

/** The live subtree of each node that a commit restored, with bookmarks. Subtrees that are too large are left out. */
function* readRestored(commit: Commit): ReadProgram<Readonly<Record<string, RestoredSubtree>>> {
  const subtrees: Record<string, RestoredSubtree> = {};
  let left = mostRestored;
  let length = 0;
  for (const change of rowChanges(commit.steps, commit)) {
    if (change.op !== 'marked' || change.to !== null) continue;
    const { nodeId } = change;
    if ((yield* ask('head', { id: nodeId })) === null || (yield* ask('count', { of: nodeId })) > left) continue;
    const nodes = yield* ask('subtree', { of: nodeId });
    for (const node of nodes) length += node.text.length;
    if (length > mostRestoredLength) break;
    left -= nodes.length;
    subtrees[nodeId] = { nodes, bookmarks: yield* ask('bookmarks', { on: nodes.map((node) => node.id) }) };
  }
  return subtrees;
}
