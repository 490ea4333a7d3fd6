/** The messages between an import thread and its caller. */
import type { ImportIntoEvent, ImportIntoOptions } from '@coppice/engine/import';
import type { SerialisedError } from '../serialise-error.ts';
import type { WorkerStoreAddress } from '../threads.ts';
import type { FileSource } from './file-source.ts';

/** The options of an import that can be sent to a thread. */
export type ImportSettings = Pick<ImportIntoOptions, 'actor' | 'format' | 'scope' | 'strict' | 'dryRun' | 'follow'>;

/** What an import thread imports, and into which store. */
export interface ImportJob {
  /** The store. Its owner becomes the owner of the imported trees. */
  readonly store: WorkerStoreAddress;
  readonly files: readonly FileSource[];
  readonly settings: ImportSettings;
}

/** A message from the thread: it is ready, has made progress, has failed or has ended. */
export type ImportWorkerMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'event'; readonly event: ImportIntoEvent }
  | { readonly type: 'failed'; readonly error: SerialisedError }
  | { readonly type: 'over' };

/** The message that asks the thread to stop as soon as possible. */
export interface ImportWorkerRequest {
  readonly type: 'cancel';
}
