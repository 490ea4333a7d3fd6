import type { ChunkPace } from '../runs/chunk-writer.ts';

/** How far a turn may go, and how often it says that it lives. All times in milliseconds. */
export interface GenerateLimits extends ChunkPace {
  /** Rounds of tool calls in one turn. */
  readonly rounds: number;
  /** Tool calls in one turn. */
  readonly calls: number;
  /** The whole turn, models and tools together. */
  readonly turnMs: number;
  /** The most replies beside each other. */
  readonly replies: number;
  readonly heartbeatMs: number;
  /** Between two looks whether another process wants a reply to stop. */
  readonly lookMs: number;
  /** A run that was silent for so long is taken over by anyone. */
  readonly staleMs: number;
  /** Between two looks at a reply that another process writes. */
  readonly followMs: number;
  /** Stored pictures and attachments in one request, in bytes before they are encoded. */
  readonly mediaBytes: number;
}

/** What holds unless said otherwise. */
export const defaultGenerateLimits: GenerateLimits = {
  rounds: 25,
  calls: 50,
  turnMs: 15 * 60_000,
  replies: 32,
  heartbeatMs: 5_000,
  lookMs: 1_000,
  staleMs: 15_000,
  flushMs: 250,
  flushLength: 4_096,
  followMs: 250,
  mediaBytes: 20 * 1024 * 1024,
};
