export { type CliFixture, type CliResult, instantRepliesConfig, makeCliFixture } from './cli-fixture.ts';
