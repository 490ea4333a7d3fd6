/** What core costs somebody who ships it to a browser; docs/decisions/core-size.md says why it is what it is. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..', 'packages', 'core', 'src');

/** The size in bytes of what is taken from core, bundled, minified and gzipped. */
async function sizeOf(taken: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `export ${taken} from './index.ts';`, resolveDir: folder, loader: 'ts' },
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

// The bounds are the sizes reached, rounded up to the next half kilobyte. They are lowered when core shrinks; raising one
// is a decision of its own.
test.each([
  ['all of core', '*', 47_500],
  ['running commands', '{ run }', 27_000],
  ['reading a tree and applying steps to it', '{ activePath, apply, seedling }', 6_500],
  ['conversations in the ChatGPT shape', '{ createConversationFunctions }', 8_000],
])('%s grows no larger than it is', async (_what, taken, most) => {
  const size = await sizeOf(taken);
  expect(size).toBeGreaterThan(1_000);
  expect(size).toBeLessThanOrEqual(most);
});
