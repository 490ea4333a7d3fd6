/** The messages between the proxy's thread and the recording thread. */
import type { SerialisedError } from '../serialise-error.ts';
import type { RecordedNodes } from './record.ts';
import type { CallPrice, CallSummary } from './recorder-contract.ts';
import type { BackendCall, CallDigest } from './waiting-call.ts';

/** One task for a call. Data that the thread has already parsed is not sent again. */
export type RecordingTask =
  | { readonly verb: 'digest' | 'keys' | 'recordHistory' | 'summary'; readonly call: BackendCall }
  | { readonly verb: 'record'; readonly call: BackendCall; readonly priced: CallPrice };

/** Messages to the thread. */
export type RecordingThreadRequest =
  | { readonly ask: number; readonly task: RecordingTask }
  | { readonly forget: number }
  | { readonly close: true };

/** The result of a task, in the field of its verb. */
export interface RecordingTaskResult {
  readonly digest?: CallDigest | null;
  readonly keys?: readonly string[];
  readonly summary?: CallSummary | null;
  readonly recorded?: RecordedNodes | null;
}

/** Messages from the thread: that it is ready, and results. */
export type RecordingThreadMessage =
  | { readonly ready: true }
  | { readonly ask: number; readonly done: RecordingTaskResult }
  | { readonly ask: number; readonly refused: SerialisedError };
