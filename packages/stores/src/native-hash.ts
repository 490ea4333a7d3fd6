/** Node's own SHA-256 for the equality keys and attachments of stores that run there. */
import { createHash } from 'node:crypto';
import { hashWith } from '@coppice/content';

/** Has texts and bytes hashed by the platform. */
export function hashNatively(): void {
  hashWith((input) => createHash('sha256').update(input).digest('hex'));
}
