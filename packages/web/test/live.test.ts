// @module-tag browser
import { makeTextEvents } from '@coppice/engine/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectEventually, openPageFixture, type PageFixture, type PageTab } from './page-fixture.ts';

let fixture: PageFixture;

beforeAll(async () => {
  fixture = await openPageFixture({
    replies: [makeTextEvents('Word by word it comes.').flatMap((event) => [event, { type: 'wait', ms: 40 } as const])],
  });
});
afterAll(() => fixture.close());

async function newTree(...said: readonly string[]): Promise<string> {
  const messages = said.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));
  const { body } = await fixture.server.ask('POST', '/api/trees', { body: { title: 'Shared by tabs', messages } });
  return body.treeId;
}

function thread({ page }: PageTab) {
  return page.getByTestId('thread');
}

/** The texts of all messages of a tree, sorted. */
async function saidIn(id: string): Promise<readonly string[]> {
  const { body } = await fixture.server.ask('GET', `/api/trees/${id}/topology`);
  return body.nodes.map((node: { preview: string }) => node.preview).sort();
}

async function edit(tab: PageTab, text: string): Promise<void> {
  const first = thread(tab).getByRole('article').first();
  await first.hover();
  await first.getByRole('button', { name: 'Edit (E)' }).click();
  await tab.page.getByRole('textbox', { name: 'Edit the message' }).fill(text);
}

test('[B20] another tab sees a reply while it is written', async () => {
  const id = await newTree('Hi', 'Hello.');
  const one = await fixture.open(`/t/${id}`);
  const two = await fixture.open(`/t/${id}`);
  await thread(two).getByText('Hello.').waitFor();
  await one.page.getByRole('textbox', { name: 'Message' }).fill('Can you hear me?');
  await one.page.keyboard.press('Enter');
  await thread(two).getByText('Can you hear me?').waitFor();
  await thread(two).getByText('Word by word it comes.').waitFor();
  await expectEventually(() => thread(two).getByRole('button', { name: 'Stop' }).count()).toBe(0);
  for (const tab of [one, two]) {
    expect(tab.faults).toEqual([]);
    await tab.context.close();
  }
});

test('[B21] two tabs that edit the same message at once both keep their text, and both tabs show both', async () => {
  const id = await newTree('The first text', 'An answer.');
  const one = await fixture.open(`/t/${id}`);
  const two = await fixture.open(`/t/${id}`);
  await edit(one, 'From the first tab');
  await edit(two, 'From the second tab');
  await Promise.all([one, two].map((tab) => tab.page.getByRole('button', { name: 'Branch and send' }).click()));
  for (const tab of [one, two])
    await thread(tab)
      .getByRole('group', { name: / of 3$/ })
      .first()
      .waitFor();
  const { body } = await fixture.server.ask('GET', `/api/trees/${id}/topology`);
  const said = body.nodes
    .filter((node: { role: string }) => node.role === 'user')
    .map((node: { preview: string }) => node.preview);
  expect(said.sort()).toEqual(['From the first tab', 'From the second tab', 'The first text']);
  // The second writer gets a notice, and can compare.
  await expectEventually(async () => {
    const strips = await Promise.all(
      [one, two].map((tab) => tab.page.getByText('Also edited in another tab.').count()),
    );
    return strips.some((count) => count > 0);
  }).toBe(true);
  for (const tab of [one, two]) {
    expect(tab.faults).toEqual([]);
    await tab.context.close();
  }
});

test('[B22] saving over a text that another tab has changed keeps both as variants', async () => {
  const id = await newTree('The first text', 'An answer.');
  const one = await fixture.open(`/t/${id}`);
  await edit(one, 'Saved too late');
  // The page does not get the change: its feed is blocked.
  await one.page.route('**/feed*', (route) => route.abort());
  const { body } = await fixture.server.ask('GET', `/api/trees/${id}/page`);
  const first = body.nodes[0].id;
  await fixture.server.ask('POST', `/api/trees/${id}/nodes/${first}/edit`, {
    version: body.version,
    body: { content: 'Saved before', mode: 'in-place' },
  });
  await one.page.getByRole('button', { name: 'Save without replying' }).click();
  await expectEventually(() => saidIn(id)).toEqual(['An answer.', 'Saved before', 'Saved too late']);
  await one.context.close();
});

test('[B22] saving a text that nobody else changed edits it in place, even if the tree changed elsewhere', async () => {
  const id = await newTree('The first text', 'An answer.');
  const one = await fixture.open(`/t/${id}`);
  // The page gets no changes, not even its own.
  await one.page.route('**/feed*', (route) => route.abort());
  await one.page.reload();
  await edit(one, 'Saved once');
  const { body } = await fixture.server.ask('GET', `/api/trees/${id}/page`);
  await fixture.server.ask('POST', `/api/trees/${id}/messages`, {
    version: body.version,
    body: { parentId: body.nodes[1].id, messages: [{ role: 'user', content: 'Elsewhere' }] },
  });
  await one.page.getByRole('button', { name: 'Save without replying' }).click();
  await one.page.getByRole('status').getByText('Saved; the old text').waitFor();
  await edit(one, 'Saved twice');
  await one.page.getByRole('button', { name: 'Save without replying' }).click();
  await expectEventually(() => saidIn(id)).toEqual(['An answer.', 'Elsewhere', 'Saved twice']);
  await one.context.close();
});

test('[B23] without the server the page keeps working: new messages wait, are marked, and are sent when it is back', async () => {
  const id = await newTree('Hi', 'Hello.');
  const tab = await fixture.open(`/t/${id}`);
  await thread(tab).getByText('Hello.').waitFor();
  await tab.page.getByRole('treeitem', { name: 'Hello.' }).waitFor();
  await tab.context.setOffline(true);
  await tab.page.getByRole('textbox', { name: 'Message' }).fill('Said in a tunnel');
  await tab.page.keyboard.press('Alt+Enter');
  await thread(tab).getByText('Said in a tunnel').waitFor();
  await tab.page.getByText('Offline.').waitFor();
  // A message that the server does not know yet removes nothing from the outline.
  await tab.page.getByRole('treeitem', { name: 'Hello.' }).waitFor();
  await tab.context.setOffline(false);
  await tab.page.getByRole('button', { name: 'Try again' }).click();
  await expectEventually(() => tab.page.getByText('Offline.').count()).toBe(0);
  const { body } = await fixture.server.ask('GET', `/api/trees/${id}?format=linear`);
  expect(body.messages.at(-1).content).toEqual([{ type: 'text', text: 'Said in a tunnel' }]);
  await tab.context.close();
});
