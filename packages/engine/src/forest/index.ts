/** The tree by its nodes' ids, and generation by whole contexts. */

export { Forest } from './forest.ts';
export { type GenerateResult, LoomEngine, type LoomEngineOptions, type LoomOptions } from './loom-engine.ts';
export type * from './options.ts';
export type { LedgerOptions } from './provenance.ts';
export * from './shapes.ts';
