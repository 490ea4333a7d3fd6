/** The messages between the proxy's thread and the recording thread. */
import { AppError, type AppErrorInit, isAppError } from '@coppice/core';
import type { RecordedNodes } from './record.ts';
import type { CallPrice, CallSummary } from './recorder-contract.ts';
import type { BackendCall, CallDigest } from './waiting-call.ts';

/** One task for a call. Data that the thread has already parsed is not sent again. */
export type RecordingTask =
  | { readonly verb: 'outline' | 'keys' | 'placeAhead' | 'heading'; readonly call: BackendCall }
  | { readonly verb: 'record'; readonly call: BackendCall; readonly priced: CallPrice };

/** Messages to the thread. */
export type RecordingThreadRequest =
  | { readonly ask: number; readonly task: RecordingTask }
  | { readonly forget: number }
  | { readonly close: true };

/** The result of a task, in the field of its verb. */
export interface RecordingTaskResult {
  readonly outline?: CallDigest | null;
  readonly keys?: readonly string[];
  readonly heading?: CallSummary | null;
  readonly recorded?: RecordedNodes | null;
}

/** Messages from the thread: that it is ready, and results. */
export type RecordingThreadMessage =
  | { readonly ready: true }
  | { readonly ask: number; readonly done: RecordingTaskResult }
  | { readonly ask: number; readonly refused: AppErrorInit };

/** Serialises an error. Its class and other fields would be lost between threads. */
export function serialiseError(error: unknown): AppErrorInit {
  if (isAppError(error)) {
    const { code, kind, message, retryable } = error;
    return { code, kind, message, retryable, data: JSON.parse(JSON.stringify(error.data)) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'proxy/failed', kind: 'internal', message };
}

/** Restores an error. */
export function deserialiseError(words: AppErrorInit): AppError {
  return new AppError(words);
}
