import type { RunStore } from '@coppice/core';
import type { Clock } from '../providers/contract.ts';
import { createSharedTimer, type SharedTimer } from './shared-timer.ts';

/** How often streamed text is written to the store. */
export interface ChunkPace {
  /** The longest delay before text is written, in milliseconds. */
  readonly flushMs: number;
  /** The first text of this length is written at once; later only a text sixteen times as long is. */
  readonly flushLength: number;
}

/** Stores the text of a reply in chunks while it is being written. */
export interface ChunkWriter {
  /** Queues text and returns immediately, so that a slow disk does not delay the model. */
  write(text: string): void;
  /** Accepts no more text, drops the queued text, and waits for the running write. Never rejects. */
  stop(): Promise<void>;
  /** Accepts no more text and tries to write the queued text. Never rejects. */
  close(): Promise<void>;
}

/**
 * Writes the chunks of a run one after the other, so that there is never a gap. A failed chunk is retried unchanged,
 * because it may have been stored after all. Losing chunks is acceptable: the final commit contains the whole text.
 */
export function createChunkWriter(
  runs: Pick<RunStore, 'append'>,
  runId: string,
  options: ChunkPace & { readonly clock: Clock; readonly onLost: () => void; readonly ticks?: SharedTimer | undefined },
): ChunkWriter {
  const { clock, flushMs, flushLength, onLost } = options;
  const ticks = options.ticks ?? createSharedTimer(clock, flushMs);
  let offset = 0;
  // An array instead of a concatenated string, because the reply already holds the same pieces and a second string
  // would double the memory.
  let waiting: string[] = [];
  let length = 0;
  let piece = '';
  let failed = false;
  let open = true;
  let writing: Promise<void> | null = null;
  let unset: (() => void) | null = null;
  let much = flushLength;

  const writeChunks = async (): Promise<void> => {
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
      // The store may be full or busy; the timer triggers the next attempt, however much text is queued.
      failed = true;
    }
  };
  const flush = (): void => {
    unset?.();
    unset = null;
    // With a very fast model the disk would be the bottleneck, so later writes wait for the timer, unless the queued
    // text becomes too large.
    much = 16 * flushLength;
    writing ??= writeChunks().finally(() => {
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
      await writeChunks();
      if (!failed) await writeChunks();
    },
  };
}
