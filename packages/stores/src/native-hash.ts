/** Node's own SHA-256 for the equality keys and attachments of stores that run there. */
import { hash } from 'node:crypto';
import { hashWith } from '@coppice/content';

/** Has texts and bytes hashed by the platform. */
export function hashNatively(): void {
  // In one go: an object for each hash would cost more than the hashing of a message.
  hashWith((input) => hash('sha256', input, 'hex'));
}
