/** Runs one reply. Any number of readers may join and leave; each gets the stream from its beginning. */
import type { NodeId, Store } from '@coppice/core';
import type { UIMessageChunk } from 'ai';
import { toReplyChunks } from './stored-reply.ts';
import type { UiMessageJson } from './ui-nodes.ts';

/** What a request asks the model to reply to, and where the reply is stored. */
export interface RunRequest {
  /** The id of the run. A client may choose the id, so that it can stop the reply before the response arrives. */
  readonly id: string;
  /** The node that the reply answers or continues. */
  readonly end: NodeId;
  readonly trigger: string;
  /** The id of the message that is generated again or was edited. */
  readonly messageId: string | undefined;
  /** The act of the question and its reply, so that both are undone together. */
  readonly actId: string;
  /**
   * Whether the act stored something before the reply. True for a question, false for a reply that is generated again.
   */
  readonly isWritten: boolean;
  /** The parent of the generated message; null at the top of the tree. */
  readonly above: NodeId | null;
  /** The stored message that the reply continues, for example after a page has added a tool result. */
  readonly continued: UiMessageJson | undefined;
  /** The message id of the reply: that of the continued message, or a new one. */
  readonly replyId: string;
}

export class ChatRun {
  readonly request: RunRequest;
  readonly #chunks: UIMessageChunk[] = [];
  readonly #readers = new Set<() => void>();
  /** Called when the last reader leaves. */
  readonly #onLeft = new Set<() => void>();
  readonly #abort = new AbortController();
  #done = false;
  /** The last stored node of the reply. */
  storedEnd: NodeId | undefined = undefined;
  /** Resolves when the reply is complete and stored. After that no reader can join. */
  readonly ended: Promise<void>;

