// @module-tag full
/** Runs the same tests with the previous major version of the AI SDK, which is also a supported peer dependency. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
/** The React hook of the previous major version, which has its own copy of the SDK. */
const hook = join(root, 'node_modules/ai-sdk-react-3');
const previous = join(hook, 'node_modules/ai');
mkdirSync(join(root, '.tmp'), { recursive: true });
const folder = mkdtempSync(join(root, '.tmp/ai-6-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

for (const name of ['chat-handler', 'tree-chat', 'ui-nodes', 'stored-reply']) {
  const file = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, `${name}.test.ts`)],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['vitest', 'fast-check', '@coppice/*'],
    logLevel: 'error',
    plugins: [
      {
        name: 'previous-major',
        setup(bundler) {
          bundler.onResolve({ filter: /^ai(?:\/test)?$/ }, ({ path, kind, resolveDir }) =>
            resolveDir === hook ? undefined : bundler.resolve(path, { kind, resolveDir: hook }),
          );
        },
      },
    ],
  });
  await import(file);
}

test('[AS15] both major versions are installed here, and the peer dependencies name them', () => {
  const majorOf = (path: string) => Number.parseInt(JSON.parse(readFileSync(path, 'utf8')).version, 10);
  const now = majorOf(join(root, 'node_modules/ai/package.json'));
  expect(majorOf(join(previous, 'package.json'))).toBe(now - 1);
  const { peerDependencies } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
  expect(peerDependencies.ai).toBe(`^${now - 1}.0.0 || ^${now}.0.0`);
});

test('[AS15] the sources compile with the types of the previous major version', () => {
  const settings = {
    extends: join(import.meta.dirname, '../tsconfig.json'),
    compilerOptions: { noEmit: true, paths: { ai: [previous], '@ai-sdk/react': [hook] } },
    include: [import.meta.dirname],
    exclude: [join(import.meta.dirname, '**/*.test.*'), join(import.meta.dirname, 'testing')],
  };
  const project = join(folder, 'tsconfig.json');
  writeFileSync(project, JSON.stringify(settings));
  const words = [join(root, 'node_modules/typescript/bin/tsc'), '-p', project];
  expect(execFileSync(process.execPath, words, { cwd: root, encoding: 'utf8' })).toBe('');
});
