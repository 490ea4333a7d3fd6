// @module-tag full
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { workspaceRoot } from './checks/workspace.ts';

// The folder is inside the repository, so that the test files find Vitest. Git and all checks ignore it.
mkdirSync(join(workspaceRoot, '.tmp'), { recursive: true });
const top = mkdtempSync(join(workspaceRoot, '.tmp', 'summary-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly lines: readonly string[];
  readonly errors: string;
}

let runs = 0;
const tags = [{ name: 'full' }, { name: 'browser' }, { name: 'terminal' }];
const settings = { include: ['*.test.ts'], pool: 'forks', tags };

/** Runs `npm test` on temporary test files. */
function runTests(files: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ended> {
  return startRun(files, args, false);
}

/** Runs the tests as `.ci/run` does. */
function runTestsInCi(files: Readonly<Record<string, string>>): Promise<Ended> {
  return startRun(files, [], true);
}

function startRun(files: Readonly<Record<string, string>>, args: readonly string[], isCi: boolean): Promise<Ended> {
  runs += 1;
  const root = join(top, String(runs));
  mkdirSync(root);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  writeFileSync(join(root, 'vitest.config.ts'), `export default { test: ${JSON.stringify(settings)} };`);
  const script = join(workspaceRoot, 'scripts/test.ts');
  const [tier = 'daily', ...others] = args[0] === 'full' ? args : ['daily', ...args];
  const words = ['--import', 'tsx', script, tier, '--root', root, ...others];
  const child = spawn(process.execPath, words, { cwd: workspaceRoot, env: { ...process.env, CI: isCi ? 'true' : '' } });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, lines: output.trimEnd().split('\n'), errors }));
  });
}

const header = "import { expect, test } from 'vitest';\n";

describe('the last line of a test run', () => {
  test('counts passed and skipped tests', async () => {
    const ended = await runTests({
      'a.test.ts': `${header}test('a', () => {}); test.skip('b', () => {}); test.todo('c');`,
      'b.test.ts': `${header}test('a', () => {});`,
    });
    expect(ended.lines.at(-1)).toBe('2 passed, 0 failed, 2 skipped');
    expect(ended.code).toBe(0);
  });

  test('counts failed tests, files that cannot be loaded and uncaught errors', async () => {
    const ended = await runTests({
      'a.test.ts': `${header}test('a', () => {}); test('b', () => { expect(1).toBe(2); });`,
      'b.test.ts': "import './nothing.ts';",
      'c.test.ts': `${header}test('a', () => { Promise.reject(new Error('left alone')); });`,
      'd.test.ts': `${header}import { beforeAll } from 'vitest'; beforeAll(() => { throw new Error('no ground'); }); test('a', () => {});`,
    });
    expect(ended.lines.at(-1)).toBe('2 passed, 4 failed, 1 skipped');
    expect(ended.code).not.toBe(0);
    // A log often keeps only its end, so the failures and their reasons must be there.
    const end = ended.lines.slice(ended.lines.findIndex((line) => line.startsWith('Failed: '))).join('\n');
    expect(end.match(/^Failed: .*/gm)?.map((line) => line.replace(/^Failed: (?:\S*\/)?/, ''))).toEqual([
      'a.test.ts > b',
      'b.test.ts',
      'd.test.ts',
      'an error outside of any test',
    ]);
    for (const reason of ['expected 1 to be 2', './nothing.ts', 'no ground', 'left alone'])
      expect(end).toContain(reason);
  });

  test('counts the tests of its own tier and no others', async () => {
    const files = { 'a.test.ts': `${header}test('a', () => {}); test('b', { tags: ['full'] }, () => {});` };
    expect((await runTests(files)).lines.at(-1)).toBe('1 passed, 0 failed, 0 skipped');
    expect((await runTests(files, 'full')).lines.at(-1)).toBe('1 passed, 0 failed, 0 skipped');
  });

  // A test that fails and creates a file; when it runs again, it finds the file and passes.
  const failingOnce = (name: string, tag = 'browser') =>
    `test('${name}', { tags: ['${tag}'] }, () => { const mark = import.meta.dirname + '/${name}'; if (!existsSync(mark)) { writeFileSync(mark, ''); throw new Error('late ${name}'); } });`;
  const withFiles = `${header}import { existsSync, writeFileSync } from 'node:fs';\n`;
  const namesOf = (lines: readonly string[]) =>
    lines.filter((line) => line.includes('.test.ts > ')).map((line) => line.replace(/^(Failed:)?.*> /, '$1'));

  test('comes after the names and errors of tests that passed on a second try of .ci/run', {
    tags: ['full'],
  }, async () => {
    const files = {
      'a.test.ts': withFiles + ['a', 'b'].map((name) => failingOnce(name)).join('\n'),
      'b.test.ts': withFiles + failingOnce('c', 'terminal'),
      'c.test.ts': `${header}test('d', () => {});`,
    };
    const ended = await runTestsInCi(files);
    expect(ended.lines.at(-1)).toBe('4 passed, 0 failed, 0 skipped');
    const end = ended.lines.slice(ended.lines.indexOf('Passed on the second try (3):'));
    expect(namesOf(end)).toEqual(['a', 'b', 'c']);
    expect(end.join('\n')).toContain('late b');
    expect(ended.code).toBe(0);
    // Outside of CI no test is repeated.
    expect((await runTests(files)).lines.at(-1)).toBe('1 passed, 3 failed, 0 skipped');
  });

  test('counts tests that fail on the second try too, and with more than three failures there is no second try', {
    tags: ['full'],
  }, async () => {
    const failing = `test('always', { tags: ['browser'] }, () => { throw new Error('wrong'); });`;
    const twice = await runTestsInCi({ 'a.test.ts': withFiles + failing + failingOnce('a') });
    expect(twice.lines.at(-1)).toBe('1 passed, 1 failed, 0 skipped');
    expect(namesOf(twice.lines.slice(twice.lines.indexOf('Passed on the second try (1):')))).toEqual([
      'a',
      'Failed:always',
    ]);
    expect(twice.code).toBe(1);
    const many = await runTestsInCi({
      'a.test.ts': withFiles + ['a', 'b', 'c', 'd'].map((name) => failingOnce(name)).join('\n'),
    });
    expect(many.lines.at(-1)).toBe('0 passed, 4 failed, 0 skipped');
    expect(many.code).toBe(1);
    // A test that does not draw on a screen is not retried.
    const other = `test('late', () => { throw new Error('wrong'); });`;
    const mixed = await runTestsInCi({ 'a.test.ts': withFiles + failingOnce('a'), 'b.test.ts': header + other });
    expect(mixed.lines.at(-1)).toBe('0 passed, 2 failed, 0 skipped');
  });

  test('is printed for a run without a test, which fails', async () => {
    const ended = await runTests({ 'a.test.ts': `${header}test('a', () => {});` }, 'no-such-file');
    expect(ended.lines.at(-1)).toBe('0 passed, 0 failed, 0 skipped');
    expect(ended.code).toBe(1);
  });

  test('is missing, and reported as missing, when the runner dies before its report', async () => {
    const ended = await runTests({}, '--no-such-option');
    expect(ended.errors).toContain('The test runner ended without a report');
    expect(ended.code).toBe(1);
  });
});
