// @module-tag full
/** The tests of rendering on a server once more, with React 18. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, expect, test } from 'vitest';
import { installReact18 } from './react-versions.ts';

const source = join(import.meta.dirname, '../src');
const installed = installReact18();
afterAll(() => installed.remove());

const file = join(installed.folder, 'server-rendering.mjs');
await build({
  entryPoints: [join(source, 'server-rendering.test.tsx')],
  outfile: file,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  jsx: 'automatic',
  define: { 'import.meta.dirname': JSON.stringify(source) },
  // Resolved from the folder of the bundle, which has React 18; the repository around that folder has everything else.
  external: ['react', 'react-dom', 'vitest', '@coppice/*'],
  logLevel: 'error',
});
await import(pathToFileURL(file).href);

test('[HK1] the tests of this file ran with React 18', async () => {
  // This module is in the folder of the bundle, so that it resolves the same packages.
  const beside = join(installed.folder, 'versions.mjs');
  writeFileSync(beside, "export { version } from 'react';\nexport { version as dom } from 'react-dom/server';\n");
  const { version, dom }: { readonly version: string; readonly dom: string } = await import(pathToFileURL(beside).href);
  expect([version, dom]).toEqual([expect.stringMatching(/^18\./), expect.stringMatching(/^18\./)]);
});
