export { type CliFixture, type CliResult, instantReplies, makeCliFixture } from './cli-fixture.ts';
