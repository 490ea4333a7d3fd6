/** Runs the examples of the README as they are. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as content from '@coppice/content';
import * as core from '@coppice/core';
import * as coreChatgpt from '@coppice/core/chatgpt';
import * as coreContext from '@coppice/core/context';
import * as coreDiff from '@coppice/core/diff';
import * as coreHistory from '@coppice/core/history';
import * as coreStore from '@coppice/core/store';
import * as coreTree from '@coppice/core/tree';
import * as stores from '@coppice/stores';
import * as storesTree from '@coppice/stores/tree';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const modules: Readonly<Record<string, unknown>> = {
  '@coppice/content': content,
  '@coppice/core': core,
  '@coppice/core/tree': coreTree,
  '@coppice/core/context': coreContext,
  '@coppice/core/diff': coreDiff,
  '@coppice/core/history': coreHistory,
  '@coppice/core/chatgpt': coreChatgpt,
  '@coppice/core/store': coreStore,
  '@coppice/stores': stores,
  '@coppice/stores/tree': storesTree,
};

test('the library in ten lines prints what its comments say', async () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const [, expected = ''] = /console\.log\(.*\); \/\/ (.*)$/m.exec(example) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'coppice-readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const body = example
    .replace(/import (\{[^}]*\}) from '([^']*)';/g, (_line, names, from) => `const ${names} = modules['${from}'];`)
    .replace('sqlite:./trees.db', `sqlite:${folder}/trees.db`);
  const printed: unknown[] = [];
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
  await new AsyncFunction('modules', 'console', body)(modules, { log: (value: unknown) => printed.push(value) });
  expect(printed).toEqual([JSON.parse(expected.replaceAll("'", '"'))]);
});

test('the first look runs from the command line', () => {
  // The example creates its file in the folder for temporary files.
  const folder = mkdtempSync(join(tmpdir(), 'coppice-readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const output = execFileSync(process.execPath, ['--import', 'tsx', join(root, 'scripts/example.ts')], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: folder },
  });
  expect(output).toContain('Plan the move to Lisbon   ← you are here');
  expect(output).toContain('fsck: 0 findings');
});
