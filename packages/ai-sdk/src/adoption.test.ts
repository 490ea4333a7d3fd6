/** Applies the changes that the README describes to a stock app. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { afterAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const stock = join(import.meta.dirname, 'testing/stock-app');
mkdirSync(join(root, '.tmp'), { recursive: true });
const folder = mkdtempSync(join(root, '.tmp/adoption-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the two diffs of a page: the one of the route and the one of the page, as lines with their signs. */
function diffsIn(page: string): readonly (readonly string[])[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/```diff\n([\s\S]*?)```/g)].map(([, code = '']) => code.trimEnd().split('\n'));
}

/** Applies a diff: each removed line must exist, and the added lines replace the removed lines before them. */
function apply(source: string, diff: readonly string[]): string {
  let lines = source.split('\n');
  let at = 0;
  for (const line of diff) {
    const words = line.slice(1);
    if (line.startsWith('-')) {
      at = lines.indexOf(words, line === diff[0] ? 0 : at);
      expect(at, words).toBeGreaterThanOrEqual(0);
      lines = lines.toSpliced(at, 1);
    } else lines = lines.toSpliced(at++, 0, words);
  }
  return lines.join('\n');
}

async function load(name: string, source: string) {
  const file = join(folder, `${name}.mjs`);
  await build({
    stdin: { contents: source, resolveDir: stock, loader: 'tsx', sourcefile: name },
    outfile: file,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    jsx: 'automatic',
    logLevel: 'error',
  });
  return import(file);
}

const [server = [], client = []] = diffsIn('packages/ai-sdk/README.md');
const added = (diff: readonly string[]) => diff.filter((line) => line.startsWith('+'));

test('[AS17] the README changes at most 5 lines of the page and 10 of the server, and the other documents show the same lines', () => {
  expect(added(client).length).toBeLessThanOrEqual(5);
  expect(added(server).length).toBeLessThanOrEqual(10);
  expect(diffsIn('docs/guides/add-branching.md')).toEqual([server, client]);
  expect(diffsIn('README.md')).toEqual([client]);
});

test('[AS17] a standard route with the lines of the README stores the posted messages', async () => {
  const source = readFileSync(join(stock, 'route.ts'), 'utf8');
  const changed = apply(source, server).replace('sqlite:chats.db', 'memory:');
  const { POST, GET } = await load('route', changed);
  const message = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Dough?' }] };
  const headers = { 'content-type': 'application/json', 'x-user': 'ada' };
  const body = JSON.stringify({ id: 'c', messages: [message] });
  await (await POST(new Request('http://app.test/api/chat', { method: 'POST', headers, body }))).text();
  const loaded = await (await GET(new Request('http://app.test/api/chat/c', { headers }))).json();
  expect(loaded.messages.map(({ role }: { readonly role: string }) => role)).toEqual(['user', 'assistant']);
});

test('[AS17] a standard page with the lines of the README renders', async () => {
  const changed = apply(readFileSync(join(stock, 'page.tsx'), 'utf8'), client);
  expect(changed).toContain('useTreeChat({ id })');
  const { Page } = await load('page', changed);
  expect(renderToString(createElement(Page, { id: 'c' }))).toContain('<main data-status="ready">');
});
