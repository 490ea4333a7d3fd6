// @module-tag full
/** Tests the hooks and components in a real browser, with a real server. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTextEvents } from '@coppice/engine/testing';
import { createTree } from '@coppice/server/testing';
import { expectEventually, openPageFixture, type PageFixture } from '@coppice/web/testing';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createReactResolver, type InstalledReact, installReact18 } from './react-versions.ts';

const html =
  '<!doctype html><html lang="en"><head><title>Test</title><link rel="stylesheet" href="/assets/styles.css"></head><body><div id="root"></div><script type="module" src="/assets/app.js"></script></body></html>';

let react18: InstalledReact;
beforeAll(() => {
  react18 = installReact18();
});
afterAll(() => react18?.remove());

describe.each(['18', '19'])('in a browser, with React %s', (major) => {
  let fixture: PageFixture;
  let web = '';

  beforeAll(async () => {
    web = mkdtempSync(join(tmpdir(), 'coppice-react-'));
    writeFileSync(join(web, 'index.html'), html);
    await build({
      entryPoints: [join(import.meta.dirname, 'app.tsx')],
      bundle: true,
      format: 'esm',
      jsx: 'automatic',
      target: 'es2023',
      // Development builds of React warn about misuse, for example of keys and effects, and mount twice in strict mode.
      define: { 'process.env.NODE_ENV': '"development"' },
      outfile: join(web, 'assets/app.js'),
      plugins: major === '18' ? [createReactResolver(react18.folder)] : [],
      logLevel: 'error',
    });
    // The bundle contains one version of React, which is the expected one.
    const bundled = readFileSync(join(web, 'assets/app.js'), 'utf8').matchAll(/version = "(1\d)\.\d+\.\d+"/gi);
    expect([...new Set([...bundled].map(([, version]) => version))]).toEqual([major]);
    copyFileSync(join(import.meta.dirname, '../src/styles.css'), join(web, 'assets/styles.css'));
  });
  afterAll(() => rmSync(web, { recursive: true, force: true }));

  // Every test, and every retry, starts with the full list of replies.
  beforeEach(async () => {
    const replies = ['First.', 'Second.', 'Third.', 'Fourth.'].map((text) => makeTextEvents(text));
    fixture = await openPageFixture({ web, replies });
  });
  afterEach(() => fixture.close());

  const texts = (page: Page) => page.locator('.coppice-thread .coppice-text').allTextContents();
  const message = (page: Page, text: string) => page.locator('.coppice-message', { hasText: text });

  test('[HK1, HK2, HK3, HK4] send, edit, switch, regenerate, delete, undo, reload and a second tab', {
    tags: ['browser'],
  }, async () => {
    const { id } = await createTree(fixture.server, []);
    const { page, context, faults } = await fixture.open(`/t/${id}`);
    const warnings: string[] = [];
    page.on('console', (line) => {
      // A request about a message that was deleted meanwhile gets a 404 and is sent again.
      const isRace = line.text().includes('404') && line.location().url.includes('/context?');
      if (line.type() === 'error' && !isRace) warnings.push(`${line.text()} ${line.location().url}`);
    });
    await page.getByText('Nothing here yet.').waitFor();
    const field = page.getByLabel('Message', { exact: true });
    await field.fill('A draft');
    await page.reload();
    await expectEventually(() => field.inputValue()).toBe('A draft');
    await field.fill('Where to?');
    await field.press('Enter');
    await expectEventually(() => texts(page)).toEqual(['Where to?', 'First.']);
    await expectEventually(() => field.inputValue()).toBe('');

    await message(page, 'Where to?').getByRole('button', { name: 'Edit' }).click();
    await page.locator('.coppice-message textarea').fill('Where to in May?');
    await page.getByRole('button', { name: 'Save' }).click();
    // The edited question is answered again.
    await expectEventually(() => texts(page)).toEqual(['Where to in May?', 'Second.']);
    await expectEventually(() => page.locator('.coppice-variants').textContent()).toContain('2/2');
    // The keyboard stays on the button from version to version.
    await page.getByRole('button', { name: 'Previous version' }).focus();
    await page.keyboard.press('Enter');
    await expectEventually(() => texts(page)).toEqual(['Where to?', 'First.']);
    await page.keyboard.press('Enter');
    await expectEventually(() => texts(page)).toEqual(['Where to in May?', 'Second.']);
    await page.keyboard.press('Enter');
    await expectEventually(() => texts(page)).toEqual(['Where to?', 'First.']);

    await message(page, 'First.').getByRole('button', { name: 'Regenerate' }).click();
    await expectEventually(() => texts(page)).toEqual(['Where to?', 'Third.']);
    await page.reload();
    await expectEventually(() => texts(page)).toEqual(['Where to?', 'Third.']);

    const { page: other } = await fixture.open(`/t/${id}`, { context });
    await expectEventually(() => texts(other)).toEqual(['Where to?', 'Third.']);
    await message(page, 'Third.').getByRole('button', { name: 'Delete' }).click();
    await expectEventually(() => texts(other)).not.toContain('Third.');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expectEventually(() => texts(page)).toEqual(['Where to?', 'Third.']);
    await page.getByRole('button', { name: 'Redo' }).click();
    await expectEventually(() => texts(page)).not.toContain('Third.');
    expect(faults).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test('[HK5, HK7] outline, map, search, context and the list of trees follow the tree', {
    tags: ['browser'],
  }, async () => {
    const { id, nodeIds } = await createTree(fixture.server, ['One', 'Two', 'Three']);
    await fixture.server.ask('POST', `/api/trees/${id}/messages`, {
      body: { parentId: nodeIds[0], messages: [{ role: 'user', content: 'Another branch' }], select: false },
      version: 2,
    });
    const { page, faults } = await fixture.open(`/t/${id}`);
    await expectEventually(() => texts(page)).toEqual(['One', 'Two', 'Three']);
    const outline = page.getByRole('navigation', { name: 'Outline' });
    await expectEventually(() => outline.getByRole('button').count()).toBe(4);
    await outline.getByRole('button', { name: 'Another branch' }).click();
    await expectEventually(() => texts(page)).toEqual(['One', 'Another branch']);
    const map = page.getByRole('navigation', { name: 'Map of the chat' });
    await expectEventually(() => map.locator('button[data-shown="true"]').count()).toBe(2);
    await map.getByRole('button', { name: 'Three' }).click();
    await expectEventually(() => texts(page)).toEqual(['One', 'Two', 'Three']);
    await page.getByLabel('Search').fill('another');
    await expectEventually(() => page.locator('#hits li').allTextContents()).toEqual(['Another branch']);
    await expectEventually(async () => Number(await page.getByLabel('Tokens').getAttribute('value'))).toBeGreaterThan(
      0,
    );
    await fixture.server.ask('POST', '/api/trees', { body: { title: 'Made elsewhere' } });
    await expectEventually(() => page.locator('#trees li').allTextContents()).toContain('Made elsewhere');
    expect(faults).toEqual([]);
  });

  test('[HK2, HK5] a tree that was hidden follows changes again, and an outline leads to a message far above and back', {
    tags: ['browser'],
  }, async () => {
    const names = Array.from({ length: 120 }, (_, at) => `Message ${at + 1}.`);
    const { id } = await createTree(fixture.server, names);
    const { page, faults } = await fixture.open(`/t/${id}`);
    await expectEventually(async () => (await texts(page)).at(-1)).toBe('Message 120.');
    await page.getByRole('button', { name: 'Hide' }).click();
    await page.getByRole('button', { name: 'Show' }).click();
    await expectEventually(async () => (await texts(page)).at(-1)).toBe('Message 120.');
    await fixture.server.ask('POST', `/api/trees/${id}/messages`, {
      body: { messages: [{ role: 'user', content: 'Said meanwhile.' }] },
      version: 2,
    });
    await expectEventually(async () => (await texts(page)).at(-1)).toBe('Said meanwhile.');

    const isVisible = (text: string) =>
      message(page, text).evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return bottom > 0 && top < innerHeight;
      });
    const outline = page.getByRole('navigation', { name: 'Outline' });
    await outline.getByRole('button', { name: 'Message 3.' }).click();
    await expectEventually(() => texts(page)).toContain('Message 3.');
    await expectEventually(() => isVisible('Message 3.')).toBe(true);
    const newer = page.getByRole('button', { name: 'Load newer messages' });
    for (let shown = await texts(page); shown.at(-1) !== 'Said meanwhile.'; shown = await texts(page)) {
      await newer.click();
      await expectEventually(async () => (await texts(page)).length).toBeGreaterThan(shown.length);
    }
    await expectEventually(() => newer.count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
