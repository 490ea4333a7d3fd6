// @module-tag browser
import { createTools, defineTool } from '@coppice/engine';
import { makeTextEvents, makeToolEvents } from '@coppice/engine/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectEventually, openPageFixture, type PageFixture, type PageTab } from './page-fixture.ts';

const turns = 6;
// The built-in guide writes its words without delay.
const instantReplies = '[offline]\ndelay_ms = 0\n';
let fixture: PageFixture;

beforeAll(async () => {
  const tools = createTools({
    tools: [
      defineTool({
        name: 'look_up',
        description: 'Looks something up.',
        parameters: { type: 'object', properties: {} },
        sideEffects: false,
        run: async () => 'Found it.',
      }),
    ],
  });
  // Every turn has one more call than the previous one, and no call takes time.
  const replies = Array.from({ length: turns }, (_, turn) => [
    ...Array.from({ length: turn }, (_call, call) =>
      makeToolEvents({ id: `call-${turn}-${call}`, name: 'look_up', parameters: {} }),
    ),
    makeTextEvents(`Answer number ${turn}.`),
  ]).flat();
  const config = '[models."scripted/one"]\nwindow = 100000\nmax_output = 4000\n';
  fixture = await openPageFixture({ tools, replies, config });
});
afterAll(() => fixture.close());

async function newTab(path = ''): Promise<PageTab & { readonly id: string }> {
  const { body } = await fixture.server.ask('POST', '/api/trees', { body: { title: 'Turns' } });
  return { ...(await fixture.open(`/t/${body.treeId}${path}`)), id: body.treeId };
}

async function send({ page }: PageTab, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
}

test('[CL7, CL8] after any number of tool calls the reply is shown, the next message follows it, and a send is one request', async () => {
  const tab = await newTab();
  const thread = tab.page.getByTestId('thread');
  const asked: string[] = [];
  const answered: string[] = [];
  tab.page.on('requestfinished', (request) => answered.push(new URL(request.url()).pathname));
  tab.page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/')) asked.push(`${request.method()} ${pathname}`);
  });
  for (let turn = 0; turn < turns; turn++) {
    await expectEventually(() => tab.page.locator('.gauge:visible').count()).toBe(1);
    // The requests for opening the tree and for the context size are finished before the first send.
    if (turn === 0) await expectEventually(() => answered.some((each) => each.endsWith('/context'))).toBe(true);
    asked.length = 0;
    await send(tab, `Question ${turn}`);
    await thread.getByText(`Answer number ${turn}.`).waitFor();
    await expectEventually(() => thread.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    expect(await thread.getByText('no result').count()).toBe(0);
    expect(asked).toEqual([`POST /api/trees/${tab.id}/generations`]);
  }
  const { body } = await fixture.server.ask('GET', `/api/trees/${tab.id}?format=linear`);
  const users = body.messages.filter((message: { role: string }) => message.role === 'user');
  expect(users).toHaveLength(turns);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[CL7] the built-in guide replies below the tool that it calls', async () => {
  const own = await openPageFixture({ config: instantReplies });
  const { body } = await own.server.ask('POST', '/api/trees', { body: { title: 'Guide' } });
  // The window is high enough that all rows are rendered.
  const tab = await own.open('/', { viewport: { width: 1440, height: 2600 } });
  await tab.page.evaluate("localStorage.setItem('coppice.chosen-models', 'offline/guide')");
  await tab.context.addInitScript("localStorage.setItem('coppice.chosen-models', 'offline/guide')");
  await tab.page.goto(`${own.url}/t/${body.treeId}`);
  const thread = tab.page.getByTestId('thread');
  for (let turn = 1; turn <= 4; turn++) {
    await send(tab, 'What is the date today?');
    await expectEventually(() => thread.getByRole('region', { name: 'Tool call current_date' }).count()).toBe(turn);
    await expectEventually(() => thread.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    await expectEventually(async () => {
      const linear = await own.server.ask('GET', `/api/trees/${body.treeId}?format=linear`);
      return linear.body.messages.map((message: { role: string }) => message.role);
    }).toEqual(Array.from({ length: turn }, () => ['user', 'assistant', 'tool', 'assistant']).flat());
    expect(await thread.getByText('no result').count()).toBe(0);
  }
  expect(tab.faults).toEqual([]);
  await own.close();
});

test('[CL7] a message sent before the tools are loaded is answered with them', async () => {
  const own = await openPageFixture({ config: instantReplies });
  const { body } = await own.server.ask('POST', '/api/trees', { body: { title: 'Guide' } });
  const tab = await own.open('/settings');
  await tab.context.addInitScript("localStorage.setItem('coppice.chosen-models', 'offline/guide')");
  let requests = 0;
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  // The settings page may still request the tools when the next page does.
  await tab.page.route('**/api/tools', async (route) => {
    requests++;
    await answered;
    await route.continue();
  });
  await tab.page.goto(`${own.url}/t/${body.treeId}`);
  await tab.page.locator('.prompt-row').waitFor();
  await send(tab, 'What is the date today?');
  await expectEventually(() => requests).toBeGreaterThan(0);
  answer();
  await tab.page.getByTestId('thread').getByRole('region', { name: 'Tool call current_date' }).waitFor();
  expect(tab.faults).toEqual([]);
  await own.close();
});

test('[B107] a message that does not fit stays only in the composer, and the meter counts its files before it is sent', async () => {
  const own = await openPageFixture({ config: '[models."scripted/one"]\nwindow = 4000\nmax_output = 1000\n' });
  const { body } = await own.server.ask('POST', '/api/trees', { body: { title: 'Small window' } });
  const tab = await own.open(`/t/${body.treeId}`);
  const box = tab.page.getByRole('textbox', { name: 'Message', exact: true });
  const meter = tab.page.locator('.tray .pill', { has: tab.page.locator('.gauge') });
  await expectEventually(() => meter.count()).toBe(1);
  await tab.page
    .locator('input[type=file]')
    .setInputFiles({ name: 'log.txt', mimeType: 'text/plain', buffer: Buffer.from('a line of a log\n'.repeat(4000)) });
  await expectEventually(() => meter.textContent()).toMatch(/^16k/);
  await expectEventually(() => meter.getAttribute('class')).toContain('full');
  await expectEventually(() => tab.page.locator('.file-chip.ready').count()).toBe(1);
  for (let attempt = 0; attempt < 2; attempt++) {
    await box.fill('What went wrong?');
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('status').getByText('window').first().waitFor();
    await expectEventually(() => box.inputValue()).toBe('What went wrong?');
    await expectEventually(() => tab.page.locator('.file-chip.ready').count()).toBe(1);
  }
  expect((await own.server.ask('GET', `/api/trees/${body.treeId}/topology`)).body.nodes).toEqual([]);
  expect(await tab.page.getByTestId('thread').getByRole('article').count()).toBe(0);
  expect(tab.faults).toEqual([]);
  await own.close();
});
