// @module-tag browser
// @module-tag full
/** The page of recorded work, and the links between a session and its sub-agents. */
import { text } from 'node:stream/consumers';
import { createTree } from '@coppice/server/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSeriousViolations } from './axe.ts';
import { expectEventually, openPageFixture, type PageFixture } from './page-fixture.ts';

let fixture: PageFixture;
beforeAll(async () => {
  fixture = await openPageFixture({ config: 'model = "scripted/one"\n' });
});
afterAll(() => fixture.close());

async function call(
  project: string,
  words: string,
  headers: Readonly<Record<string, string>>,
  prompt = 'You help.',
): Promise<void> {
  const answer = await fetch(`${fixture.url}/p/${project}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fixture.server.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model: 'scripted/one',
      messages: [
        { role: 'system', content: prompt },
        { role: 'user', content: words },
      ],
    }),
  });
  await answer.text();
}

test('[B270] recorded sessions are listed with their sub-agents and figures, and link to each other', async () => {
  const { page, faults, context } = await fixture.open('/agents');
  await page.getByRole('heading', { name: 'Recorded work' }).waitFor();
  await page.getByText('Nothing is recorded yet.').waitFor();
  await call('shop', 'Name the oak', { 'session-id': 's1', 'user-agent': 'codex_exec/0.1' });
  await call('shop', 'Find it', { 'session-id': 's1', 'thread-id': 't1', 'user-agent': 'codex_exec/0.1' });
  await call('garden', 'Plant a tree', { 'x-session-id': 's2', 'user-agent': 'opencode/1.0' });
  const table = page.getByRole('table');
  await table.getByRole('link', { name: 'Name the oak' }).waitFor();
  await table.getByRole('link', { name: 'Plant a tree' }).waitFor();
  await expectEventually(() =>
    page.locator('.work-numbers div', { hasText: 'calls today' }).locator('dd').textContent(),
  ).toBe('3');
  expect(await table.getByRole('link', { name: 'Find it' }).count()).toBe(0);
  await table.getByRole('button', { name: 'Show what belongs to Name the oak' }).click();
  await table.getByRole('link', { name: 'Find it' }).waitFor();
  expect(await findSeriousViolations({ page })).toEqual([]);
  await page.getByLabel('Program', { exact: true }).selectOption('opencode');
  await expectEventually(() => table.getByRole('link', { name: 'Name the oak' }).count()).toBe(0);
  await page.getByLabel('Program', { exact: true }).selectOption('');
  await page.getByRole('button', { name: 'By program' }).click();
  await table.locator('.work-group', { hasText: 'Codex' }).waitFor();
  await table.getByRole('link', { name: 'Name the oak' }).click();
  const links = page.getByRole('navigation', { name: 'Sub-agents' });
  await links.getByRole('link', { name: 'Find it' }).click();
  await links.getByText('Sub-agent of').waitFor();
  await links.getByRole('link', { name: 'Name the oak' }).click();
  await links.getByRole('link', { name: 'Find it' }).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

test('[B271] the screen names folders and branches, explains how to record, and exports the sessions as a table', async () => {
  const place = 'Working directory: /home/ada/ledger\nCurrent branch: ledger-v2\n';
  await call('ledger', 'Move the invoices', { 'session-id': 's9', 'user-agent': 'codex_exec/0.1' }, place);
  const { page, faults, context } = await fixture.open('/agents');
  const table = page.getByRole('table');
  await table.locator('tr', { hasText: 'Move the invoices' }).getByText('branch ledger-v2').waitFor();
  await table.locator('.work-group', { hasText: '/home/ada/ledger, 1 session' }).waitFor();
  await page.getByRole('button', { name: 'How to record' }).click();
  const dialog = page.getByRole('dialog', { name: 'How to record' });
  await dialog.getByText('coppice proxy -- gemini').waitFor();
  expect(await findSeriousViolations({ page })).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByLabel('Project', { exact: true }).selectOption('ledger');
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toMatch(/^coppice-sessions-\d{4}-\d\d-\d\d\.csv$/);
  const lines = (await text(await saved.createReadStream())).trimEnd().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/^Codex,ledger,\/home\/ada\/ledger,ledger-v2,session,Move the invoices,s9,/);
  expect(faults).toEqual([]);
  await context.close();
});

test('[B272] a period is chosen, and a session is continued in a new chat without changing the recording', async () => {
  await call('field', 'Count the larches', { 'session-id': 's20', 'user-agent': 'codex_exec/0.1' });
  const { page, faults, context } = await fixture.open('/agents');
  const row = page.getByRole('table').locator('tr', { hasText: 'Count the larches' });
  await row.waitFor();
  const calls = () => page.locator('.work-numbers div', { hasText: 'calls' }).first().locator('dd').textContent();
  const today = await calls();
  await page.getByLabel('Period', { exact: true }).selectOption('Last 7 days');
  await page.locator('.work-numbers dt', { hasText: /^calls$/ }).waitFor();
  await expectEventually(calls).toBe(today);
  expect(await findSeriousViolations({ page })).toEqual([]);
  // A day later the sessions no longer belong to today.
  await page.clock.install({ time: Date.now() + 86_400_000 });
  await page.reload();
  await page.getByText('No sessions in this period.').waitFor();
  await page.getByLabel('Period', { exact: true }).selectOption('All time');
  await row.getByRole('button', { name: 'Show what belongs to Count the larches' }).click();
  await page.getByRole('button', { name: 'Continue from here' }).click();
  await page.getByText('Continues in a new chat').waitFor();
  await page.getByTestId('thread').getByText('Count the larches').waitFor();
  const { body } = await fixture.server.ask('GET', '/api/agents');
  const titles: string[] = body.sessions.map((session: { readonly title: string }) => session.title);
  expect(titles.filter((title) => title === 'Count the larches')).toHaveLength(1);
  expect(faults).toEqual([]);
  await context.close();
});

test('[B270] further pages stay shown when the list is refreshed', async () => {
  for (let at = 0; at < 53; at++)
    await call('many', `Session ${at}`, { 'session-id': `m${at}`, 'user-agent': 'codex_exec/0.1' });
  await expectEventually(async () => {
    const { body } = await fixture.server.ask('GET', '/api/agents?project=many&limit=100');
    return body.sessions.length;
  }).toBe(53);
  const { page, faults, context } = await fixture.open('/agents');
  // The list of chats in the sidebar has the same names.
  const list = page.getByRole('main');
  const oldest = list.getByRole('link', { name: 'Name the oak' });
  await list.getByRole('link', { name: 'Session 52' }).waitFor();
  expect(await oldest.count()).toBe(0);
  await page.getByRole('button', { name: 'More sessions' }).click();
  await oldest.waitFor();
  await call('many', 'Another session', { 'session-id': 'last', 'user-agent': 'codex_exec/0.1' });
  await list.getByRole('link', { name: 'Another session' }).waitFor();
  expect(await oldest.count()).toBe(1);
  expect(faults).toEqual([]);
  await context.close();
});

test('[B270] an ordinary chat has no links to sub-agents', async () => {
  const { id } = await createTree(fixture.server, ['Hello there']);
  const { page, context } = await fixture.open(`/t/${id}`);
  await page.getByText('Hello there').first().waitFor();
  expect(await page.getByRole('navigation', { name: 'Sub-agents' }).count()).toBe(0);
  await context.close();
});
