import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { openRepository, workspaceRoot } from '../test/checks/workspace.ts';

/**
 * The tiers of tests. `daily` is `npm test`; `full` are the other tests, tagged `full`; `outside` are tests that need
 * a program that npm does not install. Every test is in exactly one tier.
 */
export const testTiers = ['daily', 'full', 'outside'] as const;
export type TestTier = (typeof testTiers)[number];

/** The environment variable by which `scripts/test.ts` tells Vitest's configuration the tier. */
export const testTierVariable = 'COPPICE_TEST_TIER';

/** Returns the tier of this run; null if Vitest was started directly, which runs all tests of the given files. */
export function readTestTier(env: NodeJS.ProcessEnv = process.env): TestTier | null {
  return testTiers.find((tier) => tier === env[testTierVariable]) ?? null;
}

/** Returns the tag filter of a tier, in Vitest's syntax. Files of the tier `outside` are selected by name. */
export function tagFilterOf(tier: TestTier): readonly string[] {
  if (tier === 'daily') return ['!full'];
  return tier === 'full' ? ['full'] : [];
}

export function isTestPath(path: string): boolean {
  return /^(?:packages\/[^/]+\/(?:src|test)|test)\/.*\.test\.tsx?$/.test(path);
}

/** Returns whether a test file needs a program that npm does not install; such files are named `*.outside.test.ts`. */
export function isOutsideTest(path: string): boolean {
  return /\.outside\.test\.tsx?$/.test(path);
}

/** Returns whether the whole file is tagged `full`, by a comment `@module-tag full` at its top. */
export function isFullTierFile(text: string): boolean {
  return /(?:\/\/|\*)\s*@module-tag\s+full\b/.test(text);
}

/** Returns whether a test of the file is tagged `full`. The tag is always in the test file itself, never in a suite. */
export function hasFullTests(text: string): boolean {
  return isFullTierFile(text) || /\btags:\s*(?:\[[^\]]*)?'full'/.test(text);
}

/** Returns whether a run of a tier loads a test file. Files without a test for the tier are not loaded. */
export function doesTierLoadFile(tier: TestTier, path: string, text: string): boolean {
  if (isOutsideTest(path)) return tier === 'outside';
  if (tier === 'daily') return !isFullTierFile(text);
  return tier === 'full' && hasFullTests(text);
}

/** Returns the test files that a tier does not load; without a tier only those that need outside programs. */
export function listSkippedTestFiles(tier: TestTier | null): readonly string[] {
  const { paths } = openRepository();
  return paths.filter((path) => {
    if (!isTestPath(path)) return false;
    if (tier === null) return isOutsideTest(path);
    return !doesTierLoadFile(tier, path, readFileSync(join(workspaceRoot, path), 'utf8'));
  });
}

/** The programs that tests of the tier `outside` need, and what for. npm installs none of them. */
export const outsidePrograms: ReadonlyMap<string, string> = new Map([
  ['pgbouncer', 'PostgreSQL behind PgBouncer'],
  ['docker', 'the container image'],
  ['zsh', 'completion in zsh'],
  ['fish', 'completion in fish'],
  ['claude', 'calls of Claude Code through the recording proxy'],
  ['codex', 'calls of Codex through the recording proxy'],
  ['gemini', 'calls of Gemini CLI through the recording proxy'],
  ['opencode', 'calls of opencode through the recording proxy'],
  ['pi', 'calls of the newest pi through the recording proxy'],
]);

/** The variables with addresses of services that somebody provides for tests of the tier `outside`. */
export const outsideServices: ReadonlyMap<string, string> = new Map([['COPPICE_CITUS_URL', 'buckets on Citus']]);

/** Returns a sentence for each program that is not on the path, and for each service without an address. */
export function findMissingPrograms(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return [
    ...[...outsidePrograms]
      .filter(([name]) => !folders.some((folder) => existsSync(join(folder, name))))
      .map(([name, use]) => `Not found: ${name}. Without it there is no test of ${use}.`),
    ...[...outsideServices]
      .filter(([name]) => environment[name] === undefined)
      .map(([name, use]) => `Not set: ${name}. Without it there is no test of ${use}.`),
  ];
}
