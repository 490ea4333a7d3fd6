import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { listSkippedTestFiles, readTestTier } from './scripts/tiers.ts';

/**
 * Files that run in their own process, and start first: files that keep a processor busy for ten seconds or more, so
 * that the run does not wait for one of them at the end, files that measure the memory of their process, and files that
 * change their process permanently.
 */
const alone = [
  'packages/core/src/{size,steps.property,diff}.test.ts',
  'packages/stores/src/{files,sqlite,jsonl,postgres}/{files,crashing,sqlite,jsonl,postgres,races,servers,schema}.test.ts',
  'packages/stores/src/torture/*.test.ts',
  'packages/engine/src/http/faults.test.ts',
  'packages/server/src/{torture,transfer}/*.test.ts',
  'packages/server/src/proxy/worker-recording.test.ts',
  'packages/server/src/routes/transfer/transfer.test.ts',
  'packages/cli/src/{adversity,escape-lab}.test.ts',
  'packages/cli/src/subcommands/chat/chat.test.ts',
  // The page keeps state in its modules.
  'packages/web/**/*.test.{ts,tsx}',
  'packages/react/test/*.test.ts',
  // Tests of whole programs, packages and examples.
  'test/**/*.test.ts',
];

// Files that only other tiers run are not loaded.
const leftOut = ['**/node_modules/**', ...listSkippedTestFiles(readTestTier())];

// With `COPPICE_LONG=1` a property has 10,000 runs, which take up to hours.
const hangLimitMs = process.env['COPPICE_LONG'] === '1' ? 4 * 3_600_000 : 180_000;

// The settings that both projects share.
const common: TestProjectInlineConfiguration['test'] = {
  // Processes, not threads: native drivers and signal handling behave as they do in the product.
  pool: 'forks',
  // These limits only end a test that hangs: the longest test that starts processes takes half a minute, and several
  // minutes on a busy machine.
  testTimeout: hangLimitMs,
  hookTimeout: hangLimitMs,
  expect: { poll: { timeout: 60_000 } },
};

// One configuration for the whole workspace. Packages resolve to their sources by the `exports` of their package.json,
// as in the product, so no list of aliases is needed.
export default defineConfig({
  test: {
    maxWorkers: 2,
    // Run once for both projects. They create the temporary folder, and start PostgreSQL and a browser for the first
    // test that needs one. They are torn down in the reverse order.
    globalSetup: [
      'test/temporary-folder.ts',
      'packages/stores/test/postgres-broker.ts',
      'packages/web/test/browser-broker.ts',
    ],
    tags: [
      { name: 'full', description: 'Runs in npm run test:full, not in npm test.' },
      { name: 'browser', description: 'Drives a browser.' },
      { name: 'terminal', description: 'Drives a pseudo-terminal.' },
    ],
    // A run that finds no test fails.
    passWithNoTests: false,
    projects: [
      { test: { ...common, name: 'alone', include: alone, exclude: leftOut } },
      {
        test: {
          ...common,
          name: 'together',
          include: ['packages/*/{src,test}/**/*.test.{ts,tsx}'],
          exclude: [...leftOut, ...alone],
          // The files of a process share the loaded modules: loading them for each file took longer than the tests.
          isolate: false,
          setupFiles: ['test/left-as-found.ts'],
        },
      },
    ],
  },
});
