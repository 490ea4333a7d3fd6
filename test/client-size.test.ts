/** Measures how much the client adds to an app in a browser: bundled without Node, minified and gzipped. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..', 'packages', 'react');
const outside = ['@coppice/core', '@coppice/core/decode', '@coppice/core/tree', 'react', 'react/jsx-runtime'];

/**
 * Returns the size of an entry in bytes, without its peer dependencies. The build fails if it imports a module of Node.
 */
async function sizeOf(entry: string, external: readonly string[]): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from '${entry}';`, resolveDir: folder, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    external: [...external],
    logLevel: 'silent',
    write: false,
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('The bundler wrote nothing.');
  return gzipSync(file.contents, { level: 9 }).length;
}

const documented = readFileSync(join(import.meta.dirname, '../docs/which-api.md'), 'utf8').split('\n');

/** The limits that docs/which-api.md states. */
const limits: readonly (readonly [entry: string, external: readonly string[], most: number])[] = [
  ['@coppice/client', outside, 20_000],
  ['@coppice/react/hooks', [...outside, '@coppice/client'], 8_000],
  ['@coppice/react', [...outside, '@coppice/client'], 12_000],
  ['@coppice/ai-sdk/react', [...outside, 'ai', '@ai-sdk/react'], 4_000],
  ['@coppice/assistant-ui', [...outside, '@coppice/client', '@assistant-ui/react'], 8_000],
  ['@coppice/stores/tree', [], 46_500],
  ['@coppice/stores/memory', [], 45_000],
];

test.each(limits)('%s loads in a browser without Node, and is within its size', async (entry, external, most) => {
  const size = await sizeOf(entry, external);
  expect(size).toBeLessThanOrEqual(most);
  // The table of the document states the same limit and the current size.
  const row = documented.find((line) => line.startsWith(`| \`${entry}\`,`) && !line.endsWith('| |'));
  const [documentedSize = Number.NaN, limit] = [...(row ?? '').matchAll(/([\d.]+) kB/g)].map(
    ([, kilobytes]) => Number(kilobytes) * 1000,
  );
  expect(limit).toBe(most);
  expect(Math.abs(documentedSize - size) / size, `${entry} has ${(size / 1000).toFixed(1)} kB`).toBeLessThan(0.1);
});
