// @module-tag browser
// @module-tag full
import { messageKit } from '@coppice/content';
import { run, textMessage, treeId } from '@coppice/core';
import { newId } from '@coppice/engine';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectEventually, openPageFixture, type PageFixture } from './page-fixture.ts';

const length = 30_000;
let fixture: PageFixture;
let id: string;
let rootId: string;

beforeAll(async () => {
  fixture = await openPageFixture();
  const made = await fixture.server.ask('POST', '/api/trees', { body: { title: 'Very long' } });
  id = made.body.treeId;
  rootId = (await fixture.server.ask('GET', `/api/trees/${id}`)).body.rootId;
  const messages = Array.from({ length }, (_, index) => ({
    message: textMessage(index % 2 === 0 ? 'user' : 'assistant', `Message number ${index}`),
  }));
  await run(
    fixture.server.store,
    { type: 'append', treeId: treeId(id), messages },
    { actor: 'test', now: Date.now, newId, kit: messageKit },
  );
});
afterAll(() => fixture.close());

test('[B44] a branch of 30,000 messages opens at its end, scrolls, and keeps its position when it grows', async () => {
  const tab = await fixture.open(`/t/${id}`);
  const { page } = tab;
  const thread = page.getByTestId('thread');
  await thread.getByText(`Message number ${length - 1}`).waitFor();
  await expectEventually(() => thread.getByRole('article').count()).toBeLessThan(60);
  await thread.hover();
  await expectEventually(async () => {
    await page.mouse.wheel(0, -3000);
    return thread.getByText(/^Message number 29[0-5]\d\d$/).count();
  }).toBeGreaterThan(0);
  // Waits until scrolling stops, because wheel events may still be pending.
  let seen: string | null = null;
  await expectEventually(async () => {
    const before = seen;
    seen = await thread
      .getByText(/^Message number 29[0-5]\d\d$/)
      .first()
      .textContent();
    await page.waitForTimeout(200);
    return seen === before;
  }).toBe(true);
  const { version } = (await fixture.server.ask('GET', `/api/trees/${id}`)).body;
  await fixture.server.ask('POST', `/api/trees/${id}/messages`, {
    version,
    body: { messages: [{ role: 'user', content: 'One more' }] },
  });
  await page
    .getByRole('tree')
    .getByText('One more')
    .or(page.getByText('New messages below'))
    .first()
    .waitFor({ state: 'attached' });
  await expectEventually(() => thread.getByText(seen ?? '', { exact: true }).count()).toBe(1);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B45] the context of a long branch is shown by its token count first and read page by page', async () => {
  const tab = await fixture.open(`/t/${id}?view=context`);
  const { page } = tab;
  await page.getByRole('region', { name: 'Context window' }).or(page.locator('section.window')).first().waitFor();
  const list = page.getByRole('list', { name: 'Messages sent' });
  await expectEventually(() => list.getByRole('listitem').count()).toBeLessThan(120);
  const weight = (await page.locator('section.window h2').textContent())?.split(' ')[0] ?? '';
  await list.getByRole('button', { name: /Show earlier messages \(29,\d\d\d\)/ }).click();
  await expectEventually(() => list.getByRole('listitem').count()).toBeGreaterThan(250);
  // The composer shows the size of the whole branch, although only its end is loaded.
  const thousands = `${Math.round(Number(weight.replaceAll(',', '')) / 1000)}k`;
  await page.goto(`${fixture.url}/t/${id}`);
  await page.getByTitle('What the model sees').filter({ hasText: thousands, visible: true }).waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B46] a link to its beginning reads the messages around it, loads more downwards, and one click goes to the end', async () => {
  const path = await fixture.server.ask('GET', `/api/trees/${id}/page?after=${rootId}&limit=60`);
  const target = path.body.nodes[50];
  const tab = await fixture.open('/');
  const { page } = tab;
  let read = 0;
  page.on('response', (response) => {
    if (/\/page\?/.test(response.url())) read++;
  });
  await page.goto(`${fixture.url}/t/${id}/${target.id}`);
  const thread = page.getByTestId('thread');
  await thread.getByText('Message number 50', { exact: true }).waitFor();
  expect(read).toBeLessThan(6);
  // Far from the end the composer still names the last message, because new messages are added at the end.
  await page.getByText(/Replying to Message number 29999|Replying to One more/).waitFor();
  await thread.hover();
  await expectEventually(async () => {
    await page.mouse.wheel(0, 3000);
    return thread.getByText(/^Message number [23]\d\d$/).count();
  }).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'To the end of this branch' }).click();
  await thread
    .getByText(/^Message number 2999\d$/)
    .first()
    .waitFor();
  await expectEventually(() => page.getByRole('button', { name: 'To the end of this branch' }).count()).toBe(0);
  await expectEventually(() => thread.getByRole('article').count()).toBeLessThan(60);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});
