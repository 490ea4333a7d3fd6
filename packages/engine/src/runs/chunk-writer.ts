import type { RunStore } from '@coppice/core';
import type { Clock } from '../providers/contract.ts';

/** When text on its way is put down. */
export interface ChunkPace {
  /** The longest that text waits, in milliseconds. */
  readonly flushMs: number;
  /** Text of this length does not wait. */
  readonly flushLength: number;
}

/** Moments that all replies of an engine share: stores put what is written at the same moment down in one commit. */
export interface Ticks {
  /** Calls back at the next one, which is as far away as the pace says at most; what is returned takes it back. */
  next(call: () => void): () => void;
}

/** Makes moments at least so far apart. There is none while nobody waits for it, and no timer either. */
export function createTicks(clock: Pick<Clock, 'wait'>, everyMs: number): Ticks {
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
    }, ignore);
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
  options: ChunkPace & { readonly clock: Clock; readonly onLost: () => void; readonly ticks?: Ticks | undefined },
): ChunkWriter {
  const { clock, flushMs, flushLength, onLost } = options;
  const ticks = options.ticks ?? createTicks(clock, flushMs);
  let offset = 0;
  let waiting = '';
  let piece = '';
  let failed = false;
  let open = true;
  let writing: Promise<void> | null = null;
  let unset: (() => void) | null = null;
  let lastAt = Number.NEGATIVE_INFINITY;
  let much = flushLength;

  const putDown = async (): Promise<void> => {
    if (piece === '') {
      piece = waiting;
      waiting = '';
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
    lastAt = clock.now();
    much = flushLength;
    writing ??= putDown().finally(() => {
      writing = null;
      if (open && piece + waiting !== '') schedule();
    });
  };
  // A model that writes faster than anybody reads would make the disk the slowest part: there a little more may wait,
  // and the clock is not asked again before as much again has come.
  const isMuch = () => {
    if (waiting.length < much || failed) return false;
    if (waiting.length >= 16 * flushLength || clock.now() - lastAt >= flushMs / 5) return true;
    much = waiting.length + flushLength;
    return false;
  };
  const schedule = () => {
    if (writing !== null) return;
    if (isMuch()) flush();
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
      waiting += text;
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

function ignore(): void {
  // The wait was stopped because something else puts the text down.
}
