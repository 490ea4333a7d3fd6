/** The cryptography of the engine in a browser: only `randomUUID` works, because encrypted key files need Node. */
import type * as node from '../node/crypto.ts';
import { refuseInBrowser } from './refuse.ts';

function refuseKeys(): never {
  return refuseInBrowser('An encrypted key file');
}

export const createCipheriv: typeof node.createCipheriv = refuseKeys;
export const createDecipheriv: typeof node.createDecipheriv = refuseKeys;
export const hkdfSync: typeof node.hkdfSync = refuseKeys;
export const randomBytes: typeof node.randomBytes = refuseKeys;

export function randomUUID(): ReturnType<typeof node.randomUUID> {
  return crypto.randomUUID();
}
