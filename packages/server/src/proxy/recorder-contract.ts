/** What a recorder is made with, and what it tells. */
import type { JsonObject, Store } from '@coppice/core';
import type { Returned } from './exchange.ts';
import type { CallTaken } from './waiting-call.ts';

/** A place in the line, taken when the request came. */
export interface Ticket {
  /** Whether so many more bytes of the answer may be kept until it is through. */
  keep(bytes: number): boolean;
  /** The call is through, and what is to be recorded is known. */
  finish(call: CallTaken): void;
  /** Nothing is to be recorded. */
  cancel(): void;
}

/** One line of what was recorded last. */
export interface RecordedCall {
  /** Whose it is; nobody else is told of it. */
  readonly owner: string;
  readonly at: number;
  readonly project: string;
  readonly model: string;
  readonly status: number;
  readonly usage: unknown;
  readonly firstMs: number | null;
  readonly totalMs: number;
  readonly treeId: string | null;
  readonly nodeId: string | null;
  /** New nodes; the rest of the history was there. */
  readonly nodes: number;
}

/** How the recorder is, in one word: as it should be, told not to, with calls in files, or with a store that refuses. */
export type RecorderHealth = 'recording' | 'paused' | 'behind' | 'failing';

/** How the recorder is. */
export interface RecorderState {
  readonly recording: boolean;
  readonly health: RecorderHealth;
  readonly waiting: number;
  readonly waitingBytes: number;
  readonly spilled: number;
  readonly recorded: number;
  readonly dropped: number;
  readonly failed: number;
  readonly lastError: string | null;
}

/** What a recorder is made with. */
export interface RecorderOptions {
  readonly storeOf: (owner: string) => Store;
  readonly now: () => number;
  readonly newId: () => string;
  readonly costOf: (provider: string, model: string, returned: Returned) => JsonObject | null;
  readonly recording: boolean;
  /** Where what does not fit into memory goes, and is found again after a restart; a temporary place if not given. */
  readonly spillFolder?: string | undefined;
  readonly memoryBytes?: number | undefined;
  readonly spillBytes?: number | undefined;
  /** How long a call waits for the one that it goes on from. */
  readonly patienceMs?: number | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
  /** The store takes calls again after it did not. */
  readonly onRecovered?: (() => void) | undefined;
}
