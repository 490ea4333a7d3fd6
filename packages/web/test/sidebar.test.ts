// @module-tag browser
// @module-tag full
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSeriousViolations } from './axe.ts';
import { openPageFixture, type PageFixture, waitUntilTrue } from './page-fixture.ts';

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
  await waitUntilTrue(() => page.title()).toBe('Opened one · Coppice');
  expect(await page.locator('.chat-row').count()).toBeLessThan(80);
  await waitUntilTrue(async () => {
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
  await waitUntilTrue(async () => (await fixture.server.ask('GET', `/api/trees/${first}`)).body.pinned).toBe(true);
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
    await waitUntilTrue(async () => (await fixture.server.ask('GET', `/api/trees/${id}`)).body.deletedAt).toBeNull();
  await page.keyboard.press('Control+b');
  await page.getByRole('button', { name: /^Show the sidebar/ }).waitFor();
  expect(await findSeriousViolations(tab)).toEqual([]);
  await page.keyboard.press('Control+b');
  await row('Pear').waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});
