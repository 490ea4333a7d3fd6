// @module-tag browser
// @module-tag full
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSeriousViolations } from './axe.ts';
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

test('[B50] the map can be used by keys: arrows move between messages and variants, Enter opens one', async () => {
  const tab = await fixture.open(`/t/${demo.id}?view=map`);
  const map = tab.page.locator('.map-canvas');
  await tab.page.getByRole('navigation', { name: 'Branches' }).getByText('pgbouncer pause').waitFor();
  await expectEventually(() => map.getAttribute('aria-label')).toContain('32');
  await map.focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight']) await tab.page.keyboard.press(key);
  const preview = tab.page.locator('.preview');
  await preview.getByText('Drain connections at HAProxy').waitFor();
  await expectEventually(() => preview.textContent()).toContain('3/4');
  await tab.page.keyboard.press('Enter');
  await tab.page.getByTestId('thread').getByText('Drain connections at HAProxy').waitFor();
  await tab.page.goBack();
  await done(tab);
});

test('[B51] zoomed in each message is a card, the minimap shows the whole tree, and a search dims other messages', async () => {
  const tab = await fixture.open(`/t/${demo.id}/${demo.leaf}?view=map`, { lateMs: 600 });
  await tab.page.getByRole('button', { name: 'Near', exact: true }).click();
  const card = tab.page.locator('.mcard').filter({ hasText: 'cutover.sh, first half' });
  await card.waitFor();
  await expectEventually(() => tab.page.locator('.minimap rect.view').count()).toBe(1);
  await tab.page.getByRole('searchbox', { name: 'Find on the map' }).fill('extensions');
  await tab.page.getByRole('status').filter({ hasText: '2' }).waitFor({ state: 'attached' });
  await card.click();
  await tab.page.getByTestId('thread').getByText('The script stops at the first doubt').waitFor();
  await done(tab);
});

test('[B302] hits on the map are counted and visited one by one, by keys and buttons, and the whole tree can be fitted again', async () => {
  for (const size of [
    { width: 1280, height: 800 },
    { width: 390, height: 800 },
  ]) {
    const tab = await fixture.open(`/t/${demo.id}/${demo.leaf}?view=map`, { viewport: size });
    const { page } = tab;
    await page.getByRole('main', { name: 'Map' }).waitFor();
    const finder = page.getByRole('search').getByRole('searchbox');
    await finder.fill('extensions');
    const count = page.getByRole('search').getByRole('status');
    await expectEventually(() => count.textContent()).toMatch(/^\d+ found$/);
    const total = Number((await count.textContent())?.split(' ')[0]);
    expect(total).toBeGreaterThan(1);
    const preview = page.locator('.preview');
    await finder.press('Enter');
    await expectEventually(() => count.textContent()).toBe(`1 of ${total}`);
    await preview.waitFor();
    await expectEventually(() => page.evaluate("document.querySelector('.bar').scrollWidth <= innerWidth")).toBe(true);
    await page.getByRole('button', { name: 'Next match' }).click();
    await expectEventually(() => count.textContent()).toBe(`2 of ${total}`);
    await finder.press('Shift+Enter');
    await finder.press('Shift+Enter');
    await expectEventually(() => count.textContent()).toBe(`${total} of ${total}`);
    await finder.press('Escape');
    await expectEventually(() => count.textContent()).toBe('');
    const reduce = page.getByRole('button', { name: /^Zoom out/ });
    while (!(await reduce.isDisabled())) await reduce.click();
    await page.getByRole('button', { name: /^Zoom in/ }).click();
    await expectEventually(() => reduce.isDisabled()).toBe(false);
    await page.getByRole('button', { name: /^Show the whole tree/ }).click();
    expect(await findSeriousViolations(tab)).toEqual([]);
    await done(tab);
  }
});

