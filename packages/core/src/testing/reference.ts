/** A store in memory and what it is run with, for examples and first steps: unlike the rest of `./testing`, it wants nothing installed beside it. */

export { testKit } from './kit.ts';
export { ReferenceStore } from './reference-store.ts';
export { ticking } from './test-tree.ts';
