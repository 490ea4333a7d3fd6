// @module-tag browser
// @module-tag full
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPageFixture, type PageFixture, soon, type Tab } from './page-fixture.ts';

let fixture: PageFixture;
beforeAll(async () => {
  fixture = await openPageFixture();
});
afterAll(() => fixture.close());

async function openWith(content: string): Promise<Tab> {
  const messages = [
    { role: 'user', content: 'Show it' },
    { role: 'assistant', content },
  ];
  const { body } = await fixture.server.ask('POST', '/api/trees', { body: { title: 'Markdown', messages } });
  return fixture.open(`/t/${body.treeId}`);
}

async function done(tab: Tab): Promise<void> {
  expect(tab.faults).toEqual([]);
  await tab.context.close();
}

test('[B1] a formula is set as MathML; one that cannot be read, or wants more than to be set, is shown as it was written', async () => {
  const tab = await openWith(
    [
      'Euler: $e^{i\\pi} + 1 = 0$ and',
      '$$\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}$$',
      'Broken: $\\frac{a$ and $\\nosuchcommand{x}$.',
      'Hostile: $\\href{javascript:alert(1)}{x}$ $\\includegraphics{https://other.example/x.png}$ $\\class{evil}{y}$',
    ].join('\n\n'),
  );
  const thread = tab.page.getByTestId('thread');
  await soon(() => thread.locator('math').count()).toBeGreaterThanOrEqual(2);
  await soon(() => thread.locator('math mfrac').count()).toBe(1);
  await thread.getByText('\\nosuchcommand{x}').waitFor();
  expect(await thread.locator('math a, math img, math [href], math .evil, math script').count()).toBe(0);
  await done(tab);
});

test('[B5] code is highlighted once the languages are loaded, and copied whole', async () => {
  const tab = await openWith('```ts\nconst answer = "42"; // sure\n```');
  const code = tab.page.getByTestId('thread').locator('.code');
  await soon(() => code.locator('.hl-keyword').count()).toBe(1);
  await soon(() => code.locator('pre').textContent()).toBe('const answer = "42"; // sure');
  await done(tab);
});

test('[B108] a megabyte of a table is shown from its beginning, and all of it on demand without holding up the page', async () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => `| row ${at} | ${'x'.repeat(36)} |`);
  const tab = await openWith(`| a | b |\n|---|---|\n${rows.join('\n')}\n`);
  const thread = tab.page.getByTestId('thread');
  await thread.getByText('row 0', { exact: true }).waitFor();
  const elements = () =>
    thread.evaluate((box: { querySelectorAll(what: string): { length: number } }) => box.querySelectorAll('*').length);
  expect(await elements()).toBeLessThan(7_000);
  await thread.getByRole('button', { name: /^Show the other/ }).click();
  await soon(() => thread.getByText('row 19999', { exact: true }).count()).toBe(1);
  await done(tab);
});
