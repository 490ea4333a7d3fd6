/** What the thread of an import and the one that asked for it say to each other. */
import { AppError, type AppErrorInit, isAppError } from '@coppice/core';
import type { ImportIntoEvent, ImportIntoOptions } from '@coppice/engine/import';
import type { ThreadStore } from '../threads.ts';
import type { FileSource } from './file-source.ts';

/** The options of an import that can be sent. */
export type ImportSettings = Pick<ImportIntoOptions, 'actor' | 'format' | 'scope' | 'strict' | 'dryRun'>;

/** What a thread is to import. */
export interface ImportJob {
  /** Its owner is the one whom the trees are for. */
  readonly store: ThreadStore;
  readonly files: readonly FileSource[];
  readonly settings: ImportSettings;
}

/** An error in words that can be sent; its cause does not outlive the way. */
export type ErrorMessage =
  | { readonly typed: AppErrorInit }
  | { readonly message: string; readonly stack: string | undefined };

/** What the thread says: that it is there, how it goes, and that it is through. */
export type FromImport =
  | { readonly type: 'ready' }
  | { readonly type: 'event'; readonly event: ImportIntoEvent }
  | { readonly type: 'failed'; readonly error: ErrorMessage }
  | { readonly type: 'over' };

/** What the thread is told: to stop where it can. */
export interface ToImport {
  readonly type: 'cancel';
}

/** An error in words. */
export function errorToMessage(error: unknown): ErrorMessage {
  if (isAppError(error)) {
    const { code, kind, message, retryable, data } = error;
    return { typed: { code, kind, message, retryable, data: JSON.parse(JSON.stringify(data)) } };
  }
  return error instanceof Error
    ? { message: error.message, stack: error.stack }
    : { message: String(error), stack: undefined };
}

/** The error that the words stand for. */
export function errorFromMessage(words: ErrorMessage): Error {
  if ('typed' in words) return new AppError(words.typed);
  const error = new Error(words.message);
  if (words.stack !== undefined) error.stack = words.stack;
  return error;
}
