/** What the thread that passes calls on and the one that records them say to each other. */
import { AppError, type AppErrorInit, isAppError } from '@coppice/core';
import type { Recorded } from './record.ts';
import type { CallSummary, Priced } from './recorder-contract.ts';
import type { CallDigest, GivenCall } from './waiting-call.ts';

/** One thing to do with a call. What the thread has read of it already is not sent again. */
export type RecordingTask =
  | { readonly verb: 'outline' | 'keys' | 'placeAhead' | 'heading'; readonly call: GivenCall }
  | { readonly verb: 'record'; readonly call: GivenCall; readonly priced: Priced };

/** What the thread is told. */
export type ToThread =
  | { readonly ask: number; readonly task: RecordingTask }
  | { readonly forget: number }
  | { readonly close: true };

/** What came of a task: the field of its verb. */
export interface TaskDone {
  readonly outline?: CallDigest | null;
  readonly keys?: readonly string[];
  readonly heading?: CallSummary | null;
  readonly recorded?: Recorded | null;
}

/** What the thread says: that it is there, and what came of what it was asked. */
export type FromThread =
  | { readonly ready: true }
  | { readonly ask: number; readonly done: TaskDone }
  | { readonly ask: number; readonly refused: AppErrorInit };

/** An error in words that can be sent: its class and what it holds beside its data do not outlive the way. */
export function serialiseError(error: unknown): AppErrorInit {
  if (isAppError(error)) {
    const { code, kind, message, retryable } = error;
    return { code, kind, message, retryable, data: JSON.parse(JSON.stringify(error.data)) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'proxy/failed', kind: 'internal', message };
}

/** The error that the words stand for. */
export function deserialiseError(words: AppErrorInit): AppError {
  return new AppError(words);
}
