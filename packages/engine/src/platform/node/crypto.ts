/** The cryptography of Node that the engine uses. */
export { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
