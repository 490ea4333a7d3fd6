import { sha256Hex } from '@coppice/content';

/**
 * Derives a node id from the parts of a request. The same request gives the same id in every process and after a
 * restart, so that a retry finds the nodes of the first attempt.
 */
export function deriveNodeId(...parts: readonly (string | number)[]): string {
  const bytes = Buffer.from(sha256Hex(JSON.stringify(parts)), 'hex').subarray(0, 16);
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
