/** Tracks the replies that are being generated: their text so far, thinking and tool calls. */
import { type ActId, actId, type NodeId, type TreeId } from '@coppice/core';
import type { Connection } from './connection.ts';
import { appendReplyText, type LiveReply, type LiveToolCall, startLiveReply } from './live.ts';
import type { Observable } from './observable.ts';
import { openReplyStream } from './reply-stream.ts';
import type { OpenTreeState } from './tree-state.ts';

// About one frame. A view that opens during a reply receives hundreds of text parts at once, and a state change for
// each part would exceed React's limit of updates.
const publishIntervalMs = 16;

/** The replies of one open tree that are in progress. */
export class TreeReplies {
  readonly #connection: Connection;
  readonly #treeId: TreeId;
  readonly #store: Observable<OpenTreeState>;
  /** Called when a reply has ended and is stored in the tree. */
  readonly #onEnd: () => void;
  /** The replies that this client has requested. */
  readonly #requestedHere = new Set<NodeId>();
  readonly #streams = new Map<NodeId, { close(): void }>();
  /** The replies with text that is not yet in the state. */
  readonly #unpublished = new Map<NodeId, LiveReply>();
  #publishTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: Connection, treeId: TreeId, store: Observable<OpenTreeState>, onEnd: () => void) {
    this.#connection = connection;
    this.#treeId = treeId;
    this.#store = store;
    this.#onEnd = onEnd;
  }

  close(): void {
    clearTimeout(this.#publishTimer);
    this.#unpublished.clear();
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
  }

  /** Adds a reply to the state, or sets its act if the act was unknown. */
  startReply(id: NodeId, act: ActId | null): void {
    this.#store.setState((state) => {
      const known = state.live.get(id);
      if (known !== undefined && (act === null || known.actId !== null)) return {};
      return {
        live: new Map(state.live).set(
          id,
          known === undefined ? startLiveReply(this.#connection.now(), act) : { ...known, actId: act },
        ),
      };
    });
  }

  /** Records that this client requested the replies, and the act that generates them. Approvals need the act. */
  setActOfReplies(ids: readonly NodeId[], act: string): void {
    for (const id of ids) {
      this.#requestedHere.add(id);
      // A fast reply may be complete in the tree before the response names its act.
      const status = this.#store.getState().base?.nodes.get(id)?.status ?? 'pending';
      if (status === 'pending') this.startReply(id, actId(act));
    }
  }

  /** Whether this client has requested the reply. */
  isRequestedHere(id: NodeId): boolean {
    return this.#requestedHere.has(id);
  }

  /** Sets the state of a tool call; null removes the call. */
  setCall(callId: string, call: LiveToolCall | null): void {
    this.#store.setState((state) => {
      const calls = new Map(state.calls);
      if (call === null) calls.delete(callId);
      else calls.set(callId, call);
      return { calls };
    });
  }

  /** Replaces a reply in progress by the result of `change`. Does nothing if the reply has ended. */
  updateReply(id: NodeId, change: (reply: LiveReply) => LiveReply): void {
    this.#publishText();
    this.#store.setState((state) => {
      const reply = state.live.get(id);
      return reply === undefined ? {} : { live: new Map(state.live).set(id, change(reply)) };
    });
  }

  /** Adds text at its offset. If earlier text is missing, follows the reply from the end of its known text. */
  addText(id: NodeId, offset: number, text: string): void {
    const reply =
      this.#unpublished.get(id) ?? this.#store.getState().live.get(id) ?? startLiveReply(this.#connection.now());
    const next = appendReplyText(reply, offset, text);
    if (next === null) return this.#follow(id, reply.text.length);
    if (next === reply) return;
    this.#unpublished.set(id, next);
    this.#publishTimer ??= setTimeout(() => this.#publishText(), publishIntervalMs);
  }

  /** Copies the text that has arrived to the state. */
  #publishText(): void {
    clearTimeout(this.#publishTimer);
    this.#publishTimer = undefined;
    if (this.#unpublished.size === 0) return;
    const unpublished = [...this.#unpublished];
    this.#unpublished.clear();
    this.#store.setState((state) => {
      const live = new Map(state.live);
      // The act of the reply may have become known while the text waited.
      for (const [id, reply] of unpublished)
        live.set(id, { ...reply, actId: state.live.get(id)?.actId ?? reply.actId });
      return { live };
    });
  }

  /** Removes a reply from the state, because the tree contains it now. */
  removeReply(id: NodeId): void {
    this.#streams.get(id)?.close();
    this.#streams.delete(id);
    this.#unpublished.delete(id);
    this.#store.setState((state) => {
      if (!state.live.has(id)) return {};
      const live = new Map(state.live);
      live.delete(id);
      return { live };
    });
  }

  /** Follows the replies that were in progress when the page was read. */
  followRuns(): void {
    this.#publishText();
    const { runs, base, live } = this.#store.getState();
    for (const id of runs.keys())
      if (base?.nodes.get(id)?.status === 'pending') this.#follow(id, live.get(id)?.text.length ?? 0);
  }

  #follow(id: NodeId, offset: number): void {
    if (this.#streams.has(id)) return;
    this.startReply(id, null);
    const stream = openReplyStream(this.#connection, this.#treeId, id, offset, {
      text: (at, text) => this.addText(id, at, text),
      end: () => {
        this.#streams.delete(id);
        this.#onEnd();
      },
    });
    this.#streams.set(id, stream);
  }
}
