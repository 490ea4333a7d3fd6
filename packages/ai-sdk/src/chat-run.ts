/** A reply that is being generated. Readers may come and go; each gets the stream from its beginning. */
import type { UIMessageChunk } from 'ai';

/** What tells one request for a reply from another. */
export interface RunRequest {
  /** The node that is answered or continued. */
  readonly end: string;
  readonly trigger: string;
  /** The message that is generated again or was edited. */
  readonly messageId: string | undefined;
}

export class ChatRun {
  readonly request: RunRequest;
  readonly #chunks: UIMessageChunk[] = [];
  readonly #readers = new Set<() => void>();
  readonly #abort = new AbortController();
  #done = false;
  /** Resolves when the reply is complete and stored, and no reader can be added any more. */
  readonly ended: Promise<void>;

  constructor(request: RunRequest, start: (signal: AbortSignal) => Promise<ReadableStream<UIMessageChunk>>) {
    this.request = request;
    this.ended = this.#consume(start);
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  /** Stops generating. What was generated is stored. */
  stop(): void {
    this.#abort.abort();
  }

  async #consume(start: (signal: AbortSignal) => Promise<ReadableStream<UIMessageChunk>>): Promise<void> {
    // Readers leave at one of these chunks, so they get it only when the reply is stored.
    const held: UIMessageChunk[] = [];
    try {
      const reader = (await start(this.#abort.signal)).getReader();
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        if (held.length > 0 || isLast(next.value)) held.push(next.value);
        else this.#push(next.value);
      }
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

  /** The whole stream, from its first chunk on. Cancelling it ends this reader alone. */
  stream(onCancel?: () => void): ReadableStream<UIMessageChunk> {
    let next = 0;
    let waiting: (() => void) | undefined;
    const wake = () => {
      waiting?.();
      waiting = undefined;
    };
    this.#readers.add(wake);
    return new ReadableStream<UIMessageChunk>({
      pull: async (controller) => {
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

/** The replies that are being generated, by tree. */
export class ChatRuns {
  readonly #byTree = new Map<string, ChatRun[]>();

  of(treeId: string): readonly ChatRun[] {
    return this.#byTree.get(treeId) ?? [];
  }

  /** Lists a run until it has ended. */
  add(treeId: string, run: ChatRun): void {
    this.#byTree.set(treeId, [...this.of(treeId), run]);
    void run.ended.then(() => {
      const rest = this.of(treeId).filter((each) => each !== run);
      if (rest.length === 0) this.#byTree.delete(treeId);
      else this.#byTree.set(treeId, rest);
    });
  }
}
