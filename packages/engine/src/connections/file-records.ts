/** The key storage of a single user: `keys.json` next to the configuration, readable only by its owner. */
import { parseJson } from '@coppice/content';
import type { JsonObject } from '@coppice/core';
import { isJsonObject } from '@coppice/core/decode';
import { dirname, join } from '#platform/system';
import { type ConfigSource, configPath } from '../config/load.ts';
import { readFileStamp, readPrivateFile, replaceFile, withFileLock } from '../locked-file.ts';
import { makeKeysError, type SecretRecords } from './contract.ts';

/** Returns the path of the key file, in the folder of the configuration file. */
export function keysFilePath(source: ConfigSource = {}): string {
  return join(dirname(configPath(source).path), 'keys.json');
}

/**
 * Returns the path of the key file of a shared server, in the folder of the configuration file. Its records are
 * encrypted.
 */
export function sharedKeysFilePath(source: ConfigSource = {}): string {
  return join(dirname(configPath(source).path), 'shared-keys.json');
}

/** Creates records in a file with mode 0600. Each change reads the file and replaces it, under a lock. */
export function createFileSecretRecords(path: string): SecretRecords {
  const change = <T>(edit: (records: Map<string, JsonObject>) => T): Promise<T> =>
    withFileLock(path, async () => {
      const records = new Map(await readRecords(path));
      const result = edit(records);
      const text = JSON.stringify({ version: 1, records: Object.fromEntries(records) }, null, 2);
      await replaceFile(path, `${text}\n`);
      return result;
    });
  return {
    place: 'file',
    // Empty if the file is missing or cannot be read, which `load` will report.
    version: () => readFileStamp(path),
    load: () => readRecords(path),
    put: (id, record) => change((records) => void records.set(id, record)),
    remove: (id) => change((records) => records.delete(id)),
    rewrite: (seal) =>
      change((records) => {
        for (const [id, record] of records) records.set(id, seal(id, record));
        return records.size;
      }),
  };
}

async function readRecords(path: string): Promise<ReadonlyMap<string, JsonObject>> {
  const text = await readPrivateFile(path, (code, cause) => unreadableKeys(path, code, cause));
  if (text === null) return new Map();
  const read = parseJson(text);
  if (!read.ok) throw unreadableKeys(path, 'it is not JSON');
  const top = read.value;
  if (!isJsonObject(top) || top.version !== 1 || !isJsonObject(top.records))
    throw unreadableKeys(path, 'it has another form');
  const records = new Map<string, JsonObject>();
  for (const [id, record] of Object.entries(top.records)) {
    if (!isJsonObject(record)) throw unreadableKeys(path, `the record ${id} is not an object`);
    records.set(id, record);
  }
  return records;
}

function unreadableKeys(path: string, why: string, cause?: unknown): Error {
  return makeKeysError(
    'keys/unreadable',
    `The keys in ${path} cannot be read (${why}). Repair the file, or remove it and enter the keys again.`,
    { path },
    cause,
  );
}
