import { randomFillSync } from 'node:crypto';

/** A fresh UUID of version 7: ids made later sort later, so that rows of one conversation lie together on disk. */
export function newId(now: number = Date.now()): string {
  const bytes = randomFillSync(new Uint8Array(16));
  const view = new DataView(bytes.buffer);
  view.setUint16(0, Math.floor(now / 2 ** 32) & 0xffff);
  view.setUint32(2, now % 2 ** 32);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return toUuid(bytes);
}

/** Sixteen bytes in the usual spelling. */
export function toUuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
