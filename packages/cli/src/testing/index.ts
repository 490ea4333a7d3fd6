export { type CliFixture, type CliResult, makeCliFixture } from './cli-fixture.ts';
