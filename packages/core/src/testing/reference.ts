/**
 * A store in memory with clock and message kit, for examples. Unlike the rest of `./testing` it needs no other package.
 */

export { testKit } from './kit.ts';
export { ReferenceStore } from './reference-store.ts';
export { createTestClock } from './test-tree.ts';
