/**
 * The feed of one tree for all its readers in this process. The store is read once, and each event is encoded once.
 * Commits are sent in order, without gaps or duplicates. The text of running replies is batched between commits.
 */
import {
  type ActId,
  actId as asActId,
  ask,
  type Bookmark,
  type Commit,
  isAppError,
  type Node,
  type NodeId,
  type ReadProgram,
  readTree,
  type Store,
  type TreeId,
} from '@coppice/core';
import { rowChanges } from '@coppice/core/tree';
import type { FollowEvent, TurnEvent } from '@coppice/engine';
import type { ServerLimits } from '../contract.ts';
import type { OwnerServices, SharedServices } from '../services.ts';
import { insertedNodesOf, listChangedIds, readNodes } from '../tree-view.ts';
import { type EventStream, encodeEvent } from './event-stream.ts';
import type { LiveTurn, LiveTurns } from './turns.ts';

interface BufferedEvent {
  readonly version: number;
  readonly bytes: Uint8Array;
}

/** A reply in progress, and how much of its text readers have received. */
interface StreamingReply {
  readonly runId: string | null;
  text: string;
  sent: number;
  /** Whether readers have received the node of the reply. Its text is not sent before. */
  known: boolean;
}

/** A subtree that a commit restored from the trash. */
interface RestoredSubtree {
  readonly nodes: readonly Node[];
  readonly bookmarks: readonly Bookmark[];
}

// The events of a turn that a page shows besides commits and text.
const reportedEvents: ReadonlySet<string> = new Set([
  'thinking-delta',
  'tool-use',
  'tool-start',
  'tool-result',
  'notice',
  'retry',
]);

// The size of the buffer of recent events. A reader that reconnects gets them without a read of the store.
const maxRecentBytes = 256 * 1024;

export interface TreeHubOptions {
  readonly ownerServices: OwnerServices;
  readonly store: Store;
  readonly treeId: TreeId;
  readonly turns: LiveTurns;
  readonly limits: Pick<ServerLimits, 'deltaMs'>;
  readonly log: SharedServices['log'];
  /** Called when the last reader has disconnected. */
  onEmpty(): void;
}

/** The feed of one tree. It starts with the first reader, and ends after the last. */
export class TreeHub {
  readonly #options: TreeHubOptions;
  readonly #readers = new Map<EventStream, number>();
  readonly #ended = new AbortController();
  readonly #streamingReplies = new Map<NodeId, StreamingReply>();
  /** For each turn of another server, whether that server shares its events. */
  readonly #remoteTurns = new Map<string, Promise<boolean>>();
  /** The events of tool calls that wait for approval, by turn and call. A reader that joins later gets them too. */
  readonly #waitingCalls = new Map<ActId, Map<string, Extract<TurnEvent, { readonly type: 'approval' }>>>();
  readonly #recentEvents: BufferedEvent[] = [];
  #recentBytes = 0;
  #timer: NodeJS.Timeout | null = null;
  #version = 0;
  #joiningCount = 0;
  readonly #ready: Promise<void>;

  constructor(options: TreeHubOptions) {
    this.#options = options;
    this.#ready = this.#start();
    this.#ready.catch(() => this.#end());
  }

