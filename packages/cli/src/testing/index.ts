export { type CliFixture, makeCliFixture, type Ran } from './cli-fixture.ts';
