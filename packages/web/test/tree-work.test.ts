// @module-tag browser
// @module-tag full
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSeriousViolations } from './axe.ts';
import { createDemoTree, type DemoTree } from './demo-tree.ts';
import {
  type BrowserElement,
  expectEventually,
  openPageFixture,
  type PageFixture,
  type PageTab,
} from './page-fixture.ts';

let fixture: PageFixture;
let demo: DemoTree;

beforeAll(async () => {
  fixture = await openPageFixture();
  demo = await createDemoTree(fixture.server);
});
afterAll(() => fixture.close());

async function done(tab: PageTab): Promise<void> {
  expect(tab.faults).toEqual([]);
  await tab.context.close();
}

async function newTree(title: string, ...said: readonly string[]): Promise<{ id: string; version: number }> {
  const messages = said.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));
  const { body } = await fixture.server.ask('POST', '/api/trees', { body: { title, messages } });
  return { id: body.treeId, version: body.version };
}

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('[B60] the inspector lists the context with its tokens; a hidden message is left out and can be shown again', async () => {
  const tab = await fixture.open(`/t/${demo.id}?view=context`);
  const list = tab.page.getByRole('list', { name: 'In force' }).or(tab.page.locator('ol.ctxlist')).first();
  const row = list.getByRole('listitem').filter({ hasText: 'How long will the first copy' });
  await row.getByRole('button', { name: 'Hide from the model' }).click();
  await tab.page.getByText('Excluded by you').waitFor();
  const { body } = await fixture.server.ask('GET', `/api/trees/${demo.id}/context`);
  expect(JSON.stringify(body.entries)).not.toContain('How long will the first copy');
  await row.getByRole('button', { name: 'Show to the model again' }).click();
  await expect.poll(() => tab.page.getByText('Excluded by you').count()).toBe(0);
  await tab.page.getByText('21 messages on other branches').waitFor();
  await done(tab);
});

test('[B61] variants are shown side by side and any two word by word; continuing from another keeps the rest', async () => {
  const tab = await fixture.open(`/t/${demo.id}?view=compare&a=${demo.answers[1]}&b=${demo.answers[2]}`);
  const { page } = tab;
  await page.locator('.diff mark').first().waitFor();
  await expectEventually(() => page.getByRole('article').count()).toBe(3);
  // A reply that called a tool is shown with the result and the text after it.
  await page.getByRole('article', { name: 'claude-sonnet' }).getByText('Logical replication into a fresh 16').waitFor();
  await page.getByRole('article', { name: 'claude-sonnet' }).getByRole('button', { name: 'Compare as A' }).click();
  await page.locator('.diff .model-1').last().getByText('Logical').waitFor();
  const sideB = page.locator('.diff .model-5').last();
  await expectEventually(() => sideB.textContent()).toContain('managed blue/green deployment');
  await expectEventually(() => sideB.textContent()).not.toContain('pg_upgrade');
  await page.keyboard.press(']');
  await page.locator('.diff mark.at').waitFor();
  await page.getByRole('article', { name: 'qwen3-32b' }).getByRole('button', { name: 'Continue from this' }).click();
  await page.getByTestId('thread').getByText('Both machines for nine days').waitFor();
  const { body } = await fixture.server.ask('GET', `/api/trees/${demo.id}/nodes/${demo.asked}/children`);
  expect(body.nodes.length).toBe(3);
  await done(tab);
});

test('[B62] any earlier state can be viewed without a change, and restored, which adds a version', async () => {
  const { id } = await newTree('Travel', 'First', 'Second');
  const past = (await fixture.server.ask('GET', `/api/trees/${id}`)).body.version;
  await fixture.server.ask('POST', `/api/trees/${id}/messages`, {
    version: past,
    body: { messages: [{ role: 'user', content: 'Third' }] },
  });
  const tab = await fixture.open(`/t/${id}?view=history`);
  await tab.page.getByText('Third', { exact: true }).waitFor();
  await tab.page.getByRole('slider', { name: 'State' }).fill(String(past));
  await expect.poll(() => tab.page.getByText('Third', { exact: true }).count()).toBe(0);
  await expectEventually(async () => (await fixture.server.ask('GET', `/api/trees/${id}`)).body.version).toBe(past + 1);
  await tab.page.getByRole('button', { name: 'Restore this state' }).click();
  await tab.page.getByTestId('thread').getByText('Second').waitFor();
  const { body } = await fixture.server.ask('GET', `/api/trees/${id}?format=linear`);
  expect(body.version).toBe(past + 2);
  expect(body.messages.length).toBe(2);
  await done(tab);
});

