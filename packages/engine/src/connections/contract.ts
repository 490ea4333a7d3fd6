/** What a user sets on the page or with `coppice keys`: the storage of keys and related settings. */
import type { ErrorKind, JsonObject } from '@coppice/core';
import { AppError } from '@coppice/core';

/**
 * Durable records with secrets. Nothing else stores keys. If they cannot be read, `keys/unreadable` is thrown, and
 * they are never overwritten.
 */
export interface SecretRecords {
  /** The kind of storage, for display. */
  readonly place: 'file' | 'encrypted' | 'memory';
  /** Changes with every change, also by another process; cheap to read. */
  version(): Promise<string>;
  load(): Promise<ReadonlyMap<string, JsonObject>>;
  /** Adds a record or replaces it; durable when it resolves. */
  put(id: string, record: JsonObject): Promise<void>;
  /** Returns whether it existed. */
  remove(id: string): Promise<boolean>;
  /** Replaces all records in one step. */
  replaceAll(records: ReadonlyMap<string, JsonObject>): Promise<void>;
}

/** All error codes of key storage, and their kinds. */
export const keysErrorKinds = {
  'keys/unreadable': 'refused',
  'keys/configured': 'conflict',
  'keys/unknown': 'not-found',
  'keys/address': 'refused',
  'keys/needed': 'invalid',
  'keys/invalid': 'invalid',
} as const satisfies Record<string, ErrorKind>;

/** Creates an error with one of these codes. The message must not contain a key. */
export function keysError(
  code: keyof typeof keysErrorKinds,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): AppError {
  return new AppError({ code, kind: keysErrorKinds[code], message, data, cause });
}

/** Records in memory, for tests and for stores that have none. */
export function memoryRecords(): SecretRecords {
  const records = new Map<string, JsonObject>();
  let changes = 0;
  return {
    place: 'memory',
    version: async () => String(changes),
    load: async () => new Map(records),
    async put(id, record) {
      records.set(id, record);
      changes++;
    },
    async remove(id) {
      const was = records.delete(id);
      if (was) changes++;
      return was;
    },
    async replaceAll(next) {
      records.clear();
      for (const [id, record] of next) records.set(id, record);
      changes++;
    },
  };
}
