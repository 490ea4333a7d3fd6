/** The hashes and random values that the server uses, in a browser. */
import { sha256Hex, toBase64 } from '@coppice/content';
import type { IncrementalHash } from '../node/crypto.ts';

export type { IncrementalHash };

function encode(bytes: Uint8Array, encoding: 'hex' | 'base64url'): string {
  if (encoding === 'hex') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export function sha256(content: string | Uint8Array, encoding: 'hex' | 'base64url'): string {
  const hex = sha256Hex(content);
  if (encoding === 'hex') return hex;
  const bytes = Uint8Array.from({ length: 32 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16));
  return encode(bytes, encoding);
}

export function createIncrementalHash(): IncrementalHash {
  let whole = '';
  return {
    update(text) {
      whole += text;
    },
    read: () => sha256Hex(whole),
  };
}

export function randomText(bytes: number, encoding: 'hex' | 'base64url'): string {
  return encode(crypto.getRandomValues(new Uint8Array(bytes)), encoding);
}

export function timingSafeEqualBytes(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.byteLength ^ other.byteLength;
  for (const [at, byte] of one.entries()) difference |= byte ^ (other[at] ?? 0);
  return difference === 0;
}
