/** What tests of core, of stores and of your own code on top of them are made with. */
export * from './arbitraries.ts';
export * from './build-tree.ts';
export * from './expect-steps.ts';
export * from './kit.ts';
export * from './planning.ts';
export * from './reference-store.ts';
export * from './run-commands.ts';
export * from './test-tree.ts';
