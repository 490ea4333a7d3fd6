/** Trees addressed by node ids, and generation from whole contexts. */

export { Forest } from './forest.ts';
export { type GenerateResult, LoomEngine, type LoomEngineOptions, type LoomOptions } from './loom-engine.ts';
export type * from './options.ts';
export type { ProvenanceLedgerOptions } from './provenance.ts';
export * from './shapes.ts';
