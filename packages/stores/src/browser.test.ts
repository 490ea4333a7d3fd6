/** Tests of the entries for browsers, bundled without polyfills and run in a realm without Node. */
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** Bundles a module for a browser as one script with its exports in `bundle`. An import of Node fails the build. */
async function bundleOf(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    format: 'iife',
    globalName: 'bundle',
    platform: 'browser',
    target: 'es2023',
    logLevel: 'silent',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

/** Runs a script, then a function that gets its `bundle`, in a realm with a few globals of browsers. */
async function runInBrowser(script: string, use: string): Promise<unknown> {
  const realm = createContext({
    setTimeout,
    clearTimeout,
    performance,
    crypto,
    TextEncoder,
    TextDecoder,
    atob,
    btoa,
    AbortController,
  });
  runInContext(script, realm);
  // JSON carries the value over, because objects of another realm have other prototypes.
  return JSON.parse(await runInContext(`(async () => JSON.stringify(await (${use})(bundle)))()`, realm));
}

test.each(['', '/open', '/memory', '/in-process', '/tree'])(
  '[K197] @coppice/stores%s loads in a browser',
  async (entry) => {
    const script = await bundleOf(`export * from '@coppice/stores${entry}';`);
    expect(await runInBrowser(script, '(bundle) => Object.keys(bundle).length')).toBeGreaterThan(0);
  },
);

test('[K197] a tree in the memory store works in a browser, and other stores are refused there', async () => {
  const script = await bundleOf("export { openStore } from '@coppice/stores'; export * from '@coppice/stores/tree';");
  const use = `async ({ openStore, openTree }) => {
    const tree = openTree(await openStore('memory:'));
    const question = await tree.append('How long does dough rise?');
    await tree.append({ role: 'assistant', content: 'An hour.' });
    await tree.edit(question.id, 'How long does rye dough rise?');
    await tree.previous((await tree.messages())[0].id);
    const found = await tree.search('rye');
    const refused = await openStore('sqlite:trees.db').catch((error) => error.code + ' ' + error.message);
    return [(await tree.messages()).map(({ text, index, count }) => [text, index, count]), found.items.length, refused];
  }`;
  expect(await runInBrowser(script, use)).toEqual([
    [
      ['How long does dough rise?', 0, 2],
      ['An hour.', 0, 1],
    ],
    1,
    'command/invalid There is no store of the kind "sqlite:". Use one of memory:.',
  ]);
});

test('[K197] the entry for a browser has the names of the main entry', async () => {
  const [browser, main] = await Promise.all([import('./browser.ts'), import('./index.ts')]);
  expect(Object.keys(browser).sort()).toEqual(Object.keys(main).sort());
  expect((await browser.openForeignTables({ files: [] })).input.files).toEqual([]);
  expect(() => browser.sessionFiles()).toThrow('needs Node or Bun');
  expect(() => new browser.FileSystemStore()).toThrow('needs Node or Bun');
  expect(() => new browser.SessionStore()).toThrow('needs Node or Bun');
});
