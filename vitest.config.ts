import { defineConfig } from 'vitest/config';

// One configuration for the whole workspace. Packages resolve to their sources by the `exports` of their package.json,
// so there is no alias list here that could come to differ from what the product resolves.
export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.{ts,tsx}', 'packages/*/test/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    // Processes, not threads: native drivers and signal handling behave as they do in the product.
    pool: 'forks',
    maxWorkers: 2,
    // Listens for the first test that wants PostgreSQL; until then no server runs.
    globalSetup: ['packages/stores/test/postgres-broker.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A run that collects nothing has tested nothing, and says so.
    passWithNoTests: false,
  },
});
