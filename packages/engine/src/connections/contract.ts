/** The storage contract for keys and settings that a user enters on the page or with `coppice keys`. */
import type { ErrorKind, JsonObject, SealedRecords } from '@coppice/core';
import { AppError } from '@coppice/core';

/**
 * Durable records with secrets. Keys are stored nowhere else. Throws `keys/unreadable` if the records cannot be read;
 * unreadable records are never overwritten.
 */
export interface SecretRecords {
  /** Where the records are stored, for display. */
  readonly place: 'file' | 'encrypted' | 'memory';
  /** Returns a text that differs after every change, even one by another process. Cheap enough to poll. */
  version(): Promise<string>;
  load(): Promise<ReadonlyMap<string, JsonObject>>;
  /** Adds a record or replaces it. The record is durable when the promise resolves. */
  put(id: string, record: JsonObject): Promise<void>;
  /** Removes a record; returns whether it existed. */
  remove(id: string): Promise<boolean>;
  /** Replaces each record by the result of `seal`, all in one write. Returns the number of records. */
  rewrite(seal: (id: string, record: JsonObject) => JsonObject): Promise<number>;
}

/** The error codes of key storage. The kind decides HTTP status and exit code. */
export const keysErrorKinds = {
  'keys/unreadable': 'refused',
  'keys/configured': 'conflict',
  'keys/unknown': 'not-found',
  'keys/address': 'refused',
  'keys/needed': 'invalid',
  'keys/invalid': 'invalid',
} as const satisfies Record<string, ErrorKind>;

/** Builds an AppError of key storage. The message must not contain a key. */
export function makeKeysError(
  code: keyof typeof keysErrorKinds,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): AppError {
  return new AppError({ code, kind: keysErrorKinds[code], message, data, cause });
}

/**
 * Wraps the records of a store, which all its servers share. `createEncryptedSecretRecords` encrypts them before they
 * get here.
 */
export function createStoreSecretRecords(sealed: SealedRecords): SecretRecords {
  return { place: 'encrypted', ...sealed };
}

/** Creates records in memory, for tests and for stores without record storage. */
export function createMemorySecretRecords(): SecretRecords {
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
    async rewrite(seal) {
      for (const [id, record] of records) records.set(id, seal(id, record));
      changes++;
      return records.size;
    },
  };
}
