// @module-tag full
/** Builds the examples with Vite, serves them with their own servers, and drives them in a browser. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectEventually, openTestBrowser } from '@coppice/web/testing';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer as startAssistantUi } from '../examples/assistant-ui/server.ts';
import { startServer as startReactComponents } from '../examples/react-components/server.ts';
import { startServer as startViteAiSdk } from '../examples/vite-ai-sdk/server.ts';

const examples = join(import.meta.dirname, '../examples');

interface Started {
  readonly url: string;
  close(): Promise<void>;
}

/** Builds and starts an example with a store in memory, and opens it. */
async function startExample(
  name: string,
  start: (options: { port: number; root: string; url: string }) => Promise<Started>,
): Promise<Started & { open(context?: BrowserContext, path?: string): Promise<Page>; readonly faults: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), `coppice-${name}-`));
  const root = join(folder, 'dist');
  await build({ root: join(examples, name), logLevel: 'error', build: { outDir: root } });
  const started = await start({ port: 0, root, url: 'memory:' });
  const faults: string[] = [];
  return {
    ...started,
    faults,
    async open(context, path = '') {
      const page = await (context ?? (await browser.newContext())).newPage();
      page.on('pageerror', (error) => faults.push(error.message));
      await page.goto(started.url + path);
      return page;
    },
    close: async () => {
      await started.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

let browser: Browser;
beforeAll(async () => {
  browser = await openTestBrowser();
});
afterAll(() => browser?.close());

const open: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const each of open) await each.close();
});

describe('vite-ai-sdk', { tags: ['browser'] }, () => {
  const texts = (page: Page) => page.locator('ol p').allTextContents();
  const status = (page: Page) => page.locator('main').getAttribute('data-status');
  const send = async (page: Page, text: string) => {
    await page.getByLabel('Message').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  };
  const begin = (page: Page) => page.locator('main[data-ready=true]').waitFor();

  test('sends, edits, regenerates, switches, reloads and follows another tab', async () => {
    const example = await startExample('vite-ai-sdk', startViteAiSdk);
    open.push(example);
    const page = await example.open();
    await begin(page);
    await send(page, 'Dough?');
    await expectEventually(() => texts(page)).toEqual(['Dough?', 'Answer 1 to: Dough?']);
    await expectEventually(() => status(page)).toBe('ready');

    await page.getByRole('button', { name: 'Regenerate' }).click();
    await expectEventually(() => texts(page)).toEqual(['Dough?', 'Answer 2 to: Dough?']);
    await expectEventually(() => page.locator('output').allTextContents()).toEqual(['2/2']);
    await page.getByRole('button', { name: 'Previous version' }).click();
    await expectEventually(() => texts(page)).toEqual(['Dough?', 'Answer 1 to: Dough?']);

    await page.getByRole('button', { name: 'Edit' }).first().click();
    await page.getByLabel('New version').fill('Rye dough?');
    await page.getByRole('button', { name: 'Save' }).click();
    await expectEventually(() => texts(page)).toEqual(['Rye dough?', 'Answer 3 to: Rye dough?']);
    await expectEventually(() => page.locator('output').allTextContents()).toEqual(['2/2']);

    await page.reload();
    await expectEventually(() => texts(page)).toEqual(['Rye dough?', 'Answer 3 to: Rye dough?']);
    const other = await example.open(page.context());
    await expectEventually(() => texts(other)).toEqual(['Rye dough?', 'Answer 3 to: Rye dough?']);
    await expectEventually(() => status(page)).toBe('ready');
    await send(page, 'Again?');
    await expectEventually(() => texts(other)).toContain('Answer 4 to: Again?');
    await page.getByRole('button', { name: 'Previous version' }).click();
    await expectEventually(() => texts(page)).toEqual(['Dough?', 'Answer 1 to: Dough?']);
    // Each tab has its own position in the chat.
    expect(await texts(other)).toContain('Answer 4 to: Again?');
    expect(example.faults).toEqual([]);
  });

  test('stops, resumes after a reload, and undoes a reply that is being generated', async () => {
    const example = await startExample('vite-ai-sdk', startViteAiSdk);
    open.push(example);
    const page = await example.open();
    await begin(page);
    await send(page, 'Say it slowly');
    await expectEventually(async () => (await texts(page))[1] ?? '').toContain('and so on and so on');
    await page.getByRole('button', { name: 'Stop' }).click();
    await expectEventually(() => status(page)).toBe('ready');
    const [, stopped = ''] = await texts(page);
    expect(stopped.length).toBeLessThan(1000);
    await page.reload();
    await expectEventually(() => texts(page)).toEqual(['Say it slowly', stopped]);

    await page.getByRole('button', { name: 'Regenerate' }).click();
    await expectEventually(async () => (await texts(page))[1] ?? '').toContain('Answer 2 to: Say it slowly and so on');
    await page.reload();
    await expectEventually(async () => (await texts(page))[1] ?? '').toContain('Answer 2 to: Say it slowly and so on');
    await expectEventually(() => status(page)).toBe('ready');
    const [, whole = ''] = await texts(page);
    expect(whole).toBe(`Answer 2 to: Say it slowly${' and so on'.repeat(100)}`);

    await page.getByRole('button', { name: 'Regenerate' }).click();
    await expectEventually(async () => (await texts(page))[1] ?? '').toContain('Answer 3');
    await page.reload();
    await expectEventually(async () => (await texts(page))[1] ?? '').toContain('Answer 3');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expectEventually(async () => (await texts(page))[1] ?? '').toBe(whole);
    expect(example.faults).toEqual([]);
  });
});

