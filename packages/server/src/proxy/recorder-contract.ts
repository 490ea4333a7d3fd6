/** What a recorder is made with, and what it tells. */
import type { JsonObject, Store } from '@coppice/core';
import type { ThreadStore } from '../threads.ts';
import type { FailedCall } from './failed-calls.ts';
import type { Recorded } from './record.ts';
import type { CallDigest, CallTaken, GivenCall } from './waiting-call.ts';

/** What is told of a call before it is written: enough to show it and to say what it cost. */
export interface CallSummary {
  readonly model: string;
  readonly usage: JsonObject | null;
}

/** What whoever knows the prices adds. */
export interface Priced {
  readonly cost: JsonObject | null;
}

/** Whoever reads and writes calls. Each call is named by its number, and what was read of it is kept until it is forgotten. */
export interface RecordingBackend {
  /** Whether it works on another thread, so that nobody has to step back for it. */
  readonly aside: boolean;
  /** Null where nothing in the call can be recorded. */
  outline(call: GivenCall): Promise<CallDigest | null>;
  /** By which the messages of its history are the same as others. */
  keys(call: GivenCall): Promise<readonly string[]>;
  /** Puts its history into the tree before its answer is there. */
  placeAhead(call: GivenCall): Promise<void>;
  /** Null where nothing in the call can be recorded. */
  heading(call: GivenCall): Promise<CallSummary | null>;
  /** Writes it. Doing it again after a failure adds nothing twice. */
  record(call: GivenCall, priced: Priced): Promise<Recorded | null>;
  forget(number: number): void;
  /** Ends what it holds. What it is still asked after that is refused as unavailable. */
  close(): Promise<void>;
}

/** A place in the line, taken when the request came. */
export interface CaptureHandle {
  /** Whether so many more bytes of the answer may be kept until it is through. */
  keep(bytes: number): boolean;
  /** So many of those that are kept are not needed any more. */
  giveBack(bytes: number): void;
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

/**
 * How the recorder is, in one word: as it should be, told not to, with calls in files, or with a store that refuses or a
 * call that was lost and that nobody has acknowledged.
 */
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
  /** Calls that could not be recorded, also in earlier processes, and that nobody has acknowledged. */
  readonly unacknowledged: number;
  readonly lastError: string | null;
}

/** What a recorder is made with. */
export interface RecorderOptions {
  readonly storeOf: (owner: string) => Store;
  readonly now: () => number;
  readonly newId: () => string;
  readonly costOf: (provider: string, model: string, usage: JsonObject) => JsonObject | null;
  readonly recording: boolean;
  /** Where what does not fit into memory goes, and is found again after a restart; a temporary place if not given. */
  readonly spillFolder?: string | undefined;
  readonly memoryBytes?: number | undefined;
  readonly spillBytes?: number | undefined;
  /** How much of one answer is kept; a longer one is passed on all the same. */
  readonly answerBytes?: number | undefined;
  /** How long a call waits for the one that it goes on from. */
  readonly patienceMs?: number | undefined;
  /** The URL by which a thread of its own opens the store; without it calls are written on this one. */
  readonly threadStore?: ThreadStore | undefined;
  /** No thread could be started: calls are written on this one. */
  readonly onNoThread?: ((error: unknown) => void) | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
  /** A call was given up; told for each of them. */
  readonly onFailed?: ((call: FailedCall, error: unknown) => void) | undefined;
  /** The store takes calls again after it did not. */
  readonly onRecovered?: (() => void) | undefined;
}
