/** For tests outside this package that run the command. */

export { compileCliOnce } from '../src/testing/compiled.ts';
export { type CliFixture, instantRepliesConfig, makeCliFixture } from '../src/testing/index.ts';
