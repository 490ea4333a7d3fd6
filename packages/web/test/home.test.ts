// @module-tag browser
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSeriousViolations } from './axe.ts';
import { builtPageFolder } from './browser.ts';
import { createDemoTree, type DemoTree } from './demo-tree.ts';
import { expectEventually, openPageFixture, type PageFixture, type PageTab } from './page-fixture.ts';

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

test('[B36] home draws each tree with its branches and messages, and follows its changes', async () => {
  const said = [
    { role: 'user', content: 'Alone' },
    { role: 'assistant', content: 'Indeed.' },
  ];
  const made = await fixture.server.ask('POST', '/api/trees', { body: { title: 'One stem', messages: said } });
  const tab = await fixture.open('/');
  const { page } = tab;
  const line = page.getByRole('listitem').filter({ hasText: 'One stem' });
  await line.getByText('2 messages').waitFor();
  await line.getByText('1 branch', { exact: true }).waitFor();
  await line.getByText('Indeed.', { exact: true }).waitFor();
  await expectEventually(() => line.locator('.stool path.active-line').count()).toBe(1);
  const { body } = await fixture.server.ask('GET', `/api/shapes?ids=${demo.id}`);
  const large = page.getByRole('listitem').filter({ hasText: 'Postgres 12' });
  await large.getByText('on 20-second freeze: cutover.sh, first half').waitFor();
  await large.getByText(`${body.items[0].branches} branches`).waitFor();
  await expectEventually(() => large.locator('.stool path:not(.base-line)').count()).toBe(body.items[0].stems.length);
  await fixture.server.ask('POST', `/api/trees/${made.body.treeId}/nodes/${made.body.nodes[1].id}/edit`, {
    version: made.body.version,
    body: { content: 'Not at all.' },
  });
  await line.getByText('2 branches').waitFor();
  await line.getByText('Not at all.', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Most branched' }).click();
  await expectEventually(() => page.locator('.trees li').first().textContent()).toContain('Postgres 12');
  await done(tab);
});

test('[B37] bookmarks of all trees are in one list, and each opens its message on its own branch', async () => {
  const tab = await fixture.open('/');
  const { page } = tab;
  await page.getByRole('link', { name: 'Bookmarks' }).click();
  const line = page.locator('.bookmark-line').filter({ has: page.getByText('pgbouncer pause', { exact: true }) });
  await line.waitFor();
  await expectEventually(() => line.textContent()).toContain('Postgres 12');
  expect(await findSeriousViolations(tab)).toEqual([]);
  await line.click();
  await page.getByTestId('thread').waitFor();
  await expectEventually(() => page.url()).toContain(demo.id);
  await done(tab);
});

test('[B104] the served page is a production build, even when a test runner builds it', async () => {
  expect(process.env.NODE_ENV).not.toBe('production');
  const scripts = readdirSync(join(builtPageFolder, 'assets')).filter((name) => name.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(5);
  for (const name of scripts)
    expect(readFileSync(join(builtPageFolder, 'assets', name), 'utf8')).not.toContain('jsxDEV');
});

test('[B92] an unknown address says so, and a deleted message still leads to its tree', async () => {
  const tab = await fixture.open('/t/%E0%A4%A');
  await tab.page.getByRole('heading', { name: 'Chat not found' }).waitFor();
  await tab.page.goto(`${fixture.url}/t/${demo.id}/00000000-0000-4000-8000-000000000000`);
  await tab.page.getByTestId('thread').getByText('The script stops at the first doubt').waitFor();
  await tab.page.getByRole('status').getByText('is not in this chat').waitFor();
  await expectEventually(() => new URL(tab.page.url()).pathname).toBe(`/t/${demo.id}`);
  await done(tab);
});

test('[B93] a screen that cannot be loaded says so, and the rest of the page works', async () => {
  const tab = await fixture.open(`/t/${demo.id}`);
  await tab.page.getByTestId('thread').getByRole('article').first().waitFor();
  await tab.page.route('**/assets/{context-screen,split-dialog}-*.js', (route) => route.abort());
  await tab.page.locator(`[data-node-id="${demo.leaf}"] article`).focus();
  await tab.page.keyboard.press('x');
  await tab.page.getByRole('status').getByText('could not be shown').waitFor();
  await tab.page.keyboard.press('g');
  await tab.page.keyboard.press('c');
  await tab.page.getByRole('alert').getByText('could not be shown').waitFor();
  await tab.page.getByRole('button', { name: 'All chats' }).click();
  await tab.page.getByRole('heading', { name: 'Chats' }).first().waitFor();
  await done(tab);
});

test('[B94] a tree in the trash is marked where it is read, and one click restores it', async () => {
  const made = await fixture.server.ask('POST', '/api/trees', {
    body: { title: 'Thrown away', messages: [{ role: 'user', content: 'Still here' }] },
  });
  await fixture.server.ask('DELETE', `/api/trees/${made.body.treeId}`);
  const tab = await fixture.open(`/t/${made.body.treeId}`);
  await tab.page.getByText('in the trash').waitFor();
  await tab.page.getByRole('button', { name: 'Restore' }).click();
  await expectEventually(() => tab.page.getByText('in the trash').count()).toBe(0);
  await expectEventually(
    async () => (await fixture.server.ask('GET', `/api/trees/${made.body.treeId}`)).body.deletedAt,
  ).toBe(null);
  await done(tab);
});

test('[B109] undo on the list of chats restores a deleted chat and names it; in an open chat it applies to that chat', async () => {
  const made = await fixture.server.ask('POST', '/api/trees', {
    body: { title: 'Worth keeping', messages: [{ role: 'user', content: 'Hello' }] },
  });
  const { treeId, version } = made.body;
  const tab = await fixture.open('/');
  await tab.page.getByText('Worth keeping').first().waitFor();
  await fixture.server.ask('DELETE', `/api/trees/${treeId}`, { version });
  await expectEventually(() => tab.page.getByRole('main').getByText('Worth keeping').count()).toBe(0);
  await tab.page.keyboard.press('Control+z');
  await tab.page.getByRole('status').getByText('“Worth keeping”').waitFor();
  await expectEventually(() => tab.page.getByRole('main').getByText('Worth keeping').count()).toBeGreaterThan(0);
  expect((await fixture.server.ask('GET', `/api/trees/${treeId}`)).body.deletedAt).toBeNull();
  await tab.page.getByRole('status').getByRole('button', { name: /Redo/ }).click();
  await expectEventually(
    async () => (await fixture.server.ask('GET', `/api/trees/${treeId}`)).body.deletedAt === null,
  ).toBe(false);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B109] a chat without a title is named by its first words when something in it is undone', async () => {
  const { body } = await fixture.server.ask('POST', '/api/trees', {
    body: { messages: [{ role: 'user', content: 'What grows in the shade?' }] },
  });
  const tab = await fixture.open('/');
  await fixture.server.ask('PATCH', `/api/trees/${body.treeId}`, { body: { tags: ['garden'] } });
  await tab.page.keyboard.press('Control+z');
  await tab.page.getByRole('status').getByText('Undid the last change in “What grows in the shade?”').waitFor();
  await tab.context.close();
});