  /** The number of current and joining readers. */
  get size(): number {
    return this.#readers.size + this.#joiningCount;
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
      const { actId } = run.data;
      const local = [...turns.inTree(store, treeId)].some((live) => live.actId === actId);
      if (!pending.has(run.nodeId)) {
        // The run waits for its tools: its reply is complete, so no more text follows, but a call may need approval.
        if (!local && typeof actId === 'string') void this.#followRemoteTurn(asActId(actId));
        continue;
      }
      this.#streamingReplies.set(run.nodeId, { runId: run.id, text: '', sent: 0, known: true });
      if (!local) void this.#followElsewhere(run.nodeId, typeof actId === 'string' ? asActId(actId) : null);
    }
    for (const live of turns.inTree(store, treeId)) void this.followTurn(live);
    void this.#listen(version);
  }

  async #listen(since: number): Promise<void> {
    const { store, treeId, log } = this.#options;
    try {
      for await (const commit of store.feed(treeId, since, this.#ended.signal)) await this.#publish(commit);
    } catch (error) {
      if (!this.#ended.signal.aborted) log.warn({ err: error }, 'the feed of a tree ended with an error');
    }
    this.#end();
  }

  async #publish(commit: Commit): Promise<void> {
    const bytes = await encodeCommitEvent(this.#options.store, commit);
    this.#flush();
    this.#version = commit.version;
    this.#addRecentEvent({ version: commit.version, bytes });
    for (const [stream, at] of this.#readers) if (commit.version > at) stream.send(bytes);
    this.#updateStreamingReplies(commit);
  }

  #addRecentEvent(event: BufferedEvent): void {
    this.#recentEvents.push(event);
    this.#recentBytes += event.bytes.byteLength;
    while (this.#recentBytes > maxRecentBytes) this.#recentBytes -= this.#recentEvents.shift()?.bytes.byteLength ?? 0;
  }

  /** Starts to stream replies that a commit added, and stops streaming replies that it finished or removed. */
  #updateStreamingReplies(commit: Commit): void {
    for (const change of rowChanges(commit.steps, commit)) {
      if (change.op === 'added' && change.node.status === 'pending') this.#startReply(change.node.id, commit);
      else if (change.op === 'marked' && change.to !== null) this.#streamingReplies.delete(change.nodeId);
      else if (change.op === 'updated' && change.set.status !== undefined)
        for (const id of change.nodeIds)
          if (change.set.status === 'pending') this.#startReply(id, commit);
          else this.#streamingReplies.delete(id);
    }
  }

  #startReply(nodeId: NodeId, commit: Commit): void {
    const known = this.#streamingReplies.get(nodeId);
    if (known !== undefined) {
      known.known = true;
      this.#scheduleFlush();
      return;
    }
    this.#streamingReplies.set(nodeId, { runId: null, text: '', sent: 0, known: true });
    if (!this.#options.turns.isLocal(commit.actId)) void this.#followElsewhere(nodeId, commit.actId);
  }

  /** Sends the events of a turn of this process to the readers, until the turn ends. */
  async followTurn(live: LiveTurn): Promise<void> {
    for await (const [, event] of live.read(0, this.#ended.signal)) this.#showEvent(live.actId, event);
  }

  #showEvent(actId: ActId, event: TurnEvent): void {
    if (event.type === 'text-delta') this.#appendText(event.nodeId, event.offset, event.text);
    else if (event.type === 'node' && event.status === 'pending' && event.runId !== undefined)
      this.#setRunId(event.nodeId, event.runId);
    else if (event.type === 'approval' || event.type === 'approval-end') this.#showApproval(actId, event);
    else if (event.type === 'end' || event.type === 'error') this.#endApprovals(actId);
    else if (reportedEvents.has(event.type)) this.#broadcast(encodeEvent('turn', { actId, ...event }));
  }

  #showApproval(actId: ActId, event: Extract<TurnEvent, { readonly type: 'approval' | 'approval-end' }>): void {
    const waiting = this.#waitingCalls.get(actId) ?? new Map();
    this.#waitingCalls.set(actId, waiting);
    if (event.type === 'approval') waiting.set(event.callId, event);
    else waiting.delete(event.callId);
    this.#broadcast(encodeEvent(event.type, { actId, ...event }));
  }

  /** Closes the approvals of a turn that has ended. Calls are still waiting then if the server of the turn has died. */
  #endApprovals(actId: ActId): void {
    for (const { nodeId, callId } of this.#waitingCalls.get(actId)?.values() ?? [])
      this.#showApproval(actId, { type: 'approval-end', nodeId, callId, approved: false });
    this.#waitingCalls.delete(actId);
  }

  /** Follows a reply that another process generates, by the events of its turn if that process shares them. */
  async #followElsewhere(nodeId: NodeId, actId: ActId | null): Promise<void> {
    const isShared = actId !== null && (await this.#followRemoteTurn(actId));
    if (!isShared) await this.#followRemoteReply(nodeId);
  }

  /** Sends the events of a turn of another server to the readers. Resolves with false if no server shares them. */
  #followRemoteTurn(actId: ActId): Promise<boolean> {
    const known = this.#remoteTurns.get(actId);
    if (known !== undefined) return known;
    const { ownerServices, store, log } = this.#options;
    const { signal } = this.#ended;
    const found = ownerServices
      .engineOf(store)
      .generator.followTurn(actId, 0, signal)
      .catch(() => null);
    const send = async (events: AsyncIterable<readonly [number, TurnEvent]>) => {
      try {
        for await (const [, event] of events) this.#showEvent(actId, event);
      } catch (error) {
        log.warn({ err: error }, 'the events of a turn of another server could not be read');
      }
      this.#remoteTurns.delete(actId);
    };
    const isShared = found.then((events) => {
      if (events === null) this.#remoteTurns.delete(actId);
      else void send(events);
      return events !== null;
    });
    this.#remoteTurns.set(actId, isShared);
    return isShared;
  }

  #setRunId(nodeId: NodeId, runId: string): void {
    const reply = this.#streamingReplies.get(nodeId);
    if (reply === undefined) this.#streamingReplies.set(nodeId, { runId, text: '', sent: 0, known: false });
    else this.#streamingReplies.set(nodeId, { ...reply, runId });
  }

  /** Streams a reply that another process generates. */
  async #followRemoteReply(nodeId: NodeId): Promise<void> {
    const { ownerServices, store, treeId } = this.#options;
    const events: AsyncIterable<FollowEvent> = ownerServices
      .engineOf(store)
      .generator.follow({ treeId, nodeId }, this.#ended.signal);
    for await (const event of events)
      if (event.type === 'text-delta') this.#appendText(nodeId, event.offset, event.text);
  }

  #appendText(nodeId: NodeId, offset: number, text: string): void {
    const reply = this.#streamingReplies.get(nodeId);
    // The last commit of a finished reply contains its text.
    if (reply === undefined) return;
    const fresh = text.slice(Math.max(0, reply.text.length - offset));
    if (offset > reply.text.length || fresh === '') return;
    reply.text += fresh;
    this.#scheduleFlush();
  }

  #scheduleFlush(): void {
    this.#timer ??= setTimeout(() => this.#flush(), this.#options.limits.deltaMs);
  }

  /** Sends the text that has arrived since the last call. */
  #flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const [nodeId, reply] of this.#streamingReplies) {
      if (!reply.known || reply.sent === reply.text.length) continue;
      const { runId, text, sent: offset } = reply;
      reply.sent = text.length;
      this.#broadcast(encodeEvent('delta', { nodeId, runId, offset, text: text.slice(offset) }));
    }
  }

  #broadcast(bytes: Uint8Array): void {
    for (const stream of this.#readers.keys()) stream.send(bytes);
  }

  /** Sends a reader the commits that it missed, then live events. Rejects if the tree does not exist. */
  async join(stream: EventStream, since: number | null): Promise<void> {
    this.#joiningCount++;
    try {
      await this.#ready;
      await this.#addReader(stream, since);
    } finally {
      this.#joiningCount--;
    }
    if (stream.closed.aborted) this.#removeReader(stream);
  }

  async #addReader(stream: EventStream, since: number | null): Promise<void> {
    let at = since ?? this.#version;
    if (at > this.#version) {
      // The reader has a newer version than the store, for example after a backup was restored, so it must reload.
      stream.send(encodeEvent('reset', { version: this.#version }, this.#version));
      at = this.#version;
    }
    stream.closed.addEventListener('abort', () => this.#removeReader(stream), { once: true });
    at = await this.#catchUp(stream, at);
    if (stream.closed.aborted) return;
    if (this.#ended.signal.aborted) {
      stream.close();
      return;
    }
    this.#readers.set(stream, at);
    this.#flush();
    for (const [nodeId, { runId, text, known }] of this.#streamingReplies)
      if (known && text !== '') stream.send(encodeEvent('delta', { nodeId, runId, offset: 0, text }));
    for (const [actId, waiting] of this.#waitingCalls)
      for (const event of waiting.values()) stream.send(encodeEvent(event.type, { actId, ...event }));
  }

  /** Sends older commits, only as fast as the reader reads. Returns the last version that was sent. */
  async #catchUp(stream: EventStream, since: number): Promise<number> {
    let at = since;
    while (at < this.#version && !stream.closed.aborted) {
      const next = this.#recentEventAfter(at);
      if (next === undefined) at = await this.#catchUpFromStore(stream, at);
      else {
        await stream.waitForDrain();
        if (stream.send(next.bytes)) at = next.version;
      }
    }
    return at;
  }

  #recentEventAfter(version: number): BufferedEvent | undefined {
    // Versions increase by one, so the index is the difference to the first version.
    return this.#recentEvents[version + 1 - (this.#recentEvents[0]?.version ?? 0)];
  }

  async #catchUpFromStore(stream: EventStream, since: number): Promise<number> {
    const { store, treeId } = this.#options;
    let at = since;
    try {
      for await (const commit of store.feed(treeId, since, stream.closed)) {
        const bytes = await encodeCommitEvent(store, commit);
        await stream.waitForDrain();
        if (!stream.send(bytes)) break;
        at = commit.version;
        if (at >= this.#version || this.#recentEventAfter(at) !== undefined) break;
      }
    } catch (error) {
      if (!isAppError(error) || error.code !== 'history/trimmed') throw error;
      // The next commits were deleted from the log, so the reader must reload.
      at = this.#version;
      stream.send(encodeEvent('reset', { version: at }, at));
    }
    return at;
  }

  #removeReader(stream: EventStream): void {
    this.#readers.delete(stream);
    this.#options.onEmpty();
  }

  #end(): void {
    this.#ended.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const stream of [...this.#readers.keys()]) stream.close();
  }

  close(): void {
    this.#end();
  }
}

