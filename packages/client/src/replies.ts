/** Tracks the replies that are being generated: their text so far, thinking and tool calls. */
import { type ActId, actId, type NodeId, type TreeId } from '@coppice/core';
import type { Connection } from './connection.ts';
import { appendReplyText, type LiveReply, type LiveToolCall, startLiveReply } from './live.ts';
import type { Observable } from './observable.ts';
import { openReplyStream } from './reply-stream.ts';
import type { OpenTreeState } from './tree-state.ts';

// About one frame. A view that opens during a reply gets hundreds of text parts in one moment. A state change for each
// of them would exceed React's limit of updates.
const drawMs = 16;

/** The replies in progress of one open tree. */
export class TreeReplies {
  readonly #connection: Connection;
  readonly #treeId: TreeId;
  readonly #store: Observable<OpenTreeState>;
  /** Called when a reply has ended and is in the tree. */
  readonly #onEnd: () => void;
  /** The replies that this client has requested. */
  readonly #mine = new Set<NodeId>();
  readonly #streams = new Map<NodeId, { close(): void }>();
  /** The replies with text that is not in the state yet. */
  readonly #arrived = new Map<NodeId, LiveReply>();
  #drawing: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: Connection, treeId: TreeId, store: Observable<OpenTreeState>, onEnd: () => void) {
    this.#connection = connection;
    this.#treeId = treeId;
    this.#store = store;
    this.#onEnd = onEnd;
  }

  close(): void {
    clearTimeout(this.#drawing);
    this.#arrived.clear();
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
  }

  /** Starts to follow a reply, and shows its text as it arrives. */
  begin(id: NodeId, act: ActId | null): void {
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

  /** Records the act that generates replies, so that their tool calls can be approved and their thinking is shown. */
  claim(ids: readonly NodeId[], act: string): void {
    for (const id of ids) {
      this.#mine.add(id);
      // A fast reply may be complete in the tree before the response names its act.
      const status = this.#store.getState().base?.nodes.get(id)?.status ?? 'pending';
      if (status === 'pending') this.begin(id, actId(act));
    }
  }

  /** Whether this client has requested a reply. */
  isMine(id: NodeId): boolean {
    return this.#mine.has(id);
  }

  /** Sets the state of a tool call; null removes a call that has ended. */
  setCall(callId: string, call: LiveToolCall | null): void {
    this.#store.setState((state) => {
      const calls = new Map(state.calls);
      if (call === null) calls.delete(callId);
      else calls.set(callId, call);
      return { calls };
    });
  }

  /** Changes a reply that is being generated. */
  change(id: NodeId, change: (reply: LiveReply) => LiveReply): void {
    this.#draw();
    this.#store.setState((state) => {
      const reply = state.live.get(id);
      return reply === undefined ? {} : { live: new Map(state.live).set(id, change(reply)) };
    });
  }

  /** Adds text at its offset. If earlier text is missing, the reply is read again from the end of its known text. */
  add(id: NodeId, offset: number, text: string): void {
    const reply =
      this.#arrived.get(id) ?? this.#store.getState().live.get(id) ?? startLiveReply(this.#connection.now());
    const next = appendReplyText(reply, offset, text);
    if (next === null) return this.#follow(id, reply.text.length);
    if (next === reply) return;
    this.#arrived.set(id, next);
    this.#drawing ??= setTimeout(() => this.#draw(), drawMs);
  }

  /** Updates the state with the text that has arrived. */
  #draw(): void {
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    if (this.#arrived.size === 0) return;
    const arrived = [...this.#arrived];
    this.#arrived.clear();
    this.#store.setState((state) => {
      const live = new Map(state.live);
      // The act of the reply may have become known meanwhile.
      for (const [id, reply] of arrived) live.set(id, { ...reply, actId: state.live.get(id)?.actId ?? reply.actId });
      return { live };
    });
  }

  /** Removes a reply, because it is complete and in the tree. */
  ended(id: NodeId): void {
    this.#streams.get(id)?.close();
    this.#streams.delete(id);
    this.#arrived.delete(id);
    this.#store.setState((state) => {
      if (!state.live.has(id)) return {};
      const live = new Map(state.live);
      live.delete(id);
      return { live };
    });
  }

  /** Follows the replies that were in progress when the tree was read. */
  followRuns(): void {
    this.#draw();
    const { runs, base, live } = this.#store.getState();
    for (const id of runs.keys())
      if (base?.nodes.get(id)?.status === 'pending') this.#follow(id, live.get(id)?.text.length ?? 0);
  }

  #follow(id: NodeId, offset: number): void {
    if (this.#streams.has(id)) return;
    this.begin(id, null);
    const stream = openReplyStream(this.#connection, this.#treeId, id, offset, {
      text: (at, text) => this.add(id, at, text),
      end: () => {
        this.#streams.delete(id);
        this.#onEnd();
      },
    });
    this.#streams.set(id, stream);
  }
}
