import { sha256Hex } from './sha256.ts';

/**
 * Derives a UUID from its parts. The same parts always give the same UUID. The UUID has version 8, which RFC 9562
 * reserves for applications.
 */
export function deriveId(...parts: readonly (string | number)[]): string {
  const hex = sha256Hex(JSON.stringify(parts));
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
