// @module-tag browser
// @module-tag full
import { errorTables } from '@coppice/server/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refusalTextsDe } from '../src/i18n/de/refusals.ts';
import { makeAttackPayloads } from './attack-payloads.ts';
import { findSeriousViolations } from './axe.ts';
import { createDemoTree, type DemoTree } from './demo-tree.ts';
import { type BrowserElement, expectEventually, openPageFixture, type PageFixture } from './page-fixture.ts';

const long = process.env['COPPICE_LONG'] === '1';
let fixture: PageFixture;
let demo: DemoTree;

beforeAll(async () => {
  fixture = await openPageFixture();
  demo = await createDemoTree(fixture.server);
});
afterAll(() => fixture.close());

test('[B30] no text of a model runs code, leaves the page or calls another host, wherever it is shown', async () => {
  const texts = makeAttackPayloads(long ? 300 : 40);
  const nasty = texts[7] ?? '';
  const messages = texts.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));
  const call = {
    type: 'tool-use',
    id: 'c',
    name: '<img src=x onerror=pwned(1)>',
    parameters: { html: '<script>pwned(1)</script>' },
  };
  const made = await fixture.server.ask('POST', '/api/trees', {
    body: {
      title: '<img src=x onerror=pwned(1)>',
      tags: ['<svg onload=pwned(1)>'],
      messages: [
        ...messages,
        { role: 'user', content: 'Now' },
        {
          role: 'assistant',
          content: [
            call,
            {
              type: 'file',
              name: '"><img src=x onerror=pwned(1)>',
              mediaType: 'text/html',
              source: { type: 'text', text: nasty },
            },
            { type: 'image', source: { type: 'url', url: 'https://evil.example/x.png' } },
          ],
        },
      ],
    },
  });
  const id: string = made.body.treeId;
  const tab = await fixture.open('/');
  await tab.page.addInitScript('window.pwned = () => { throw new Error("pwned"); }');
  await tab.page.goto(`${fixture.url}/t/${id}`);
  const thread = tab.page.getByTestId('thread');
  await thread.getByText('Now', { exact: true }).waitFor();
  // Everything is rendered at least once while scrolling up.
  for (let step = 0; step < (long ? 120 : 25); step++) {
    await tab.page.mouse.move(700, 400);
    await tab.page.mouse.wheel(0, -700);
    await tab.page.waitForTimeout(30);
  }
  expect(
    await tab.page.evaluate(
      'document.querySelectorAll("[data-testid=thread] :is(script, iframe, object, embed, style, form, link, meta, base)").length',
    ),
  ).toBe(0);
  const addresses = await tab.page.evaluate(
    '[...document.querySelectorAll("[data-testid=thread] a")].map((a) => new URL(a.href).protocol)',
  );
  expect(new Set(Array.isArray(addresses) ? addresses : [])).not.toContain('javascript:');
  await tab.page.goto(`${fixture.url}/?q=onerror`);
  await tab.page.locator('.hit').first().waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

const screens = (id: string, pause: string) =>
  [
    { path: '/', ready: 'All chats' },
    { path: `/t/${id}`, ready: 'Interrupted' },
    { path: `/t/${id}?view=map`, ready: 'Branches' },
    { path: `/t/${id}?view=context`, ready: 'Not sent' },
    { path: `/t/${id}/${pause}?view=compare`, ready: 'Word by word' },
    { path: `/t/${id}?view=history`, ready: 'Preview. Nothing' },
    { path: '/settings', ready: 'Not connected' },
    { path: '/settings/tools', ready: 'current_date' },
    { path: '/settings/appearance', ready: 'Theme' },
    { path: '/settings/access', ready: 'This browser' },
    { path: '/trash', ready: 'Trash' },
  ] as const;

