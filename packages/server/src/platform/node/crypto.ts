/** The hashes and random values of Node that the server uses. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A SHA-256 that grows with each text. */
export interface IncrementalHash {
  update(text: string): unknown;
  /** Returns the hash of all texts so far, in hex. */
  read(): string;
}

/** Returns the SHA-256 of a text in UTF-8, or of bytes. */
export function sha256(content: string | Uint8Array, encoding: 'hex' | 'base64url'): string {
  return createHash('sha256').update(content).digest(encoding);
}

/** Creates a SHA-256 that can be read several times. */
export function createIncrementalHash(): IncrementalHash {
  const hash = createHash('sha256');
  return { update: (text) => hash.update(text), read: () => hash.copy().digest('hex') };
}

/** Returns random bytes as text. */
export function randomText(bytes: number, encoding: 'hex' | 'base64url'): string {
  return randomBytes(bytes).toString(encoding);
}

/** Compares bytes of the same length in constant time. */
export function timingSafeEqualBytes(one: Uint8Array, other: Uint8Array): boolean {
  return timingSafeEqual(one, other);
}
