// @module-tag browser
// @module-tag full
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSeriousViolations } from './axe.ts';
import { type BrowserElement, expectEventually, openPageFixture, type PageFixture } from './page-fixture.ts';

let fixture: PageFixture;
beforeAll(async () => {
  fixture = await openPageFixture();
});
afterAll(() => fixture.close());

async function createChat(title: string): Promise<string> {
  const { body } = await fixture.server.ask('POST', '/api/trees', {
    body: { title, messages: [{ role: 'user', content: 'Hi' }] },
  });
  return body.treeId;
}

test('[B121] the sidebar lists all chats, draws only the visible ones, and loads older ones on scrolling', async () => {
  for (let at = 0; at < 130; at++) await createChat(`Chat ${at}`);
  const id = await createChat('Opened one');
  const tab = await fixture.open(`/t/${id}`);
  const { page } = tab;
  const list = page.locator('.chat-list');
  await list.getByText('Opened one').waitFor();
  await expectEventually(() => page.title()).toBe('Opened one · Coppice');
  expect(await page.locator('.chat-row').count()).toBeLessThan(80);
  await expectEventually(async () => {
    await list.evaluate((box: { scrollTop: number; scrollHeight: number }) => {
      box.scrollTop = box.scrollHeight;
    });
    return list.getByText('Chat 0', { exact: true }).count();
  }).toBe(1);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B121] a chat is renamed, pinned, and moved on its row, and several are deleted at once and restored', async () => {
  const [first, second] = [await createChat('Apple'), await createChat('Pear')];
  const tab = await fixture.open('/');
  const { page } = tab;
  const row = (name: string) => page.locator('.chat-row').filter({ hasText: name });
  await row('Apple').hover();
  await page.getByRole('button', { name: 'Rename Apple' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('Quince');
  await page.keyboard.press('Enter');
  await row('Quince').waitFor();
  await row('Quince').hover();
  await page.getByRole('button', { name: 'Pin Quince' }).click();
  await expectEventually(async () => (await fixture.server.ask('GET', `/api/trees/${first}`)).body.pinned).toBe(true);
  // The menu can be reached from the link by keyboard alone.
  await row('Pear').getByRole('link').focus();
  await page.getByRole('button', { name: 'Actions for Pear' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Move to project' }).click();
  await page.getByRole('dialog').getByRole('combobox').fill('Orchard');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: /^Orchard/ }).waitFor();
  expect(await findSeriousViolations(tab)).toEqual([]);
  await row('Pear').hover();
  await page.getByRole('button', { name: 'Actions for Pear' }).click();
  await page.getByRole('menuitem', { name: 'Select' }).click();
  await page.getByRole('checkbox', { name: 'Quince' }).check();
  const bar = page.getByRole('toolbar', { name: 'Selected chats' });
  await bar.getByText('2 selected').waitFor();
  expect(await findSeriousViolations(tab)).toEqual([]);
  await bar.getByRole('button', { name: 'Delete chat' }).click();
  await page.getByRole('status').getByText('2 chats moved to the trash').waitFor();
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  for (const id of [first, second])
    await expectEventually(async () => (await fixture.server.ask('GET', `/api/trees/${id}`)).body.deletedAt).toBeNull();
  await page.keyboard.press('Control+b');
  await page.getByRole('button', { name: /^Show the sidebar/ }).waitFor();
  expect(await findSeriousViolations(tab)).toEqual([]);
  await page.keyboard.press('Control+b');
  await row('Pear').waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B33, B35, B121] among many chats an old one stays pinned and is found by its title, and a range is selected, exported and pinned at once', async () => {
  const pinned = await createChat('Walnut harvest');
  await fixture.server.ask('PATCH', `/api/trees/${pinned}`, { body: { pinned: true } });
  const old = await createChat('Hazel harvest plan');
  // More than the first page of the list.
  for (let at = 0; at < 65; at++) await createChat(`Many ${at}`);
  const tab = await fixture.open('/');
  const { page } = tab;
  const list = page.locator('.chat-list');
  await list.getByText('Many 64', { exact: true }).waitFor();
  await list.getByRole('heading', { name: 'Pinned' }).waitFor();
  await list.getByText('Walnut harvest').waitFor();
  expect(await list.getByText('Hazel harvest plan').count()).toBe(0);

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('plan hazel');
  const found = page.getByRole('option').filter({ hasText: 'Hazel harvest plan' });
  await expectEventually(() => found.getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('Enter');
  await expectEventually(() => page.title()).toBe('Hazel harvest plan · Coppice');
  expect(new URL(page.url()).pathname).toBe(`/t/${old}`);

  await page.goBack();
  await page.getByRole('searchbox').fill('harvest');
  await expectEventually(() => page.locator('.hit .where').allTextContents()).toEqual([
    'Hazel harvest plan',
    'Walnut harvest',
  ]);
  await page.getByText('2 hits').or(page.getByText('2 results')).first().waitFor();
  await page.keyboard.press('Enter');
  await expectEventually(() => page.title()).toBe('Hazel harvest plan · Coppice');
  await page.goto(`${fixture.url}/`);

  await list.locator('.chat-row').filter({ hasText: 'Many 64' }).hover();
  await page.getByRole('button', { name: 'Actions for Many 64' }).click();
  await page.getByRole('menuitem', { name: 'Select' }).click();
  await page.getByRole('checkbox', { name: 'Many 60' }).click({ modifiers: ['Shift'] });
  await page.getByRole('toolbar', { name: 'Selected chats' }).getByText('5 selected').waitFor();
  const bar = page.getByRole('toolbar', { name: 'Selected chats' });
  // Several chats are one download, because a browser would block all but the first of several.
  const downloading = page.waitForEvent('download');
  await bar.getByRole('button', { name: 'Export' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('chats.zip');
  const folder = mkdtempSync(join(tmpdir(), 'coppice-sidebar-'));
  await download.saveAs(join(folder, 'chats.zip'));
  const archive = readFileSync(join(folder, 'chats.zip'), 'latin1');
  rmSync(folder, { recursive: true });
  expect(new Set(archive.match(/Many 6\d\.md/g)).size).toBe(5);
  const pins = async () => (await fixture.server.ask('GET', '/api/trees?pinned=true')).body.items.length;
  const before = await pins();
  await bar.getByRole('button', { name: 'Pin' }).click();
  await page.getByRole('status').getByText('5 chats changed').waitFor();
  expect(await pins()).toBe(before + 5);
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await expectEventually(pins).toBe(before);
  // The range depends on the order of the rows, which the page changes after the server.
  await expectEventually(async () => {
    const names = await list.locator('.chat-row').allTextContents();
    const first = names.findIndex((name) => /Many 6\d/.test(name));
    return names.slice(first, first + 5).map((name) => /Many \d+/.exec(name)?.[0]);
  }).toEqual(['Many 64', 'Many 63', 'Many 62', 'Many 61', 'Many 60']);
  await page.getByRole('checkbox', { name: 'Many 62' }).click({ modifiers: ['Shift'] });
  await page.getByRole('toolbar', { name: 'Selected chats' }).getByText('2 selected').waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B36] an order by title includes the chats that are not loaded yet', async () => {
  await createChat('Aardvark');
  for (let at = 0; at < 65; at++) await createChat(`Zebra ${at}`);
  const tab = await fixture.open('/');
  const { page } = tab;
  await page.locator('.trees').getByText('Zebra 64', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Title', exact: true }).click();
  await expectEventually(() => page.locator('.trees .tree-name b').first().textContent()).toBe('Aardvark');
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B121] a chat far down in the list keeps its place when it is renamed, and returns to it when it is restored', async () => {
  const low = await createChat('Rowan berries');
  await createChat('Below it');
  for (let at = 0; at < 62; at++) await createChat(`Above ${at}`);
  const tab = await fixture.open('/');
  const { page } = tab;
  const list = page.locator('.chat-list');
  const scrollTo = (name: string) =>
    expectEventually(async () => {
      // At the end of the list the search starts again at the top: a row that was drawn late may have been passed.
      await list.evaluate((box: BrowserElement) => {
        const atEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
        box.scrollTo(0, atEnd ? 0 : box.scrollTop + 300);
      });
      return list.getByText(name, { exact: true }).count();
    }).toBe(1);
  await scrollTo('Rowan berries');
  await fixture.server.ask('PATCH', `/api/trees/${low}`, { body: { title: 'Rowan jelly', tags: ['cooking'] } });
  await list.getByText('Rowan jelly', { exact: true }).waitFor();
  const names = await page.locator('.chat-row').allTextContents();
  const at = names.findIndex((name) => name.includes('Rowan jelly'));
  expect(names[at - 1]).toContain('Below it');
  const { version } = (await fixture.server.ask('GET', `/api/trees/${low}`)).body;
  await fixture.server.ask('DELETE', `/api/trees/${low}`, { version });
  await expectEventually(() => list.getByText('Rowan jelly', { exact: true }).count()).toBe(0);
  await fixture.server.ask('POST', `/api/trees/${low}/restore`);
  await list.getByText('Rowan jelly', { exact: true }).waitFor();
  expect((await page.locator('.chat-row').allTextContents())[at]).toContain('Rowan jelly');
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});
