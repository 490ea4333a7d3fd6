/** The messages between the proxy's thread and the recording thread. */
import type { SerialisedError } from '../serialise-error.ts';
import type { RecordedNodes } from './record.ts';
import type { CallPrice, CallSummary } from './recorder-contract.ts';
import type { CallDigest, CallToRecord } from './waiting-call.ts';

/** A task for one call. Data that the worker has already parsed is not sent again. */
export type RecordingTask =
  | { readonly verb: 'digest' | 'keys' | 'recordHistory' | 'summary'; readonly call: CallToRecord }
  | { readonly verb: 'record'; readonly call: CallToRecord; readonly priced: CallPrice };

/** A message to the recording thread. */
export type RecordingWorkerRequest =
  | { readonly ask: number; readonly task: RecordingTask }
  | { readonly forget: number }
  | { readonly close: true };

/** The result of a task. Each kind of task has its own field; the others are missing. */
export interface RecordingTaskResult {
  readonly digest?: CallDigest | null;
  readonly keys?: readonly string[];
  readonly summary?: CallSummary | null;
  readonly recorded?: RecordedNodes | null;
}

/** A message from the recording thread: it is ready, or a task has finished or failed. */
export type RecordingWorkerMessage =
  | { readonly ready: true }
  | { readonly ask: number; readonly done: RecordingTaskResult }
  | { readonly ask: number; readonly refused: SerialisedError };
