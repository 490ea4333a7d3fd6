/** The messages between an import thread and its caller. */
import { AppError, type AppErrorInit, isAppError } from '@coppice/core';
import type { ImportIntoEvent, ImportIntoOptions } from '@coppice/engine/import';
import type { ThreadStore } from '../threads.ts';
import type { FileSource } from './file-source.ts';

/** The options of an import that can be sent to a thread. */
export type ImportSettings = Pick<ImportIntoOptions, 'actor' | 'format' | 'scope' | 'strict' | 'dryRun' | 'follow'>;

/** The job of an import thread. */
export interface ImportJob {
  /** The store. Its owner becomes the owner of the imported trees. */
  readonly store: ThreadStore;
  readonly files: readonly FileSource[];
  readonly settings: ImportSettings;
}

/** A serialised error, without its cause. */
export type ErrorMessage =
  | { readonly typed: AppErrorInit }
  | { readonly message: string; readonly stack: string | undefined };

/** Messages from the thread: it is ready, makes progress, has failed or has ended. */
export type ImportThreadMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'event'; readonly event: ImportIntoEvent }
  | { readonly type: 'failed'; readonly error: ErrorMessage }
  | { readonly type: 'over' };

/** The request to the thread to stop as soon as possible. */
export interface ImportThreadRequest {
  readonly type: 'cancel';
}

/** Serialises an error. */
export function toErrorMessage(error: unknown): ErrorMessage {
  if (isAppError(error)) {
    const { code, kind, message, retryable, data } = error;
    return { typed: { code, kind, message, retryable, data: JSON.parse(JSON.stringify(data)) } };
  }
  return error instanceof Error
    ? { message: error.message, stack: error.stack }
    : { message: String(error), stack: undefined };
}

/** Restores an error. */
export function fromErrorMessage(words: ErrorMessage): Error {
  if ('typed' in words) return new AppError(words.typed);
  const error = new Error(words.message);
  if (words.stack !== undefined) error.stack = words.stack;
  return error;
}
