/** The options and the state of a recorder. */
import type { JsonObject, Store } from '@coppice/core';
import type { WorkerStoreAddress } from '../threads.ts';
import type { FailedCall } from './failed-calls.ts';
import type { RecordedNodes } from './record.ts';
import type { CallDigest, CallToRecord, CapturedResponse } from './waiting-call.ts';

/** The model and the usage of a call, which are known before the call is recorded. */
export interface CallSummary {
  readonly model: string;
  readonly usage: JsonObject | null;
}

/** The cost of a call by the price list. */
export interface CallPrice {
  readonly cost: JsonObject | null;
}

/** Parses and records calls. A call is identified by its number. The backend keeps its parsed form until `forget`. */
export interface RecordingBackend {
  /** Whether the backend uses another thread. Recording on the proxy's own thread has to be throttled. */
  readonly usesOtherThread: boolean;
  /** Returns the digest of a call; null if nothing in the call can be recorded. */
  digest(call: CallToRecord): Promise<CallDigest | null>;
  /** Returns the equality keys of the messages in a call's history. */
  keys(call: CallToRecord): Promise<readonly string[]>;
  /** Adds the history of a call to its tree before its answer is complete. */
  recordHistory(call: CallToRecord): Promise<void>;
  /** Returns the summary of a call; null if nothing in the call can be recorded. */
  summary(call: CallToRecord): Promise<CallSummary | null>;
  /** Records a call. A retry after a failure adds no duplicates. */
  record(call: CallToRecord, priced: CallPrice): Promise<RecordedNodes | null>;
  forget(number: number): void;
  /** Stops the backend. Later tasks are refused as unavailable. */
  close(): Promise<void>;
}

/** The handle of a call in the queue, from the arrival of its request until the call is complete. */
export interface CaptureHandle {
  /** Reserves memory for more bytes of the answer. Returns false if they must not be kept. */
  keep(bytes: number): boolean;
  /** Releases reserved bytes. */
  releaseBytes(bytes: number): void;
  /** Marks the call as complete, so that it can be recorded. */
  finish(call: CapturedResponse): void;
  /** Removes the call from the queue without recording it. */
  cancel(): void;
}

/** A call that was recorded, as the page lists it. */
export interface RecordedCall {
  /** The owner. Other users cannot see the call. */
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
 * How recording works at the moment. `behind`: calls wait in files. `failing`: the store refuses writes, or a failed
 * call is not acknowledged.
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
  /** The number of calls that could not be recorded and are not acknowledged, including those of earlier processes. */
  readonly unacknowledged: number;
  readonly lastError: string | null;
}

/** The store, the limits and the callbacks of a recorder. */
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
  /** How long a call waits for the call that it continues, in milliseconds. */
  readonly reorderTimeoutMs?: number | undefined;
  /** The URL and owner with which a worker thread opens the store; without them calls are written on this thread. */
  readonly threadStore?: WorkerStoreAddress | undefined;
  /** Called if no thread could be started. Calls are then written on this thread. */
  readonly onNoThread?: ((error: unknown) => void) | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Called for each call that could not be recorded. */
  readonly onFailed?: ((call: FailedCall, error: unknown) => void) | undefined;
  /** Called when the store accepts calls again. */
  readonly onRecovered?: (() => void) | undefined;
}

/** A call whose response is still arriving. */
export interface RunningCall {
  readonly project: string;
  /** The session that a header names; null if no header does. */
  readonly session: string | null;
}
