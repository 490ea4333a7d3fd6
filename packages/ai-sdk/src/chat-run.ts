/** A reply that is being generated. Readers may come and go; each gets the stream from its beginning. */
import type { NodeId, Store } from '@coppice/core';
import type { UIMessageChunk } from 'ai';
import { chunksOfReply } from './stored-reply.ts';
import type { UiMessageJson } from './ui-nodes.ts';

/** What tells one request for a reply from another. */
export interface RunRequest {
  /** The id of the run; a client may choose it, so that it can stop the reply before the response arrives. */
  readonly id: string;
  /** The node that is answered or continued. */
  readonly end: NodeId;
  readonly trigger: string;
  /** The message that is generated again or was edited. */
  readonly messageId: string | undefined;
  /** The act that is undone at once with the question. */
  readonly actId: string;
  /** Whether the act has stored something before the reply: a question, but not a reply that is generated again. */
  readonly isWritten: boolean;
  /** The node above the message that is generated; null at the top of the tree. */
  readonly above: NodeId | null;
  /** The stored message that the reply continues, as a page adds the result of a tool. */
  readonly continued: UiMessageJson | undefined;
}

export class ChatRun {
  readonly request: RunRequest;
  readonly #chunks: UIMessageChunk[] = [];
  readonly #readers = new Set<() => void>();
  readonly #abort = new AbortController();
  #done = false;
  /** The last node of the reply that is stored so far. */
  storedEnd: NodeId | undefined = undefined;
  /** Resolves when the reply is complete and stored, and no reader can be added any more. */
  readonly ended: Promise<void>;

  constructor(
    request: RunRequest,
    start: (signal: AbortSignal) => Promise<ReadableStream<UIMessageChunk>>,
    /** Called before readers are told that the reply has ended. */
    finish: () => Promise<void>,
  ) {
    this.request = request;
    this.ended = this.#consume(start, finish);
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  /** Stops generating. What was generated is stored. */
  stop(): void {
    this.#abort.abort();
  }

  async #consume(
    start: (signal: AbortSignal) => Promise<ReadableStream<UIMessageChunk>>,
    finish: () => Promise<void>,
  ): Promise<void> {
    // Readers leave at one of these chunks, so they get it only when the reply is stored.
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

  /** Whether the reply is at the end of a branch, in whole or in part. */
  endsAt(end: NodeId | null): boolean {
    return end === (this.storedEnd ?? this.request.end);
  }

  /**
   * The stream from its first chunk on. For a page that has nothing of the message (`whole`), the part that a page knows
   * which continues it comes first. Cancelling it ends this reader alone.
   */
  stream({ whole = false, onCancel }: { readonly whole?: boolean; readonly onCancel?: () => void } = {}) {
    const { continued } = this.request;
    const prefix = whole && continued !== undefined ? chunksOfReply(continued).slice(0, -1) : [];
    let next = 0;
    let waiting: (() => void) | undefined;
    const wake = () => {
      waiting?.();
      waiting = undefined;
    };
    this.#readers.add(wake);
    return new ReadableStream<UIMessageChunk>({
      start: (controller) => {
        for (const chunk of prefix) controller.enqueue(chunk);
      },
      pull: async (controller) => {
        // The prefix has begun the message already.
        if (prefix.length > 0 && next === 0 && this.#chunks[0]?.type === 'start') next = 1;
        while (next >= this.#chunks.length && !this.#done)
          await new Promise<void>((resolve) => {
            waiting = resolve;
          });
        const chunk = this.#chunks[next++];
        if (chunk !== undefined) controller.enqueue(chunk);
        else {
          this.#readers.delete(wake);
          controller.close();
        }
      },
      cancel: () => {
        this.#readers.delete(wake);
        wake();
        onCancel?.();
      },
    });
  }
}

function isLast({ type }: UIMessageChunk): boolean {
  return type === 'finish' || type === 'error' || type === 'abort';
}

/** Ends a stream when it is stopped, also if the model behind it does not heed the signal. */
export function endOnAbort(
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
        // The model may fail when it is cut off; its reply has ended already.
        reader.cancel().catch(() => undefined);
      }
      controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** How many ids of stopped runs are remembered, for requests that arrive after they were stopped. */
const mostStopped = 200;

/** The replies that are being generated, by tree. */
export class ChatRuns {
  readonly #byTree = new Map<string, ChatRun[]>();
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #stopped = new Set<string>();

  of(treeId: string): readonly ChatRun[] {
    return this.#byTree.get(treeId) ?? [];
  }

  /** Calls back when a run of a tree begins or ends; returns a function that ends it. */
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

  /** Stops a run, now or as soon as its request arrives; without an id all runs of the tree. Resolves when they are stored. */
  async stop(treeId: string, id: string | null): Promise<void> {
    const running = this.of(treeId).filter(({ request }) => id === null || request.id === id);
    if (running.length === 0 && id !== null) {
      this.#stopped.add(id);
      const [oldest] = this.#stopped;
      if (this.#stopped.size > mostStopped && oldest !== undefined) this.#stopped.delete(oldest);
    }
    for (const each of running) each.stop();
    await Promise.all(running.map((each) => each.ended));
  }

  /** Lists a run until it has ended. */
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

/** The runs of a store in this process: routes with a handler each know the same ones. */
export function chatRunsOf(store: Store): ChatRuns {
  const runs = runsByStore.get(store) ?? new ChatRuns();
  runsByStore.set(store, runs);
  return runs;
}