test('[B303] while a large tree is loaded, the map shows how much of it has arrived', async () => {
  const tab = await fixture.open('/');
  const { page, context } = tab;
  let release: (() => void) | undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await context.route('**/topology/columns', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${fixture.url}/t/${demo.id}?view=map`);
  await page.getByRole('progressbar', { name: 'Loading the tree…' }).waitFor();
  expect(await findSeriousViolations(tab)).toEqual([]);
  release?.();
  await expectEventually(() => page.getByRole('progressbar').count()).toBe(0);
  await page.getByRole('navigation', { name: 'Branches' }).waitFor();
  await done(tab);
});

test('[B304] the outline is scrolled to the current message, when a chat opens and when another message is marked', async () => {
  const messages = Array.from({ length: 60 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `Message number ${at}`,
  }));
  const { body } = await fixture.server.ask('POST', '/api/trees', { body: { title: 'Long', messages } });
  // Forks keep the rows from being folded.
  const { body: thread } = await fixture.server.ask('GET', `/api/trees/${body.treeId}/page?limit=100`);
  const nodes: readonly { readonly id: string; readonly parentId: string }[] = thread.nodes;
  for (const node of nodes.filter((_, at) => at % 3 === 0))
    await fixture.server.ask('POST', `/api/trees/${body.treeId}/messages`, {
      version: (await fixture.server.ask('GET', `/api/trees/${body.treeId}`)).body.version,
      body: { parentId: node.parentId, messages: [{ role: 'user', content: 'Another way' }] },
    });
  const tab = await fixture.open(`/t/${body.treeId}/${nodes.at(-1)?.id}`, { viewport: { width: 1280, height: 640 } });
  const { page } = tab;
  const outline = page.getByRole('tree');
  await expectEventually(() => outline.getByText('Message number 59').isVisible()).toBe(true);
  const scrolled = () => page.evaluate("document.querySelector('[role=tree]').scrollTop");
  await expectEventually(scrolled).toBeGreaterThan(300);
  const before = Number(await scrolled());
  await page.getByTestId('thread').getByText('Message number 59').click();
  for (let step = 0; step < 25; step++) await page.keyboard.press('k');
  await expectEventually(scrolled).toBeLessThan(before - 100);
  await done(tab);
});

test('[B52] the outline shows forks with their other branches, finds words in every branch and opens them', async () => {
  const tab = await fixture.open(`/t/${demo.id}/${demo.leaf}`);
  const outline = tab.page.getByRole('tree');
  await outline.getByText('Should we go to 16 at all?').waitFor();
  await expectEventually(() => outline.getByRole('treeitem', { selected: true }).textContent()).toContain('cutover.sh');
  // By keyboard the current row is always visible.
  await tab.page.setViewportSize({ width: 1440, height: 420 });
  const height = () => tab.page.evaluate("document.querySelector('[role=tree]').clientHeight");
  const scrolled = () => tab.page.evaluate("document.querySelector('[role=tree]').scrollTop");
  await expectEventually(height).toBeLessThan(300);
  await outline.focus();
  // The list has no height in the first frame.
  const pressing = (key: string) => async () => {
    await tab.page.keyboard.press(key);
    return scrolled();
  };
  await expectEventually(pressing('End')).toBeGreaterThan(0);
  await expectEventually(pressing('Home')).toBe(0);
  await tab.page.setViewportSize({ width: 1440, height: 900 });
  await tab.page.getByRole('button', { name: 'Filter the outline' }).click();
  await tab.page
    .getByRole('menuitemcheckbox', { name: 'Bookmarked' })
    .or(tab.page.getByRole('menuitem', { name: 'Bookmarked' }))
    .click();
  await expect.poll(() => outline.getByRole('treeitem').count()).toBe(1);
  await tab.page.getByRole('button', { name: 'Filter the outline' }).click();
  await tab.page
    .getByRole('menuitemcheckbox', { name: 'All' })
    .or(tab.page.getByRole('menuitem', { name: 'All', exact: true }))
    .click();
  await tab.page.getByRole('button', { name: 'Search this chat' }).click();
  await tab.page.getByRole('searchbox', { name: 'Search this chat' }).fill('pg_repack');
  await outline.getByText('only pg_repack lags behind').click();
  await tab.page.getByTestId('thread').getByText('only pg_repack lags behind').waitFor();
  await done(tab);
});

test('[B53] the map grows while another tab writes', async () => {
  const { body } = await fixture.server.ask('POST', '/api/trees', {
    body: { title: 'Small', messages: [{ role: 'user', content: 'Seed' }] },
  });
  const tab = await fixture.open(`/t/${body.treeId}?view=map`);
  await tab.page.getByText('1 message').or(tab.page.getByText('One message')).first().waitFor();
  await fixture.server.ask('POST', `/api/trees/${body.treeId}/messages`, {
    version: body.version,
    body: { messages: [{ role: 'assistant', content: 'Sprout' }] },
  });
  await tab.page.getByText('2 messages').first().waitFor();
  await done(tab);
});

test('[B19] the back button of the browser goes through branches as through screens', async () => {
  const tab = await fixture.open(`/t/${demo.id}/${demo.leaf}`);
  const { page } = tab;
  const thread = page.getByTestId('thread');
  await thread.getByText('The script stops at the first doubt').waitFor();
  await page.getByRole('treeitem').filter({ hasText: 'Should we go to 16 at all?' }).click();
  await thread.getByText('Should we go to 16 at all?').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  await page.locator('.minimap canvas').waitFor();
  // Keys for a message have no effect if none is marked; navigation keys work.
  await page.keyboard.press('Backspace');
  await page.locator('.map-canvas').focus();
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await page.getByRole('heading', { name: 'What the model sees' }).waitFor();
  await page.goBack();
  await page.locator('.minimap canvas').waitFor();
  await page.goBack();
  await thread.getByText('Should we go to 16 at all?').waitFor();
  await page.goBack();
  await thread.getByText('The script stops at the first doubt').waitFor();
  await page.goForward();
  await thread.getByText('Should we go to 16 at all?').waitFor();
  await done(tab);
});