describe('assistant-ui', { tags: ['browser'] }, () => {
  const shown = async (page: Page) => (await page.locator('[data-role]').allInnerTexts()).join(' ');

  test('its branch picker, editing and threads survive a reload', async () => {
    const example = await startExample('assistant-ui', startAssistantUi);
    open.push(example);
    const page = await example.open();
    await page.getByLabel('Message').fill('Dough?');
    await page.getByRole('button', { name: 'Send' }).click();
    await expectEventually(() => shown(page)).toContain('Answer 1 to: Dough?');
    await page.getByRole('button', { name: 'Regenerate' }).click();
    await expectEventually(() => shown(page)).toContain('Answer 2 to: Dough?');
    await expectEventually(() => page.locator('output').allTextContents()).toEqual(['2/2']);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('New version').fill('Rye dough?');
    await page.getByRole('button', { name: 'Save' }).click();
    await expectEventually(() => shown(page)).toContain('Answer 3 to: Rye dough?');
    await expectEventually(() => page.getByRole('button', { name: 'Dough?', exact: true }).count()).toBe(1);

    const again = await example.open(page.context());
    await again.getByRole('button', { name: 'Dough?', exact: true }).click();
    await expectEventually(() => shown(again)).toContain('Answer 3 to: Rye dough?');
    await expectEventually(() => again.locator('output').allTextContents()).toEqual(['2/2']);
    await again.getByRole('button', { name: 'Previous version' }).click();
    await expectEventually(() => shown(again)).toContain('Answer 1 to: Dough?');
    await again.getByRole('button', { name: 'Next version' }).last().click();
    await expectEventually(() => shown(again)).toContain('Answer 2 to: Dough?');
    expect(example.faults).toEqual([]);
  });

  test('a stopped reply is kept', async () => {
    const example = await startExample('assistant-ui', startAssistantUi);
    open.push(example);
    const page = await example.open();
    await page.getByLabel('Message').fill('Say it slowly');
    await page.getByRole('button', { name: 'Send' }).click();
    await expectEventually(() => shown(page)).toContain('and so on and so on');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Regenerate' }).waitFor();
    await expectEventually(() => page.getByRole('button', { name: 'Say it slowly', exact: true }).count()).toBe(1);
    const again = await example.open(page.context());
    await again.getByRole('button', { name: 'Say it slowly', exact: true }).click();
    await expectEventually(() => shown(again)).toContain('and so on and so on');
    expect(example.faults).toEqual([]);
  });
});

describe('react-components', { tags: ['browser'] }, () => {
  const texts = (page: Page) => page.locator('.coppice-thread .coppice-text').allTextContents();
  const message = (page: Page, text: string) => page.locator('.coppice-message', { hasText: text });

  test('sends, edits, regenerates, switches, undoes, reloads and follows another tab', async () => {
    const example = await startExample('react-components', startReactComponents);
    open.push(example);
    const page = await example.open();
    await page.getByRole('button', { name: 'New chat' }).click();
    const field = page.getByLabel('Message', { exact: true });
    await field.fill('How do I undo?');
    await field.press('Enter');
    await expectEventually(async () => (await texts(page)).length).toBe(2);
    await page.getByRole('button', { name: 'Regenerate' }).click();
    await expectEventually(() => page.locator('.coppice-variants').allTextContents()).toEqual(['‹2/2›']);
    await message(page, 'How do I undo?').first().getByRole('button', { name: 'Edit' }).click();
    await page.locator('.coppice-message textarea').fill('What is a branch?');
    await page.getByRole('button', { name: 'Save' }).click();
    await expectEventually(async () => (await texts(page))[0]).toBe('What is a branch?');
    // The edited question is answered.
    await expectEventually(async () => (await texts(page)).length).toBe(2);
    // The page shows the other version before the server has stored the switch.
    const stored = page.waitForResponse((response) => response.url().endsWith('/active'));
    await page.getByRole('button', { name: 'Previous version' }).first().click();
    await expectEventually(async () => (await texts(page))[0]).toBe('How do I undo?');
    await stored;
    await page.reload();
    await expectEventually(async () => (await texts(page))[0]).toBe('How do I undo?');

    const other = await page.context().newPage();
    await other.goto(page.url());
    await expectEventually(async () => (await texts(other))[0]).toBe('How do I undo?');
    // The first undo removes the reply, the second one the edit.
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expectEventually(() => other.locator('.coppice-variants').count()).toBeLessThan(2);
    expect(example.faults).toEqual([]);
  });
});

describe('node-openai', () => {
  test('asks, regenerates and edits with the OpenAI client', () => {
    const folder = join(examples, 'node-openai');
    const words = ['--import', 'tsx', join(folder, 'chat.ts'), 'memory:'];
    const said = execFileSync(process.execPath, words, { cwd: folder, encoding: 'utf8' }).trim().split('\n');
    expect(said[0]).toBe('2 of 2 replies');
    expect(said[1]).toBe('user assistant');
    expect(said[2]).toMatch(/^How do I undo\? \| Again: \S+/);
  });
});
