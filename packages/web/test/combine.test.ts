// @module-tag browser
// @module-tag full
import { makeTextEvents, type ScriptedReply } from '@coppice/engine/testing';
import { expect, test } from 'vitest';
import { findSeriousViolations } from './axe.ts';
import { createDeferred, expectEventually, openPageFixture } from './page-fixture.ts';

test('[B234] answers are selected and combined; the result streams, names its sources, can be stopped and undone', async () => {
  const gate = createDeferred();
  const combined: ScriptedReply = async function* () {
    yield { type: 'text-delta', text: 'Tea in the morning [A], ' };
    await gate.promise;
    yield* makeTextEvents('coffee after lunch [B].');
  };
  const endless: ScriptedReply = [{ type: 'text-delta', text: '| Point | A | B |' }, { type: 'hang' }];
  const fixture = await openPageFixture({
    replies: [
      makeTextEvents('Drink tea.'),
      makeTextEvents('Drink coffee.'),
      makeTextEvents('Water.'),
      combined,
      endless,
    ],
  });
  const { body } = await fixture.server.ask('POST', '/api/trees', { body: { title: 'Drinks' } });
  const at = `/api/trees/${body.treeId}`;
  const begun = await fixture.server.ask('POST', `${at}/generations`, {
    version: body.version,
    body: { type: 'send', messages: [{ role: 'user', content: 'What to drink?' }], models: ['scripted/one'], n: 3 },
  });
  const [tea, coffee, water] = begun.body.nodes.map((node: { nodeId: string }) => node.nodeId);
  const siblings = async () => (await fixture.server.ask('GET', `${at}/nodes/${tea}/siblings`)).body.nodes;
  const tab = await fixture.open(`/t/${body.treeId}`);
  const { page } = tab;
  await page.getByTestId('thread').getByText('Water.').waitFor();
  const reply = page.getByTestId('thread').getByRole('article').last();
  await reply.hover();
  await reply.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Combine answers' }).click();
  const panel = page.getByRole('complementary', { name: 'Combine answers' });
  await panel.getByText('Answers, 3 selected').waitFor();
  expect(await findSeriousViolations(tab)).toEqual([]);
  await page.locator(`[data-answer="${water}"]`).getByRole('checkbox').uncheck();
  await panel.getByText('Answers, 2 selected').waitFor();
  await panel.getByRole('textbox', { name: 'Instructions (optional)' }).fill('Mind the time of day.');
  await panel.getByRole('button', { name: 'Combine' }).click();
  const made = page.locator('.col.combined');
  await made.getByText('Tea in the morning').waitFor();
  expect((await siblings()).at(-1).status).toBe('pending');
  gate.resolve();
  await made.getByText('coffee after lunch').waitFor();
  expect((await siblings()).at(-1).meta.source.combined_from).toEqual({
    way: 'combine',
    node_ids: [tea, coffee],
    instructions: 'Mind the time of day.',
  });
  await expectEventually(() => made.getByRole('button', { name: 'Stop' }).count()).toBe(0);
  // The marks of the sources in the text look like the letters of the answers, and stay readable as text.
  await expectEventually(() => made.locator('.source-mark').allTextContents()).toEqual(['[A]', '[B]']);
  expect(await findSeriousViolations(tab)).toEqual([]);
  await made.getByRole('button', { name: 'Source A: one' }).waitFor();
  // Stops a second combination, in the form of a table, while it is generated.
  await panel.getByRole('radio', { name: 'Table' }).check();
  await panel.getByRole('button', { name: 'Combine' }).click();
  await made.last().getByText('Point').waitFor();
  await made.last().getByRole('button', { name: 'Stop' }).click();
  await expectEventually(async () => (await siblings()).at(-1).status).toBe('aborted');
  await expectEventually(() => made.count()).toBe(2);
  // Undo removes only the last combination.
  await panel.getByRole('button', { name: 'Close' }).click();
  await page.keyboard.press('ControlOrMeta+z');
  await expectEventually(() => made.count()).toBe(1);
  await page.getByRole('button', { name: 'Back to the thread (Esc)' }).click();
  expect(await siblings()).toHaveLength(4);
  // In the thread a click on a letter shows its answer.
  const thread = page.getByTestId('thread');
  await page.goto(`${fixture.url}/t/${body.treeId}/${(await siblings()).at(-1).id}`);
  await thread.getByText('coffee after lunch').waitFor();
  await thread.getByRole('button', { name: /^Source B/ }).click();
  await thread.getByText('Drink coffee.').waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
  await fixture.close();
});

