import type { RunStore } from '@coppice/core';
import type { Clock } from '../providers/contract.ts';

/** When text on its way is put down. */
export interface ChunkPace {
  /** The longest that text waits, in milliseconds. */
  readonly flushMs: number;
  /** Text of this length does not wait. */
  readonly flushLength: number;
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
  options: ChunkPace & { readonly clock: Clock; readonly onLost: () => void },
): ChunkWriter {
  const { clock, flushMs, flushLength, onLost } = options;
  let offset = 0;
  let waiting = '';
  let piece = '';
  let failed = false;
  let open = true;
  let writing: Promise<void> | null = null;
  let timer: AbortController | null = null;

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
    unset();
    writing ??= putDown().finally(() => {
      writing = null;
      if (open && piece + waiting !== '') schedule();
    });
  };
  const unset = () => {
    timer?.abort();
    timer = null;
  };
  const schedule = () => {
    if (writing !== null) return;
    if (waiting.length >= flushLength && !failed) flush();
    else if (timer === null) {
      timer = new AbortController();
      clock.wait(flushMs, timer.signal).then(flush, ignore);
    }
  };
  const stop = async () => {
    open = false;
    unset();
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
