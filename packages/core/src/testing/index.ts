/** Fixtures for tests of core, of stores and of your own code on top of them. */
export * from './arbitraries.ts';
export * from './build-tree.ts';
export * from './expect-steps.ts';
export * from './kit.ts';
export * from './planning.ts';
export * from './reference-store.ts';
export * from './run-commands.ts';
export * from './test-tree.ts';