test('[B63] a link shows exactly one branch to somebody without a token, until it is revoked', async () => {
  const tab = await fixture.open(`/t/${demo.id}/${demo.leaf}`);
  const { page } = tab;
  await page.getByTestId('thread').getByText('The script stops').waitFor();
  await page.getByRole('button', { name: /share/i }).first().click();
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = await page.getByRole('textbox', { name: 'Link' }).inputValue();
  const context = await fixture.browser.newContext();
  const guest = await context.newPage();
  await guest.goto(link);
  await guest.getByText('Pause the pool instead of stopping').waitFor();
  await expectEventually(() => guest.getByText('Drain connections').count()).toBe(0);
  await expectEventually(() => guest.getByText('careful staff engineer').count()).toBe(0);
  await page.getByRole('button', { name: 'Revoke' }).first().click();
  await expect.poll(() => page.getByRole('list', { name: 'Links to this chat' }).count()).toBe(0);
  await guest.reload();
  await guest.getByText('This link is no longer valid').waitFor();
  await context.close();
  await done(tab);
});

test('[B63] whoever has a link sees the pictures of its branch', async () => {
  const bytes = Buffer.from(onePixel, 'base64');
  const { hash } = (
    await fixture.server.ask('POST', '/api/attachments', { body: bytes, headers: { 'content-type': 'image/png' } })
  ).body;
  const image = { type: 'image', mediaType: 'image/png', source: { type: 'blob', hash } };
  const messages = [{ role: 'user', content: [image] }];
  const { treeId } = (await fixture.server.ask('POST', '/api/trees', { body: { messages } })).body;
  const { url } = (await fixture.server.ask('POST', `/api/trees/${treeId}/shares`, { body: {} })).body;
  const context = await fixture.browser.newContext();
  const guest = await context.newPage();
  await guest.goto(fixture.url + url);
  const picture = guest.locator('img.picture');
  await picture.waitFor();
  await expect.poll(() => picture.evaluate((each) => 'naturalWidth' in each && each.naturalWidth)).toBe(1);
  await context.close();
});

test('[B64] a deleted tree or message is in the trash and can be restored', async () => {
  const kept = await newTree('Kept', 'Stays', 'Goes away');
  const { body } = await fixture.server.ask('GET', `/api/trees/${kept.id}`);
  await fixture.server.ask('DELETE', `/api/trees/${kept.id}/nodes/${body.activeNodeId}?mode=splice`, {
    version: body.version,
  });
  const whole = await newTree('Thrown away', 'Hello');
  await fixture.server.ask('DELETE', `/api/trees/${whole.id}`);
  const tab = await fixture.open('/trash');
  const rows = tab.page.locator('.trashrow');
  await rows.filter({ hasText: 'Thrown away' }).getByRole('button', { name: 'Restore' }).click();
  await expect.poll(() => rows.filter({ hasText: 'Thrown away' }).count()).toBe(0);
  await expectEventually(async () => (await fixture.server.ask('GET', `/api/trees/${whole.id}`)).body.deletedAt).toBe(
    null,
  );
  await rows.filter({ hasText: 'Goes away' }).getByRole('button', { name: 'Restore' }).click();
  await tab.page.getByTestId('thread').getByText('Goes away').waitFor();
  await done(tab);
});