test('[B31] every screen, light, dark and on a phone, has no serious finding of axe', async () => {
  const looks = [
    { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
    // The window is so low that everything scrolls.
    { colorScheme: 'dark', viewport: { width: 1440, height: 420 } },
    { colorScheme: 'light', viewport: { width: 390, height: 844 } },
  ] as const;
  const found: string[] = [];
  for (const [index, look] of looks.entries()) {
    const tab = await fixture.open('/', look);
    for (const screen of screens(demo.id, demo.pause)) {
      // The short run checks each screen once, in one theme, and the thread in all.
      if (
        !long &&
        !screen.path.endsWith(demo.id) &&
        screens(demo.id, demo.pause).indexOf(screen) % looks.length !== index
      )
        continue;
      await tab.page.goto(fixture.url + screen.path);
      await tab.page.getByText(screen.ready, { exact: false }).first().waitFor({ state: 'attached' });
      await tab.page.waitForTimeout(150);
      for (const finding of await findSeriousViolations(tab))
        found.push(`${screen.path} ${look.colorScheme} ${look.viewport.width}: ${finding}`);
    }
    await tab.context.close();
  }
  expect(found).toEqual([]);
});

test('[B32] on a phone nothing is wider than the screen, the sidebar is a drawer, and a tap shows the actions', async () => {
  const tab = await fixture.open(`/t/${demo.id}`, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const thread = tab.page.getByTestId('thread');
  await thread.getByText('The script stops').waitFor();
  await expectEventually(() => tab.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await tab.page.getByRole('button', { name: 'Chats and outline' }).click();
  await tab.page.getByRole('navigation', { name: 'Chats and outline' }).getByText('Outline', { exact: true }).waitFor();
  await tab.page
    .getByRole('button', { name: 'Close' })
    .first()
    .click({ position: { x: 370, y: 400 } });
  const last = thread.getByRole('article').last();
  await last.focus();
  await expectEventually(() => last.getByRole('button', { name: 'Copy (Y)' }).isVisible()).toBe(true);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B33] the palette finds actions, trees and messages by name, and can be used by keyboard alone', async () => {
  const tab = await fixture.open(`/t/${demo.id}`);
  await tab.page.getByTestId('thread').getByText('The script stops').waitFor();
  await tab.page.keyboard.press('Control+k');
  // The text is typed, because a user who opens the palette by a key continues with keys.
  await expectEventually(() =>
    tab.page.getByRole('combobox').evaluate((field: BrowserElement) => field.matches(':focus')),
  ).toBe(true);
  await tab.page.keyboard.type('what the model');
  await tab.page.keyboard.press('Enter');
  await tab.page.getByRole('heading', { name: 'What the model sees' }).waitFor();
  await tab.page.keyboard.press('Escape');
  await tab.page.keyboard.press('Control+k');
  await tab.page.getByRole('combobox').fill('managed blue/green');
  await tab.page.getByRole('option').filter({ hasText: 'Move to a managed' }).click();
  await tab.page.getByTestId('thread').getByText('Move to a managed blue/green').waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B33] what is typed while the palette is being loaded is in its field, and in no other', async () => {
  const tab = await fixture.open(`/t/${demo.id}`);
  const { page } = tab;
  await page.getByTestId('thread').getByRole('article').first().waitFor();
  await page.route('**/command-palette-*.js', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 800));
    await route.continue();
  });
  const composer = page.getByRole('textbox', { name: 'Message', exact: true });
  await composer.focus();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('what the model');
  await page.getByRole('option', { name: /^What the model sees/ }).waitFor();
  expect(await page.getByRole('combobox').inputValue()).toBe('what the model');
  expect(await composer.inputValue()).toBe('');
  await page.keyboard.press('Escape');
  await expectEventually(() => composer.evaluate((field: BrowserElement) => field.matches(':focus'))).toBe(true);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  expect(await page.getByRole('combobox').inputValue()).toBe('');
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B34, B87] a German reader gets the page in German, including the reason why something is missing', async () => {
  const tab = await fixture.open('/', { locale: 'de-DE' });
  await tab.page.getByPlaceholder('Alle Zweige durchsuchen').waitFor();
  await expectEventually(() => tab.page.evaluate('document.documentElement.lang')).toBe('de');
  const nobody = '00000000-0000-4000-8000-000000000000';
  await tab.page.goto(`${fixture.url}/t/${nobody}`);
  await tab.page.getByText(`Den Chat ${nobody} gibt es nicht.`).waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B87] every code that the page can show has a German sentence, and no other has one', () => {
  const met = Object.values(errorTables).flatMap((codes) => Object.keys(codes));
  expect(Object.keys(refusalTextsDe).toSorted()).toEqual(met.toSorted());
});

test('[B305] Enter in the palette opens the displayed hit, however late it arrived', async () => {
  const messages = [
    { role: 'user', content: 'Where do hedgehogs sleep?' },
    { role: 'assistant', content: 'Under zwetschgen trees, mostly.' },
  ];
  const { body } = await fixture.server.ask('POST', '/api/trees', { body: { title: 'Animals', messages } });
  const tab = await fixture.open('/', { lateMs: 400 });
  const { page } = tab;
  await page.getByText('Animals').first().waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('zwetschgen');
  const hit = page.getByRole('option').filter({ hasText: 'zwetschgen trees' });
  await expectEventually(() => hit.getAttribute('aria-selected')).toBe('true');
  // While new hits are loaded, the hits of the previous words are not offered.
  await page.getByRole('combobox').fill('zwetschgen nowhere');
  await expectEventually(() => hit.count()).toBe(0);
  await page.getByRole('combobox').fill('zwetschgen');
  await expectEventually(() => hit.getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('Enter');
  await page.getByTestId('thread').getByText('Under zwetschgen trees').waitFor();
  expect(new URL(page.url()).pathname).toContain(body.treeId);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B35] a search covers every branch, and a hit opens its own branch and scrolls to the message', async () => {
  const tab = await fixture.open('/');
  await tab.page.getByRole('searchbox').fill('pool');
  await expectEventually(() => tab.page.locator('.hit').count()).toBeGreaterThan(1);
  // By keyboard, Enter opens the focused hit.
  const words = await tab.page.locator('.hit').nth(1).getAttribute('href');
  await tab.page.keyboard.press('ArrowDown');
  await tab.page.keyboard.press('ArrowDown');
  await tab.page.keyboard.press('Enter');
  await expectEventually(() => new URL(tab.page.url()).pathname).toBe(words);
  await tab.page.goBack();
  await tab.page.getByRole('searchbox').fill('HAProxy');
  await expectEventually(() => tab.page.locator('.hit').count()).toBe(1);
  await tab.page.getByRole('searchbox').press('Enter');
  const thread = tab.page.getByTestId('thread');
  await thread.getByText('Drain connections at').waitFor();
  await thread.getByRole('group', { name: 'Version 3 of 4' }).waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});
