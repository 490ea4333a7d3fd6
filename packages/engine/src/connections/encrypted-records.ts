/** Encrypts the records of a shared server with AES-256-GCM. The secret is stored separately from the records. */
import { parseJson } from '@coppice/content';
import type { JsonObject } from '@coppice/core';
import { getTextMember, isJsonObject } from '@coppice/core/decode';
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from '#platform/crypto';
import { join, readEnvironment, rename } from '#platform/system';
import type { ConfigSource } from '../config/load.ts';
import { readPrivateFile, replaceFile, withFileLock } from '../locked-file.ts';
import { makeKeysError, type SecretRecords } from './contract.ts';

/** Gives access to the secret that encrypts records. */
export interface RecordSecret {
  /** The secrets that may have encrypted a record, the current one first. */
  all(): Promise<readonly string[]>;
  /** Runs work while the secret cannot be rotated, so that no record is encrypted with a removed secret. */
  whileUnchanged<T>(work: () => Promise<T>): Promise<T>;
}

const algorithm = 'aes-256-gcm';
const shortestSecret = 16;

/** Returns the path of the file with the secret: in the user's configuration folder, apart from the data folder. */
export function recordSecretPath({ env = readEnvironment(), home = '' }: ConfigSource = {}): string {
  const folder = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(home, '.config');
  return join(folder, 'coppice', 'secret');
}

/**
 * Opens the secret in `COPPICE_SECRET`, or in a file with mode 0600, which is created if it is missing. Throws if
 * `COPPICE_SECRET` is too short.
 */
export async function openRecordSecret(source: ConfigSource & { readonly home: string }): Promise<RecordSecret> {
  const { env = readEnvironment() } = source;
  const named = [env.COPPICE_SECRET, env.COPPICE_SECRET_OLD].flatMap((each) => each?.trim() || []);
  if (env.COPPICE_SECRET !== undefined) {
    if (named.some((each) => each.length < shortestSecret))
      throw makeKeysError('keys/invalid', `COPPICE_SECRET needs at least ${shortestSecret} characters.`);
    return { all: async () => named, whileUnchanged: (work) => work() };
  }
  const path = recordSecretPath(source);
  if ((await readSecret(path)) === null)
    await withFileLock(path, async () => {
      if ((await readSecret(path)) === null) await replaceFile(path, `${randomBytes(32).toString('base64url')}\n`);
    });
  return {
    async all() {
      // During a rotation, or after one that was interrupted, records may be encrypted with either secret.
      const found = [await readSecret(path), await readSecret(nextPath(path))].filter((each) => each !== null);
      if (found.length === 0) throw makeKeysError('keys/unreadable', `There is no secret at ${path}.`, { path });
      return found;
    },
    whileUnchanged: (work) => withFileLock(path, work),
  };
}

function nextPath(path: string): string {
  return `${path}.next`;
}

async function readSecret(path: string): Promise<string | null> {
  const text = await readPrivateFile(path, (code, cause) =>
    makeKeysError('keys/unreadable', `The secret at ${path} cannot be read (${code}).`, { path }, cause),
  );
  const secret = text?.trim() ?? null;
  if (secret === null || secret.length >= shortestSecret) return secret;
  throw makeKeysError('keys/unreadable', `${path} contains no secret of at least ${shortestSecret} characters.`, {
    path,
  });
}

/** Creates records that are encrypted before `inner` stores them. Each is bound to its id. */
export function createEncryptedSecretRecords(inner: SecretRecords, secret: RecordSecret): SecretRecords {
  return {
    place: 'encrypted',
    version: () => inner.version(),
    async load() {
      const secrets = await secret.all();
      const records = new Map<string, JsonObject>();
      for (const [id, sealed] of await inner.load()) records.set(id, openRecord(id, sealed, secrets));
      return records;
    },
    put: (id, record) =>
      secret.whileUnchanged(async () => inner.put(id, sealRecord(id, record, (await secret.all())[0] ?? ''))),
    remove: (id) => inner.remove(id),
    async rewrite(change) {
      const secrets = await secret.all();
      const under = secrets[0] ?? '';
      return inner.rewrite((id, sealed) => sealRecord(id, change(id, openRecord(id, sealed, secrets)), under));
    },
  };
}

/**
 * Encrypts all records with a new secret and returns their number. The secret in the file is replaced by a new random
 * one; if `COPPICE_SECRET` is set, it is the new secret and `COPPICE_SECRET_OLD` the previous one. An interrupted run
 * can be repeated.
 */
export async function reencryptSecretRecords(
  inner: SecretRecords,
  source: ConfigSource & { readonly home: string },
): Promise<number> {
  const secret = await openRecordSecret(source);
  if ((source.env ?? readEnvironment()).COPPICE_SECRET !== undefined)
    return createEncryptedSecretRecords(inner, secret).rewrite((_, record) => record);
  const path = recordSecretPath(source);
  return withFileLock(path, async () => {
    // Both secrets stay readable until every record is encrypted with the new one.
    const fresh = (await readSecret(nextPath(path))) ?? randomBytes(32).toString('base64url');
    await replaceFile(nextPath(path), `${fresh}\n`);
    const old = await secret.all();
    const count = await inner.rewrite((id, sealed) => sealRecord(id, openRecord(id, sealed, [fresh, ...old]), fresh));
    await rename(nextPath(path), path);
    return count;
  });
}

function keyFrom(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'coppice', 'records 1', 32));
}

function sealRecord(id: string, record: JsonObject, secret: string): JsonObject {
  const nonce = randomBytes(12);
  const cipher = createCipheriv(algorithm, keyFrom(secret), nonce).setAAD(Buffer.from(id));
  const data = Buffer.concat([cipher.update(JSON.stringify(record), 'utf8'), cipher.final()]);
  const encode = (bytes: Buffer) => bytes.toString('base64url');
  return { algorithm, nonce: encode(nonce), tag: encode(cipher.getAuthTag()), data: encode(data) };
}

function openRecord(id: string, sealed: JsonObject, secrets: readonly string[]): JsonObject {
  const bytes = (name: string) => Buffer.from(getTextMember(sealed, name) ?? '', 'base64url');
  for (const secret of secrets) {
    try {
      const decipher = createDecipheriv(algorithm, keyFrom(secret), bytes('nonce'), { authTagLength: 16 })
        .setAAD(Buffer.from(id))
        .setAuthTag(bytes('tag'));
      const text = Buffer.concat([decipher.update(bytes('data')), decipher.final()]).toString('utf8');
      const read = parseJson(text);
      if (read.ok && isJsonObject(read.value)) return read.value;
    } catch {
      // The record was encrypted with another secret, or was altered.
    }
  }
  throw makeKeysError(
    'keys/unreadable',
    'The keys of this server were encrypted under another secret. Start it with the COPPICE_SECRET or the secret file that they were entered under.',
    { id },
  );
}
