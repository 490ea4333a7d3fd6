/** The options and the state of a recorder. */
import type { JsonObject, Store } from '@coppice/core';
import type { ThreadStore } from '../threads.ts';
import type { FailedCall } from './failed-calls.ts';
import type { RecordedNodes } from './record.ts';
import type { BackendCall, CallDigest, CapturedResponse } from './waiting-call.ts';

/** The data of a call that is known before it is written, for display and for its cost. */
export interface CallSummary {
  readonly model: string;
  readonly usage: JsonObject | null;
}

/** The cost of a call by the price list. */
export interface CallPrice {
  readonly cost: JsonObject | null;
}

/**
 * Parses and writes calls. Each call is identified by its number, and its parsed form is kept until `forget` is called.
 */
export interface RecordingBackend {
  /** Whether the backend works on another thread, so that recording need not be throttled. */
  readonly usesOtherThread: boolean;
  /** The digest of a call; null if nothing in the call can be recorded. */
  digest(call: BackendCall): Promise<CallDigest | null>;
  /** The equality keys of the messages in a call's history. */
  keys(call: BackendCall): Promise<readonly string[]>;
  /** Adds the history of a call to the tree before its answer is complete. */
  recordHistory(call: BackendCall): Promise<void>;
  /** The summary of a call; null if nothing in the call can be recorded. */
  summary(call: BackendCall): Promise<CallSummary | null>;
  /** Writes a call. A retry after a failure adds nothing twice. */
  record(call: BackendCall, priced: CallPrice): Promise<RecordedNodes | null>;
  forget(number: number): void;
  /** Releases the resources. Later requests are refused as unavailable. */
  close(): Promise<void>;
}

/** The place of a call in the queue, reserved when its request arrives. */
export interface CaptureHandle {
  /** Whether so many more bytes of the answer may be kept. */
  keep(bytes: number): boolean;
  /** Releases so many kept bytes. */
  releaseBytes(bytes: number): void;
  /** Marks the call as complete, so that it can be recorded. */
  finish(call: CapturedResponse): void;
  /** Releases the place. The call is not recorded. */
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
  /** The number of new nodes. The rest of the history already existed. */
  readonly nodes: number;
}

/**
 * The state of the recorder: recording, paused, `behind` with calls in files, or `failing` because the store refuses
 * writes or a lost call is not acknowledged.
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
  /** The folder for calls beyond the memory limit, which a later process finds there. By default a temporary folder. */
  readonly spillFolder?: string | undefined;
  readonly memoryBytes?: number | undefined;
  readonly spillBytes?: number | undefined;
  /** The largest part of one answer that is kept. A longer answer is still forwarded completely. */
  readonly answerBytes?: number | undefined;
  /** The time that a call waits for the call that it continues. */
  readonly reorderTimeoutMs?: number | undefined;
  /** The URL with which a worker thread opens the store; without it calls are written on this thread. */
  readonly threadStore?: ThreadStore | undefined;
  /** Called if no thread could be started. Calls are then written on this thread. */
  readonly onNoThread?: ((error: unknown) => void) | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Called for each call that was given up. */
  readonly onFailed?: ((call: FailedCall, error: unknown) => void) | undefined;
  /** Called when the store accepts calls again. */
  readonly onRecovered?: (() => void) | undefined;
}

/** A call in progress. */
export interface RunningCall {
  readonly project: string;
  /** The session that a header names; null if no header does. */
  readonly session: string | null;
}
