/** The public names of the forest. */

export { Forest } from './forest.ts';
export type * from './options.ts';
export type { LedgerOptions } from './provenance.ts';
export * from './shapes.ts';
