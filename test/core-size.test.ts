/** Limits the size of each entry of core, bundled for browsers; CONTRIBUTING.md explains this test. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..', 'packages', 'core', 'src');

/** Returns the size of an entry in bytes, bundled, minified and gzipped. */
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

/** The last measured sizes. A commit that raises one gives the reason. */
const measured = [
  // Creating a tree checks that its first messages can be stored, which only stores checked before.
  ['index.ts', 35_265],
  // Applying steps also computes visit marks and match parents of other rows, so that stores need not.
  ['entries/tree.ts', 18_113],
  ['entries/context.ts', 6_066],
  ['entries/diff.ts', 4_342],
  // A history whose old commits were deleted: where it begins, and errors for what lies before.
  // Rewinding a move sets the visit marks of the whole active path, as the move does.
  ['entries/history.ts', 6_581],
  ['entries/chatgpt.ts', 8_123],
  ['entries/store.ts', 9_423],
  // Readers of nested fields, of texts that are not empty and of lists of texts, which twenty files had implemented
  // themselves; the check that an argument is a store; and the search for the most similar name.
  ['entries/decode.ts', 2_523],
] as const;

test.each(measured)('the entry %s is at most 3 %% larger than it was measured', async (entry, size) => {
  expect(await sizeOf(entry)).toBeLessThanOrEqual(Math.floor(size * 1.03));
});