  constructor(
    request: RunRequest,
    start: (signal: AbortSignal) => Promise<ReadableStream<UIMessageChunk>>,
    /** Called before the readers receive the end of the reply. */
    finish: () => Promise<void>,
  ) {
    this.request = request;
    this.ended = this.#consume(start, finish);
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  /** Waits until no reader is left, for at most `ms` milliseconds. Returns whether none is left. */
  async isLeft(ms: number): Promise<boolean> {
    if (this.hasReaders) {
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer);
          this.#onLeft.delete(end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        this.#onLeft.add(end);
      });
    }
    return !this.hasReaders;
  }

  #leave(wake: () => void): void {
    this.#readers.delete(wake);
    if (!this.hasReaders) for (const left of this.#onLeft) left();
  }

  /** Stops generating. The text generated so far is stored. */
  stop(): void {
    this.#abort.abort();
  }

  async #consume(
    start: (signal: AbortSignal) => Promise<ReadableStream<UIMessageChunk>>,
    finish: () => Promise<void>,
  ): Promise<void> {
    // The last chunk and those after it. A reader disconnects when it gets the last chunk, so they are held back until
    // the reply is stored.
    const held: UIMessageChunk[] = [];
    try {
      const reader = (await start(this.#abort.signal)).getReader();
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        if (held.length > 0 || isLast(next.value)) held.push(next.value);
        else this.#push(next.value);
      }
      await finish();
      for (const chunk of held) this.#push(chunk);
    } catch {
      this.#push({ type: 'error', errorText: 'The reply could not be generated or stored. Try again.' });
    }
    this.#done = true;
    for (const wake of this.#readers) wake();
  }

  #push(chunk: UIMessageChunk): void {
    this.#chunks.push(chunk);
    for (const wake of this.#readers) wake();
  }

  /** Whether a branch with this end is the one on which the reply is generated. */
  endsAt(end: NodeId | null): boolean {
    return end === (this.storedEnd ?? this.request.end);
  }

  /**
   * Streams the reply from its first chunk. With `whole`, the stored beginning of the message is streamed first, for a
   * page that has nothing of the message. Cancelling the stream ends only this reader.
   */
  stream({ whole = false, onCancel }: { readonly whole?: boolean; readonly onCancel?: () => void } = {}) {
    const { continued } = this.request;
    const hasPrefix = whole && continued !== undefined;
    let next = 0;
    let waiting: (() => void) | undefined;
    const wake = () => {
      waiting?.();
      waiting = undefined;
    };
    this.#readers.add(wake);
    return new ReadableStream<UIMessageChunk>({
      start: async (controller) => {
        if (!hasPrefix) return;
        for (const chunk of (await toReplyChunks(continued)).slice(0, -1)) controller.enqueue(chunk);
      },
      pull: async (controller) => {
        // The prefix already contains the start of the message.
        if (hasPrefix && next === 0 && this.#chunks[0]?.type === 'start') next = 1;
        while (next >= this.#chunks.length && !this.#done)
          await new Promise<void>((resolve) => {
            waiting = resolve;
          });
        const chunk = this.#chunks[next++];
        if (chunk !== undefined) controller.enqueue(chunk);
        else {
          this.#leave(wake);
          controller.close();
        }
      },
      cancel: () => {
        this.#leave(wake);
        wake();
        onCancel?.();
      },
    });
  }
}

function isLast({ type }: UIMessageChunk): boolean {
  return type === 'finish' || type === 'error' || type === 'abort';
}

/** Ends a stream when the signal is aborted, even if the model ignores the signal. */
export function endStreamOnAbort(
  stream: ReadableStream<UIMessageChunk>,
  signal: AbortSignal,
): ReadableStream<UIMessageChunk> {
  const reader = stream.getReader();
  const stopped = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  return new ReadableStream<UIMessageChunk>({
    pull: async (controller) => {
      const next = await Promise.race([reader.read(), stopped]);
      if (next !== undefined && !next.done) return controller.enqueue(next.value);
      if (next === undefined) {
        controller.enqueue({ type: 'abort' });
        // The model may throw when it is cancelled; its reply has already ended.
        reader.cancel().catch(() => undefined);
      }
      controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** The number of stopped run ids to remember, for requests that arrive after they were stopped. */
const maxStopped = 200;

/** The replies in progress, by tree. */
export class ChatRuns {
  readonly #byTree = new Map<string, ChatRun[]>();
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #stopped = new Set<string>();

  of(treeId: string): readonly ChatRun[] {
    return this.#byTree.get(treeId) ?? [];
  }

  /** Calls the listener when a run of a tree begins or ends. Returns a function that unsubscribes. */
  subscribe(treeId: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(treeId) ?? new Set();
    this.#listeners.set(treeId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(treeId);
    };
  }

  #notify(treeId: string): void {
    for (const listener of this.#listeners.get(treeId) ?? []) listener();
  }

  /**
   * Stops a run, now or as soon as its request arrives; without an id all runs of the tree. Resolves when their replies
   * are stored.
   */
  async stop(treeId: string, id: string | null): Promise<void> {
    const running = this.of(treeId).filter(({ request }) => id === null || request.id === id);
    if (running.length === 0 && id !== null) {
      this.#stopped.add(id);
      const [oldest] = this.#stopped;
      if (this.#stopped.size > maxStopped && oldest !== undefined) this.#stopped.delete(oldest);
    }
    for (const each of running) each.stop();
    await Promise.all(running.map((each) => each.ended));
  }

  /** Adds a run to the list until the run has ended. */
  add(treeId: string, run: ChatRun): void {
    this.#byTree.set(treeId, [...this.of(treeId), run]);
    if (this.#stopped.delete(run.request.id)) run.stop();
    this.#notify(treeId);
    void run.ended.then(() => {
      const rest = this.of(treeId).filter((each) => each !== run);
      if (rest.length === 0) this.#byTree.delete(treeId);
      else this.#byTree.set(treeId, rest);
      this.#notify(treeId);
    });
  }
}

const runsByStore = new WeakMap<Store, ChatRuns>();

/** Returns the runs of a store in this process, so that routes with separate handlers share them. */
export function chatRunsOf(store: Store): ChatRuns {
  const runs = runsByStore.get(store) ?? new ChatRuns();
  runsByStore.set(store, runs);
  return runs;
}
