/** What each entry of core costs somebody who ships it to a browser; CONTRIBUTING.md says how this test works. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..', 'packages', 'core', 'src');

/** The size in bytes of an entry, bundled, minified and gzipped. */
async function sizeOf(entry: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from './${entry}';`, resolveDir: folder, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('The bundler wrote nothing.');
  return gzipSync(file.contents, { level: 9 }).length;
}

/** The sizes as they were measured last. A line that raises one says why. */
const measured = [
  ['index.ts', 31_770],
  ['entries/tree.ts', 16_637],
  ['entries/context.ts', 6_066],
  ['entries/diff.ts', 4_148],
  ['entries/history.ts', 4_641],
  ['entries/chatgpt.ts', 8_123],
  ['entries/store.ts', 7_901],
  ['entries/decode.ts', 1_847],
] as const;

test.each(measured)('the entry %s is at most 3 %% larger than it was measured', async (entry, size) => {
  expect(await sizeOf(entry)).toBeLessThanOrEqual(Math.floor(size * 1.03));
});
