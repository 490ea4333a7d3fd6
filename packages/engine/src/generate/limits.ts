import type { ChunkPace } from '../runs/chunk-writer.ts';

/** Limits of a turn, and its polling and heartbeat intervals. All times in milliseconds. */
export interface GenerateLimits extends ChunkPace {
  /** The most rounds of tool calls in one turn. */
  readonly rounds: number;
  /** The most tool calls in one turn. */
  readonly calls: number;
  /** The time limit of a turn, including model calls and tools. */
  readonly turnMs: number;
  /** The most replies that one turn may generate in parallel. */
  readonly replies: number;
  /** How often a process reports that it is still writing a reply. */
  readonly heartbeatMs: number;
  /** How often to check for a stop request from another process. */
  readonly lookMs: number;
  /** Any process may recover a run that had no heartbeat for this long. */
  readonly staleMs: number;
  /** How often a reply of another process is polled. */
  readonly followMs: number;
  /** The total size of stored images and attachments in one request, in bytes before encoding. */
  readonly mediaBytes: number;
}

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
