/** Replies while they are written: their text as it comes, what the model thinks, and the tools that it calls. */
import { type ActId, actId, type NodeId, type TreeId } from '@coppice/core';
import type { StoreApi } from 'zustand/vanilla';
import { appendReplyText, type LiveCall, type LiveReply, newReply } from './live.ts';
import type { PageClient } from './page-client.ts';
import { openReplyStream } from './reply-stream.ts';
import type { OpenTreeState } from './tree-state.ts';

// About one drawing: whoever comes into the middle of a reply gets hundreds of pieces at once, and a page that is drawn
// for each of them falls behind until React gives up on it.
const drawMs = 16;

/** The replies of one open tree. */
export class Replies {
  readonly #client: PageClient;
  readonly #treeId: TreeId;
  readonly #store: StoreApi<OpenTreeState>;
  /** A reply that was followed is said: the tree has it now. */
  readonly #said: () => void;
  /** Replies that were asked for here: only whoever asked asks again. */
  readonly #mine = new Set<NodeId>();
  readonly #streams = new Map<NodeId, { close(): void }>();
  /** Replies with the pieces that came since the last drawing. */
  readonly #arrived = new Map<NodeId, LiveReply>();
  #drawing: ReturnType<typeof setTimeout> | undefined;

  constructor(client: PageClient, treeId: TreeId, store: StoreApi<OpenTreeState>, said: () => void) {
    this.#client = client;
    this.#treeId = treeId;
    this.#store = store;
    this.#said = said;
  }

  close(): void {
    clearTimeout(this.#drawing);
    this.#arrived.clear();
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
  }

  /** A reply begins: its text is shown as it comes. */
  begin(id: NodeId, act: ActId | null): void {
    this.#store.setState((state) => {
      const known = state.live.get(id);
      if (known !== undefined && (act === null || known.actId !== null)) return {};
      return {
        live: new Map(state.live).set(id, known === undefined ? newReply(Date.now(), act) : { ...known, actId: act }),
      };
    });
  }

  /** Remembers which act writes replies, so that their tools can be approved and their thinking be shown. */
  claim(ids: readonly NodeId[], act: string): void {
    for (const id of ids) {
      this.#mine.add(id);
      // A quick reply is in the tree before the answer that says who writes it.
      const status = this.#store.getState().base?.nodes.get(id)?.status ?? 'pending';
      if (status === 'pending') this.begin(id, actId(act));
    }
  }

  /** Whether a reply was asked for by this page. */
  isMine(id: NodeId): boolean {
    return this.#mine.has(id);
  }

  /** A tool is called, waits for a yes, or is through (null). */
  setCall(callId: string, call: LiveCall | null): void {
    this.#store.setState((state) => {
      const calls = new Map(state.calls);
      if (call === null) calls.delete(callId);
      else calls.set(callId, call);
      return { calls };
    });
  }

  /** Changes a reply that is being written. */
  change(id: NodeId, change: (reply: LiveReply) => LiveReply): void {
    this.#draw();
    this.#store.setState((state) => {
      const reply = state.live.get(id);
      return reply === undefined ? {} : { live: new Map(state.live).set(id, change(reply)) };
    });
  }

  /** A piece of text at its offset; where one before it is missing, all is read again from where it ends. */
  add(id: NodeId, offset: number, text: string): void {
    const reply = this.#arrived.get(id) ?? this.#store.getState().live.get(id) ?? newReply(Date.now());
    const next = appendReplyText(reply, offset, text);
    if (next === null) return this.#follow(id, reply.text.length);
    if (next === reply) return;
    this.#arrived.set(id, next);
    this.#drawing ??= setTimeout(() => this.#draw(), drawMs);
  }

  /** Shows what came since the last time. */
  #draw(): void {
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    if (this.#arrived.size === 0) return;
    const arrived = [...this.#arrived];
    this.#arrived.clear();
    this.#store.setState((state) => {
      const live = new Map(state.live);
      // Who writes it may have become known meanwhile.
      for (const [id, reply] of arrived) live.set(id, { ...reply, actId: state.live.get(id)?.actId ?? reply.actId });
      return { live };
    });
  }

  /** A reply is in the tree. */
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

  /** Replies that were being written when the page came: their text so far is read from the start. */
  followRuns(): void {
    this.#draw();
    const { runs, base, live } = this.#store.getState();
    for (const id of runs.keys())
      if (base?.nodes.get(id)?.status === 'pending') this.#follow(id, live.get(id)?.text.length ?? 0);
  }

  #follow(id: NodeId, offset: number): void {
    if (this.#streams.has(id)) return;
    this.begin(id, null);
    const stream = openReplyStream(this.#client, this.#treeId, id, offset, {
      text: (at, text) => this.add(id, at, text),
      end: () => {
        this.#streams.delete(id);
        this.#said();
      },
    });
    this.#streams.set(id, stream);
  }
}