/** Encodes a commit with the nodes that it added or changed and the subtrees that it restored. */
async function encodeCommitEvent(store: Store, commit: Commit): Promise<Uint8Array> {
  const nodes = insertedNodesOf(commit);
  if (nodes !== null) return encodeEvent('commit', { ...commit, nodes }, commit.version);
  const read = await store.read(commit.treeId, function* () {
    return { nodes: yield* readNodes(listChangedIds(commit)), restored: yield* readRestored(commit) };
  });
  return encodeEvent('commit', { ...commit, ...read }, commit.version);
}

// Larger subtrees are not sent; readers load the parts that they show.
const maxRestoredNodes = 200;
const maxRestoredLength = 256 * 1024;

/**
 * Reads the subtrees that a commit restored, with their bookmarks. Leaves out subtrees that are too large for an event.
 */
function* readRestored(commit: Commit): ReadProgram<Readonly<Record<string, RestoredSubtree>>> {
  const subtrees: Record<string, RestoredSubtree> = {};
  let left = maxRestoredNodes;
  let length = 0;
  for (const change of rowChanges(commit.steps, commit)) {
    if (change.op !== 'marked' || change.to !== null) continue;
    const { nodeId } = change;
    if ((yield* ask('head', { id: nodeId })) === null || (yield* ask('count', { of: nodeId })) > left) continue;
    const nodes = yield* ask('subtree', { of: nodeId });
    for (const node of nodes) length += node.text.length;
    if (length > maxRestoredLength) break;
    left -= nodes.length;
    subtrees[nodeId] = { nodes, bookmarks: yield* ask('bookmarks', { on: nodes.map((node) => node.id) }) };
  }
  return subtrees;
}
