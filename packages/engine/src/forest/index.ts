/** The public names of Forest and LoomEngine. */

export { Forest } from './forest.ts';
export { type GenerateResult, LoomEngine, type LoomEngineOptions, type LoomOptions } from './loom-engine.ts';
export type * from './options.ts';
export type { ProvenanceLedgerOptions } from './provenance.ts';
export * from './shapes.ts';
