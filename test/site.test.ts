// @module-tag full
/** Builds the site and reads it in a real browser: links, accessibility, phone, search, and the demo. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findSeriousViolations } from '@coppice/web/testing/axe';
import { connectBrowser } from '@coppice/web/testing/browser';
import type { Browser, BrowserContextOptions, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { buildSite } from '../site/build.ts';
import { formatMeasure } from '../site/charts.ts';
import { isUnlistedPage, navigationGroups } from '../site/pages.ts';
import { type StaticHost, serveSite } from '../site/serve.ts';
import { openRepository } from './checks/workspace.ts';

let folder = '';
let host: StaticHost;
let browser: Browser;
let pages: readonly string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-site-'));
  // Building throws if a link of a page has no target.
  ({ pages } = await buildSite(folder));
  host = await serveSite(folder);
  browser = await connectBrowser(inject('browserBroker'));
}, 600_000);

afterAll(async () => {
  await browser?.close();
  await host?.close();
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
});

/** Opens a page of the site; collects errors, policy violations, missing files and requests to other hosts. */
async function open(
  path: string,
  options: BrowserContextOptions = {},
): Promise<{ readonly page: Page; readonly faults: readonly string[] }> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(host.url) && !/^(?:data|blob):/.test(request.url()))
      faults.push(`request: ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()}: ${response.url()}`);
  });
  await page.goto(`${host.url}/${path}`);
  return { page, faults };
}

test('every document has a page, and every line of the navigation a document', () => {
  const documents = openRepository().paths.filter((path) => /^docs\/.*\.md$/.test(path));
  const listed = navigationGroups.flatMap(({ pages: lines }) => lines.map(({ source }) => source));
  expect(documents.filter((path) => !listed.includes(path) && !isUnlistedPage(path))).toEqual([]);
  expect(listed.filter((path) => !openRepository().has(path))).toEqual([]);
  expect(pages.length).toBeGreaterThan(50);
});

test.each([
  [0.14, 'µs', '0.14 µs'],
  [18.74, 'µs', '18.7 µs'],
  [999, 'µs', '999 µs'],
  [209_953, 'µs', '210 ms'],
  [12_345_678, 'µs', '12.3 s'],
  [1_234_567, 'bytes', '1,234,567 bytes'],
  [0.002, '/s', '0.002 /s'],
])('a chart writes %s %s as %s', (value, unit, text) => {
  expect(formatMeasure(value, unit)).toBe(text);
});

test.each([
  'index.html',
  'docs/concepts.html',
  'docs/benchmarks.html',
  'reference/http.html',
  'reference/stores.html',
  'reference/assistant-ui.html',
  '404.html',
])('%s is accessible in light and dark, fits a phone and calls no other host', { tags: ['browser'] }, async (path) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, faults } = await open(path, { colorScheme });
    expect(await findSeriousViolations({ page })).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  }
  const { page, faults } = await open(path, { viewport: { width: 360, height: 740 } });
  const width = await page.evaluate('document.documentElement.scrollWidth');
  expect(width).toBeLessThanOrEqual(360);
  // A link of the header that does not fit is left out instead of being cut off.
  const bar = "document.querySelector('.main-links')";
  expect(await page.evaluate(`${bar}.scrollWidth - ${bar}.clientWidth`)).toBe(0);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('the search finds a section and opens it', { tags: ['browser'] }, async () => {
  const { page, faults } = await open('docs/getting-started.html');
  await page.keyboard.press('/');
  await page.getByRole('searchbox').fill('how do I undo');
  const first = page.locator('#search-hits a').first();
  await expect.poll(() => first.innerText()).toContain('Undo');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toContain('undo');
  await expect.poll(() => page.locator(':target').count()).toBe(1);
  expect(faults).toEqual([]);
  await page.context().close();
});

/** Returns the frame of the demo on the landing page. */
async function demoOf(page: Page): Promise<Frame> {
  const element = page.locator('iframe');
  await element.scrollIntoViewIfNeeded();
  const frame = await (await element.elementHandle())?.contentFrame();
  if (frame === null || frame === undefined) throw new Error('The first page has no demo.');
  return frame;
}

test('the demo replies, branches and undoes inside the browser', { tags: ['browser'] }, async () => {
  const { page, faults } = await open('index.html');
  const demo = await demoOf(page);
  await demo
    .getByRole('link', { name: /A sourdough starter/ })
    .first()
    .waitFor();
  await demo.getByRole('textbox', { name: 'Message', exact: true }).fill('What is a branch?');
  await page.keyboard.press('Enter');
  // The guide quotes the documentation. Its answers pass through the server's routes in the worker.
  await demo.getByText('I am the built-in guide').waitFor();
  const isBusy = () => demo.getByRole('region', { name: 'Thread' }).getAttribute('aria-busy');
  await expect.poll(isBusy).toBe('false');
  await demo.getByRole('article').first().focus();
  await page.keyboard.press('e');
  await demo.getByRole('textbox', { name: 'Edit the message' }).fill('How do I undo?');
  await demo.getByRole('button', { name: 'Branch and send' }).click();
  await demo.getByRole('group', { name: 'Version 2 of 2' }).waitFor();
  await expect.poll(() => demo.getByText('I am the built-in guide').count()).toBe(1);
  await expect.poll(isBusy).toBe('false');
  // The first undo removes the reply, the second one the edit.
  await demo.getByRole('article').last().focus();
  await page.keyboard.press('ControlOrMeta+z');
  await expect.poll(() => demo.getByRole('article').count()).toBe(1);
  await page.keyboard.press('ControlOrMeta+z');
  await expect.poll(() => demo.getByRole('group', { name: 'Version 2 of 2' }).count()).toBe(0);
  await expect.poll(() => demo.getByRole('article').first().innerText()).toContain('What is a branch?');
  expect(faults).toEqual([]);
  await page.context().close();
});

test('the demo keeps its position in the fragment, and works on a phone', { tags: ['browser'] }, async () => {
  const { page, faults } = await open('demo/index.html', { viewport: { width: 390, height: 800 } });
  await page
    .getByRole('link', { name: /A sourdough starter/ })
    .first()
    .click();
  await page.getByRole('article').first().waitFor();
  expect(page.url()).toMatch(/\/demo\/index\.html#\/t\/[\w-]+/);
  await page.goBack();
  await page.getByRole('heading', { name: 'What do you want to ask?' }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});
