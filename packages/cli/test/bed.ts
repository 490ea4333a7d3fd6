/** For tests outside this package that run lines of the command. */
export { type Bed, makeBed } from '../src/testing/index.ts';
