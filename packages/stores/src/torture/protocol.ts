/** The messages between the parent process and its workers, one JSON value per line. */
import type { Command } from '@coppice/core';
import type { WriterAct, WriterNode } from './branch.ts';

/** The task of one writer in one tree. */
export interface WriterTask {
  /** The name of the actor, which is also part of the texts. */
  readonly name: string;
  readonly treeId: string;
  readonly seed: string;
  readonly branch: readonly (readonly (readonly [string, WriterNode])[])[];
  /** An act of the last round that may have been stored. It is repeated first, with the same ids. */
  readonly again?: WriterAct;
}

/** A task that the parent sends to a worker. */
export type WorkerTask =
  /** Opens the store, and writes until it is killed or told to stop. */
  | { readonly task: 'write'; readonly url: string; readonly writers: readonly WriterTask[] }
  /** Runs one operation, with a failpoint that kills the process. */
  | { readonly task: 'fault'; readonly url: string; readonly operation: string; readonly nth: number }
  /** Opens the store, reports that it is open, and runs commands on request. */
  | { readonly task: 'session'; readonly url: string }
  | { readonly task: 'run'; readonly command: Command; readonly actor: string; readonly seed: string }
  /**
   * Opens a session file again and again. Appends lines while this process holds the lease; otherwise reports the
   * holder.
   */
  | { readonly task: 'lines'; readonly path: string; readonly parent: string; readonly name: string }
  /** Appends lines like a tool that ignores the lease. */
  | { readonly task: 'plain'; readonly path: string; readonly parent: string; readonly name: string }
  | { readonly task: 'stop' };

/**
 * A report that a worker sends. An act is reported before it is tried, and again when the store has acknowledged it.
 */
export type WorkerReport =
  | { readonly reported: 'ready' }
  | { readonly reported: 'open' }
  | { readonly reported: 'tries'; readonly writer: string; readonly act: WriterAct }
  | { readonly reported: 'done'; readonly writer: string; readonly version: number }
  /** The store refused an act or failed. With `unknown`, the change may still have been stored. */
  | {
      readonly reported: 'failed';
      readonly writer: string;
      readonly code: string;
      readonly message: string;
      readonly unknown: boolean;
    }
  | { readonly reported: 'ran'; readonly code: string | null }
  | { readonly reported: 'through'; readonly passed: number }
  /** A line is in the file: it was acknowledged, or with `plain` appended by a tool that ignores the lease. */
  | { readonly reported: 'wrote'; readonly uuid: string; readonly plain: boolean }
  /** Another process holds the lease of the file. */
  | { readonly reported: 'held'; readonly by: number };
