/** The public names of engine, in reading order. */

export { Secret } from './config/secret.ts';
export { type Connection, defaultLimits as defaultHttpLimits, type HttpLimits } from './http/contract.ts';
// Providers: what they are asked and what they answer.
export * from './providers/contract.ts';
