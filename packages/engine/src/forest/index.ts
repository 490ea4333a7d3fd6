/** The public names of the forest. */

export { Forest, type ForestOptions, type RootQuery } from './forest.ts';
export type { LedgerOptions } from './provenance.ts';
export * from './shapes.ts';
