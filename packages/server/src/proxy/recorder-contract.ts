/** The options and the state of a recorder. */
import type { JsonObject, Store } from '@coppice/core';
import type { ThreadStore } from '../threads.ts';
import type { FailedCall } from './failed-calls.ts';
import type { RecordedNodes } from './record.ts';
import type { BackendCall, CallDigest, CapturedResponse } from './waiting-call.ts';

/** What is known about a call before it is written: enough to show it and to compute its cost. */
export interface CallSummary {
  readonly model: string;
  readonly usage: JsonObject | null;
}

/** Added from the price list. */
export interface CallPrice {
  readonly cost: JsonObject | null;
}

/**
 * Parses and writes calls. Each call is identified by its number, and its parsed form is kept until it is forgotten.
 */
export interface RecordingBackend {
  /** Whether it works on another thread, so that recording need not be throttled. */
  readonly aside: boolean;
  /** Null if nothing in the call can be recorded. */
  outline(call: BackendCall): Promise<CallDigest | null>;
  /** The equality keys of the messages in its history. */
  keys(call: BackendCall): Promise<readonly string[]>;
  /** Adds its history to the tree before its answer is complete. */
  placeAhead(call: BackendCall): Promise<void>;
  /** Null if nothing in the call can be recorded. */
  heading(call: BackendCall): Promise<CallSummary | null>;
  /** Writes it. Retrying after a failure adds nothing twice. */
  record(call: BackendCall, priced: CallPrice): Promise<RecordedNodes | null>;
  forget(number: number): void;
  /** Releases its resources. Later requests are refused as unavailable. */
  close(): Promise<void>;
}

/** A place in the queue, taken when the request arrived. */
export interface CaptureHandle {
  /** Whether so many more bytes of the answer may be kept. */
  keep(bytes: number): boolean;
  /** Releases so many kept bytes. */
  giveBack(bytes: number): void;
  /** The call is complete and can be recorded. */
  finish(call: CapturedResponse): void;
  /** Nothing is to be recorded. */
  cancel(): void;
}

/** One of the last recorded calls. */
export interface RecordedCall {
  /** The owner; other users cannot see it. */
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
  /** New nodes; the rest of the history existed. */
  readonly nodes: number;
}

/**
 * The state of the recorder: recording, paused, `behind` with calls in files, or `failing` because the store refuses
 * or a lost call was not acknowledged.
 */
export type RecorderHealth = 'recording' | 'paused' | 'behind' | 'failing';

export interface RecorderState {
  readonly recording: boolean;
  readonly health: RecorderHealth;
  readonly waiting: number;
  readonly waitingBytes: number;
  readonly spilled: number;
  readonly recorded: number;
  readonly dropped: number;
  readonly failed: number;
  /** Unacknowledged calls that could not be recorded, including those of earlier processes. */
  readonly unacknowledged: number;
  readonly lastError: string | null;
}

/** The options of a recorder. */
export interface RecorderOptions {
  readonly storeOf: (owner: string) => Store;
  readonly now: () => number;
  readonly newId: () => string;
  readonly costOf: (provider: string, model: string, usage: JsonObject) => JsonObject | null;
  readonly recording: boolean;
  /**
   * The folder for calls beyond the memory limit, which are found again after a restart; by default a temporary one.
   */
  readonly spillFolder?: string | undefined;
  readonly memoryBytes?: number | undefined;
  readonly spillBytes?: number | undefined;
  /** How much of one answer is kept; a longer one is still forwarded completely. */
  readonly answerBytes?: number | undefined;
  /** How long a call waits for the one that it continues. */
  readonly reorderTimeoutMs?: number | undefined;
  /** The URL with which a worker thread opens the store; without it calls are written on this thread. */
  readonly threadStore?: ThreadStore | undefined;
  /** Called if no thread could be started; calls are written on this one. */
  readonly onNoThread?: ((error: unknown) => void) | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Called for each call that was given up. */
  readonly onFailed?: ((call: FailedCall, error: unknown) => void) | undefined;
  /** Called when the store accepts calls again. */
  readonly onRecovered?: (() => void) | undefined;
}

/** A call that is under way. */
export interface RunningCall {
  readonly project: string;
  /** The session that a header names; null if none does. */
  readonly session: string | null;
}
