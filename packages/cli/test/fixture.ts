/** For tests outside this package that run the command. */
export { type CliFixture, makeCliFixture } from '../src/testing/index.ts';
export { compiledCommand } from '../src/testing/compiled.ts';