test('[B234] on a phone the panel covers the screen, and the result is shown after it closes', async () => {
  const own = await openPageFixture({
    replies: [makeTextEvents('Drink tea.'), makeTextEvents('Drink coffee.'), makeTextEvents('Both agree on drinking.')],
  });
  const { body } = await own.server.ask('POST', '/api/trees', { body: { title: 'Drinks' } });
  const begun = await own.server.ask('POST', `/api/trees/${body.treeId}/generations`, {
    version: body.version,
    body: { type: 'send', messages: [{ role: 'user', content: 'What to drink?' }], models: ['scripted/one'], n: 2 },
  });
  const path = `/t/${body.treeId}/${begun.body.nodes[0].nodeId}?view=compare`;
  const tab = await own.open(path, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await tab.page.getByRole('button', { name: 'Combine answers' }).click();
  const panel = tab.page.getByRole('complementary', { name: 'Combine answers' });
  await panel.getByText('Answers, 2 selected').waitFor();
  expect(await tab.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await findSeriousViolations(tab)).toEqual([]);
  await panel.getByRole('radio', { name: 'Agreements and differences' }).check();
  await panel.getByRole('button', { name: 'Combine' }).click();
  await expectEventually(() => panel.count()).toBe(0);
  await tab.page.locator('.col.combined').getByText('Both agree on drinking.').waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
  await own.close();
});

test('[B347] the highest cost follows the chosen answers and the model, and is not shown without a price', async () => {
  const fixture = await openPageFixture({
    replies: [makeTextEvents('Drink tea. '.repeat(400)), makeTextEvents('Drink coffee. '.repeat(400))],
    config: `[models."scripted/one"]
window = 8000
max_output = 1000
price = { input = 1000, output = 5000 }
`,
  });
  const { body } = await fixture.server.ask('POST', '/api/trees', { body: { title: 'Drinks' } });
  const begun = await fixture.server.ask('POST', `/api/trees/${body.treeId}/generations`, {
    version: body.version,
    body: { type: 'send', messages: [{ role: 'user', content: 'What to drink?' }], models: ['scripted/one'], n: 3 },
  });
  const [first] = begun.body.nodes.map((node: { nodeId: string }) => node.nodeId);
  const tab = await fixture.open(`/t/${body.treeId}/${first}?view=compare`);
  const { page } = tab;
  await page.getByRole('button', { name: 'Combine answers' }).click();
  const panel = page.getByRole('complementary', { name: 'Combine answers' });
  await panel.getByText('Answers, 3 selected').waitFor();
  const shown = async () => Number(/at most \$(\d+\.\d+)/.exec(await panel.innerText())?.[1] ?? Number.NaN);
  // The longest reply costs $5, and a thousand tokens of input cost $1; each answer has more than that.
  await expectEventually(async () => (await shown()) > 8).toBe(true);
  const three = await shown();
  await page.locator(`[data-answer="${first}"]`).getByRole('checkbox').uncheck();
  await panel.getByText('Answers, 2 selected').waitFor();
  await expectEventually(async () => (await shown()) < three - 1).toBe(true);
  expect(await shown()).toBeGreaterThan(7);
  expect(await findSeriousViolations(tab)).toEqual([]);
  await panel.getByRole('button', { name: /one/ }).last().click();
  await page.getByRole('searchbox', { name: /^Filter/ }).fill('two');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expectEventually(() => panel.getByText('at most').count()).toBe(0);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
  await fixture.close();
});
