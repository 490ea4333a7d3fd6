/** Manages the token of a single-user server. It is created once and stored, so that a restart signs no browser out. */
import { randomBytes } from '#platform/crypto';
import { dirname, join } from '#platform/system';
import { type ConfigSource, configPath } from '../config/load.ts';
import { readFileStamp, readPrivateFile, replaceFile, withFileLock } from '../locked-file.ts';
import { makeKeysError } from './contract.ts';

/** Returns the path of the token file, in the folder of the configuration file. */
export function localTokenPath(source: ConfigSource = {}): string {
  return join(dirname(configPath(source).path), 'token');
}

/** The sign-in token of a running server, which other processes may replace. */
export interface LocalToken {
  readonly current: string;
  /** Reads the file again if it changed: another process may have created a new token. */
  sync(): Promise<void>;
  /** Creates a new token; the old one becomes invalid. */
  renew(): Promise<string>;
}

/** Opens the token file, and creates it with mode 0600 if it is missing. */
export async function openLocalToken(path: string): Promise<LocalToken> {
  let current = (await readToken(path)) ?? (await withFileLock(path, () => readOrCreateToken(path)));
  let seen = await readFileStamp(path);
  return {
    get current() {
      return current;
    },
    async sync() {
      const now = await readFileStamp(path);
      if (now === seen) return;
      seen = now;
      // If the file is missing or corrupt, the current token stays valid until the next start, which reports the error.
      current = (await readToken(path).catch(() => null)) ?? current;
    },
    async renew() {
      current = await renewLocalToken(path);
      seen = await readFileStamp(path);
      return current;
    },
  };
}

/** Replaces the token, even if the file is unreadable. Running servers accept the new token within seconds. */
export function renewLocalToken(path: string): Promise<string> {
  return withFileLock(path, async () => {
    const token = makeToken();
    await replaceFile(path, `${token}\n`);
    return token;
  });
}

function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Returns the stored token, or stores a new one. Runs under the file lock, so two servers that start at once get the
 * same token.
 */
async function readOrCreateToken(path: string): Promise<string> {
  const there = await readToken(path);
  if (there !== null) return there;
  const token = makeToken();
  await replaceFile(path, `${token}\n`);
  return token;
}

async function readToken(path: string): Promise<string | null> {
  const text = await readPrivateFile(path, (code, cause) =>
    makeKeysError('keys/unreadable', `The token in ${path} cannot be read (${code}).`, { path }, cause),
  );
  if (text === null) return null;
  const token = text.trim();
  if (/^[\x21-\x7e]{32,512}$/.test(token)) return token;
  throw makeKeysError('keys/unreadable', `${path} contains no token. Create one with coppice token --new.`, { path });
}
