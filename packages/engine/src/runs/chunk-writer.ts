import type { RunStore } from '@coppice/core';
import type { Clock } from '../providers/contract.ts';

/** When text on its way is put down. */
export interface ChunkPace {
  /** The longest that text waits, in milliseconds. */
  readonly flushMs: number;
  /** The first text of this length does not wait, and later none that is much longer. */
  readonly flushLength: number;
}

/** Moments that all replies of an engine share: stores put what is written at the same moment down in one commit. */
export interface SharedTimer {
  /** Calls back at the next one, which is as far away as the pace says at most; what is returned takes it back. */
  next(call: () => void): () => void;
}

/** Makes moments at least so far apart. There is none while nobody waits for it, and no timer either. */
export function createSharedTimer(clock: Pick<Clock, 'wait'>, everyMs: number): SharedTimer {
  const waiting = new Set<() => void>();
  let timer: AbortController | null = null;
  const start = () => {
    const stop = new AbortController();
    timer = stop;
    clock.wait(everyMs, stop.signal).then(() => {
      if (timer === stop) timer = null;
      const now = [...waiting];
      waiting.clear();
      for (const call of now) call();
    }, ignoreChunkError);
  };
  return {
    next(call) {
      waiting.add(call);
      if (timer === null) start();
      return () => {
        if (!waiting.delete(call) || waiting.size > 0) return;
        timer?.abort();
        timer = null;
      };
    },
  };
}

/** Puts a reply's text down piece by piece while it is written. */
export interface ChunkWriter {
  /** Takes text; returns at once, so that a slow disk does not hold up the model. */
  write(text: string): void;
  /** Takes no more and resolves when nothing is on its way; what waits is dropped. Never rejects. */
  stop(): Promise<void>;
  /** Takes no more, and tries to put down what waits. Never rejects. */
  close(): Promise<void>;
}

/**
 * Writes the chunks of a run. Pieces go down one after the other, so there is never a hole. A piece that cannot be stored
 * is tried again, the same piece, since it may be there after all; the reply's own commit is what must not fail.
 */
export function createChunkWriter(
  runs: Pick<RunStore, 'append'>,
  runId: string,
  options: ChunkPace & { readonly clock: Clock; readonly onLost: () => void; readonly ticks?: SharedTimer | undefined },
): ChunkWriter {
  const { clock, flushMs, flushLength, onLost } = options;
  const ticks = options.ticks ?? createSharedTimer(clock, flushMs);
  let offset = 0;
  // A list, not a text that grows: the reply's own text holds the same pieces, and another one of links would be for nothing.
  let waiting: string[] = [];
  let length = 0;
  let piece = '';
  let failed = false;
  let open = true;
  let writing: Promise<void> | null = null;
  let unset: (() => void) | null = null;
  let much = flushLength;

  const putDown = async (): Promise<void> => {
    if (piece === '') {
      piece = waiting.join('');
      waiting = [];
      length = 0;
    }
    if (piece === '') return;
    try {
      const there = await runs.append(runId, { offset, text: piece });
      if (!there && open) onLost();
      failed = false;
      offset += piece.length;
      piece = '';
    } catch {
      // The store may be full or busy; the next try is a while from now, however much waits by then.
      failed = true;
    }
  };
  const flush = (): void => {
    unset?.();
    unset = null;
    // A model that writes faster than anybody reads would make the disk the slowest part: it has to wait for the clock,
    // which is never further away than the pace says, unless so much comes that it should not lie in memory.
    much = 16 * flushLength;
    writing ??= putDown().finally(() => {
      writing = null;
      if (open && (piece !== '' || length > 0)) schedule();
    });
  };
  const schedule = () => {
    if (writing !== null) return;
    if (length >= much && !failed) flush();
    else unset ??= ticks.next(flush);
  };
  const stop = async () => {
    open = false;
    unset?.();
    unset = null;
    await writing;
  };
  return {
    write(text) {
      if (!open || text === '') return;
      waiting.push(text);
      length += text.length;
      schedule();
    },
    stop,
    async close() {
      await stop();
      await putDown();
      if (!failed) await putDown();
    },
  };
}

function ignoreChunkError(): void {
  // The wait was stopped because something else puts the text down.
}
