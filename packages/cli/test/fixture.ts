/** For tests outside this package that run the command. */

export { compileCommandOnce } from '../src/testing/compiled.ts';
export { type CliFixture, instantReplies, makeCliFixture } from '../src/testing/index.ts';
