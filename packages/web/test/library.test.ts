// @module-tag browser
// @module-tag full
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serious } from './axe.ts';
import { openPageFixture, type PageFixture, soon } from './page-fixture.ts';

let fixture: PageFixture;
// Each test, and each second try, has an empty library.
beforeEach(async () => {
  fixture = await openPageFixture();
});
afterEach(() => fixture.close());

test('[B118, B119, B74] a preset with its prompt and options is made, chosen for a new chat, and its prompt is the first row', async () => {
  const tab = await fixture.open('/library');
  const { page } = tab;
  await page.getByRole('textbox', { name: 'Custom instructions' }).fill('Answer in British English.');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await soon(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'New preset' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Plain namer');
  await page.getByRole('textbox', { name: 'System prompt' }).fill('Suggest short names.');
  await page.getByRole('slider', { name: 'Temperature' }).fill('0.4');
  await page.getByRole('button', { name: 'Save preset' }).click();
  await page.getByRole('button', { name: /^Plain namer/ }).waitFor();
  expect(await serious(tab)).toEqual([]);
  // It is not a chat, so no list shows it.
  const { body } = await fixture.server.ask('GET', '/api/trees');
  expect(body.items).toEqual([]);
  await page.goto(fixture.url);
  await page.getByRole('button', { name: 'Preset' }).click();
  await page.getByRole('menuitem', { name: 'Plain namer' }).click();
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('Name the billing service');
  // A menu that closes gives the focus back to its button, possibly after the text was filled in.
  await message.press('Enter');
  const prompt = page.getByRole('region', { name: 'System prompt' });
  await prompt.getByText('Answer in British English.').waitFor();
  await prompt.getByText('Suggest short names.').waitFor();
  await prompt.getByText('Preset: Plain namer').waitFor();
  await soon(() => page.locator('article.ai').count()).toBe(1);
  await page.getByRole('button', { name: /^Options/ }).click();
  await page.getByRole('button', { name: /Temperature: use the default/ }).waitFor();
  await page.getByRole('button', { name: '3', exact: true }).click();
  await page.getByText('Tools need a single reply.').waitFor();
  expect(await serious(tab)).toEqual([]);
  await page.reload();
  await page.getByRole('button', { name: /^Options/ }).click();
  await soon(() => page.getByRole('button', { name: '3', exact: true }).getAttribute('aria-pressed')).toBe('true');
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B118] a chat that begins before the library is loaded gets its instructions too', async () => {
  const text = 'Answer in British English.';
  await fixture.server.ask('POST', '/api/trees', {
    body: { project: 'coppice:library', systemPrompt: text, metadata: { kind: 'instructions' } },
  });
  const tab = await fixture.open('/settings');
  const { page } = tab;
  const held: (() => void)[] = [];
  let isSent = false;
  await page.route(/api\/trees\?.*library/, async (route) => {
    if (!isSent) await new Promise<void>((resolve) => held.push(resolve));
    await route.continue();
  });
  await page.goto(fixture.url);
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('Name the billing service');
  await message.press('Enter');
  isSent = true;
  for (const answer of held) answer();
  await page.getByRole('region', { name: 'System prompt' }).getByText(text).waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B118] a prompt is completed after a slash and asks for its variables', async () => {
  const metadata = { kind: 'prompt' };
  const text = 'Review this {{language}} change.';
  await fixture.server.ask('POST', '/api/trees', {
    body: { project: 'coppice:library', title: 'Review', systemPrompt: text, metadata },
  });
  const tab = await fixture.open('/');
  const { page } = tab;
  await page.getByRole('textbox', { name: 'Message' }).fill('/re');
  await page.getByRole('option', { name: /review/ }).waitFor();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Fill in the prompt' });
  await dialog.getByRole('textbox', { name: 'language' }).fill('Go');
  await dialog.getByRole('textbox', { name: 'language' }).press('Enter');
  await soon(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('Review this Go change.');
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B120] the menu of models names providers without a key and opens their forms, and the settings lead back', async () => {
  const tab = await fixture.open('/');
  const { page } = tab;
  await page.getByRole('textbox', { name: 'Message' }).fill('A draft');
  await page.getByRole('button', { name: /^Model:/ }).click();
  await page.getByRole('button', { name: 'Add a key for Anthropic' }).click();
  await page.getByLabel('API key').waitFor();
  await page.getByText('The key is for api.anthropic.com').waitFor();
  await page.getByRole('link', { name: 'Back to chats' }).click();
  await soon(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('A draft');
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B120] a model is found by a filter, becomes a favourite and is chosen by keys', async () => {
  const tab = await fixture.open('/');
  const { page } = tab;
  await page.getByRole('button', { name: /^Model:/ }).click();
  await page.getByRole('searchbox', { name: /^Filter/ }).fill('two');
  await page.getByRole('button', { name: /^Favourite/ }).click();
  await page.getByRole('heading', { name: 'Favourites' }).waitFor();
  expect(await serious(tab)).toEqual([]);
  await page.getByRole('searchbox', { name: /^Filter/ }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Model: scripted/two' }).waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});
