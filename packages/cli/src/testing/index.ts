export { type Answered, type CliFixture, type Grown, makeCliFixture, type Ran } from './cli-fixture.ts';
