/** For tests outside this package that run lines of the command. */
export { type CliFixture, makeCliFixture } from '../src/testing/index.ts';
