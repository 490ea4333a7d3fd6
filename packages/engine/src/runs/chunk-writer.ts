import type { RunStore } from '@coppice/core';
import type { Clock } from '../providers/contract.ts';
import { createSharedTimer, type SharedTimer } from './shared-timer.ts';

/** When streamed text is written to the store. */
export interface ChunkPace {
  /** The longest delay before text is written, in milliseconds. */
  readonly flushMs: number;
  /** Text of this length is written immediately the first time; after that only a much longer one is. */
  readonly flushLength: number;
}

/** Stores the text of a reply in chunks while it is being written. */
export interface ChunkWriter {
  /** Queues text; returns immediately, so that a slow disk does not delay the model. */
  write(text: string): void;
  /** Accepts no more text and waits for running writes; queued text is dropped. Never rejects. */
  stop(): Promise<void>;
  /** Accepts no more text and tries to write what is queued. Never rejects. */
  close(): Promise<void>;
}

/**
 * Writes the chunks of a run sequentially, so that there is never a gap. A failed chunk is retried unchanged, because
 * it may have been stored after all. Chunks are best effort; the final commit of the reply contains the whole text.
 */
export function createChunkWriter(
  runs: Pick<RunStore, 'append'>,
  runId: string,
  options: ChunkPace & { readonly clock: Clock; readonly onLost: () => void; readonly ticks?: SharedTimer | undefined },
): ChunkWriter {
  const { clock, flushMs, flushLength, onLost } = options;
  const ticks = options.ticks ?? createSharedTimer(clock, flushMs);
  let offset = 0;
  // An array, not a growing string: the reply itself holds the same pieces, and a second rope would waste memory.
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
      // The store may be full or busy; the next attempt waits for the timer, however much is queued by then.
      failed = true;
    }
  };
  const flush = (): void => {
    unset?.();
    unset = null;
    // With a very fast model the disk would become the bottleneck: later writes wait for the timer, unless so much text
    // arrives that it should not stay in memory.
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
