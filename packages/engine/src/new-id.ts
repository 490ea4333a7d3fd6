import { randomUUID } from 'node:crypto';

/**
 * A fresh UUID of version 7: ids made later sort later, so that rows of one conversation lie together on disk. The
 * random half is that of a UUID of the platform, which draws for many at once: asking the system for each costs more than
 * all else about a line of a session.
 */
export function newId(now: number = Date.now()): string {
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Sixteen bytes in the usual spelling. */
export function toUuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
