import { randomUUID } from 'node:crypto';

// The random halves of ids to come. Drawn many at a time: asking for each costs more than all else about an id.
const ahead: string[] = [];
const drawn = 128;
let lastNow = -1;
let lastTime = '';

/** A fresh UUID of version 7: ids made later sort later, so that rows of one conversation lie together on disk. */
export function newId(now: number = Date.now()): string {
  if (ahead.length === 0) for (let count = 0; count < drawn; count++) ahead.push(randomUUID().slice(15));
  if (now !== lastNow) {
    const time = now.toString(16).padStart(12, '0');
    [lastNow, lastTime] = [now, `${time.slice(0, 8)}-${time.slice(8)}-7`];
  }
  return lastTime + ahead.pop();
}

/** Sixteen bytes in the usual spelling. */
export function toUuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
