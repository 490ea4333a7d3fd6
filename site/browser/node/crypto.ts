/** Implements the hashes and random bytes of Node that the server's code uses. */
import { sha256Hex } from '@coppice/content';
import { ByteBuffer } from './buffer.ts';

interface Hash {
  update(part: string | Uint8Array): Hash;
  digest(encoding?: string): string | ByteBuffer;
}

/** Creates a SHA-256 hash, the only one that the server uses. */
export function createHash(name: string): Hash {
  if (name !== 'sha256') throw new Error(`The demo has no hash ${name}.`);
  const parts: Uint8Array[] = [];
  return {
    update(part) {
      parts.push(typeof part === 'string' ? ByteBuffer.from(part) : part);
      return this;
    },
    digest(encoding) {
      const bytes = ByteBuffer.from(sha256Hex(ByteBuffer.concat(parts)), 'hex');
      return encoding === undefined ? bytes : bytes.toString(encoding);
    },
  };
}

export function randomBytes(size: number): ByteBuffer {
  return ByteBuffer.from(crypto.getRandomValues(new Uint8Array(size)));
}

export function randomUUID(): string {
  return crypto.randomUUID();
}

export function timingSafeEqual(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.byteLength ^ right.byteLength;
  for (const [at, byte] of left.entries()) difference |= byte ^ (right[at] ?? 0);
  return difference === 0;
}