test('[B65] the delete dialog draws each choice with its exact count, and the button repeats it', async () => {
  const tab = await fixture.open(`/t/${demo.id}/${demo.pause}`);
  const { page } = tab;
  await page.locator(`[data-node-id="${demo.pause}"]`).focus();
  await page.keyboard.press('Backspace');
  const dialog = page.getByRole('dialog', { name: 'Delete “Pause the pool instead of…”', exact: true });
  await dialog.getByText('Deletes 4 messages').first().waitFor();
  await expectEventually(() => dialog.locator('svg').count()).toBeGreaterThanOrEqual(3);
  await expectEventually(() =>
    dialog.getByRole('radio', { checked: true }).evaluate((each: BrowserElement) => each.matches(':focus')),
  ).toBe(true);
  await page.keyboard.press('ArrowDown');
  await dialog.getByRole('button', { name: 'Delete 4' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await done(tab);
});

test('[B66] settings show which providers are ready and never a key; theme and language are remembered', async () => {
  const tab = await fixture.open('/settings');
  const { page } = tab;
  await page.getByRole('listitem').filter({ hasText: 'OpenRouter' }).getByText('Not connected').waitFor();
  await page.getByRole('link', { name: 'Appearance' }).click();
  await page.getByRole('button', { name: 'Dark' }).click();
  await page.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch');
  await page.getByRole('navigation', { name: 'Einstellungen' }).waitFor();
  await expectEventually(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  await page.reload();
  await page.getByRole('navigation', { name: 'Einstellungen' }).waitFor();
  await expectEventually(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  await done(tab);
});

test('[B67] a user without a tree is shown an example in four steps', async () => {
  const empty = await openPageFixture();
  try {
    const tab = await empty.open('/');
    const { page } = tab;
    await page.getByRole('button', { name: 'See an example' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Quick tour' });
    await dialog.getByText('The green line is the current branch').waitFor();
    for (let step = 0; step < 3; step++) await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.getByTestId('thread').getByText('Toss a coin').waitFor();
    await page.getByRole('group', { name: 'Version 2 of 2' }).first().waitFor();
    await done(tab);
  } finally {
    await empty.close();
  }
});

test('[B263] undo and redo name what they would change and are disabled without anything; the history lists acts in words', async () => {
  const { id } = await newTree('Acts', 'Hello');
  const tab = await fixture.open(`/t/${id}`);
  const { page } = tab;
  await page.getByTestId('thread').getByText('Hello').waitFor();
  const bar = page.locator('.main > .bar');
  await expectEventually(() => bar.getByRole('button', { name: 'Nothing to redo' }).isDisabled()).toBe(true);
  // A message without a reply has a button that generates one.
  const composer = page.getByRole('textbox', { name: 'Message' });
  await composer.fill('A note');
  await page.keyboard.press('Alt+Enter');
  await page.getByText('No reply yet.').waitFor();
  // Undo is described when the user points at it, so that sending a message costs one request.
  await bar.getByRole('button', { name: /^Undo/ }).hover();
  await bar.getByRole('button', { name: /Undo: Added a message, “A note”/ }).waitFor();
  await page.getByRole('button', { name: 'Get a reply' }).click();
  await expectEventually(() => page.getByText('No reply yet.').count()).toBe(0);
  await page.getByTestId('thread').getByRole('article').nth(2).waitFor();
  await bar.getByRole('button', { name: /^Undo/ }).click();
  await expectEventually(() => page.getByTestId('thread').getByRole('article').count()).toBe(2);
  await bar.getByRole('button', { name: /^Redo/ }).hover();
  await bar.getByRole('button', { name: /^Redo: / }).waitFor();
  expect(await findSeriousViolations(tab)).toEqual([]);
  await page.goto(`${fixture.url}/t/${id}?view=history`);
  const acts = page.getByRole('navigation', { name: 'What happened' });
  await acts.getByText(/^Undo: /).waitFor();
  const [slider, first] = [page.getByRole('slider'), acts.getByRole('button').last()];
  await first.click();
  await expectEventually(() => first.getAttribute('aria-current')).toBe('true');
  expect(Number(await slider.inputValue())).toBeLessThan(Number(await slider.getAttribute('max')));
  expect(await findSeriousViolations(tab)).toEqual([]);
  await done(tab);
});
