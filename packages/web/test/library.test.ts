// @module-tag browser
// @module-tag full
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findSeriousViolations } from './axe.ts';
import { createDeferred, expectEventually, openPageFixture, type PageFixture } from './page-fixture.ts';

let fixture: PageFixture;
// Each test, and each retry of one, has an empty library.
beforeEach(async () => {
  fixture = await openPageFixture();
});
afterEach(() => fixture.close());

test('[B118, B119, B74] a preset with its prompt and options is created, chosen for a new chat, and its prompt is the first row', async () => {
  const tab = await fixture.open('/library');
  const { page } = tab;
  await page.getByRole('textbox', { name: 'Custom instructions' }).fill('Answer in British English.');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectEventually(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'New preset' }).click();
  // Without presets there is no list beside the editor, so the editor has the whole width.
  const [field, card] = [page.getByRole('textbox', { name: 'System prompt' }), page.locator('.preset-card')];
  expect((await field.boundingBox())?.width).toBeGreaterThan(((await card.boundingBox())?.width ?? 0) * 0.8);
  await page.getByRole('textbox', { name: 'Name' }).fill('Plain namer');
  await page.getByRole('textbox', { name: 'System prompt' }).fill('Suggest short names.');
  await page.getByRole('slider', { name: 'Temperature' }).fill('0.4');
  await page.getByRole('button', { name: 'Save preset' }).click();
  await page.getByRole('button', { name: /^Plain namer/ }).waitFor();
  expect(await findSeriousViolations(tab)).toEqual([]);
  // A library entry is not listed as a chat.
  const { body } = await fixture.server.ask('GET', '/api/trees');
  expect(body.items).toEqual([]);
  await page.goto(fixture.url);
  await page.getByRole('button', { name: 'Preset' }).click();
  await page.getByRole('menuitem', { name: 'Plain namer' }).click();
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('Name the billing service');
  // A closing menu returns the focus to its button, possibly after the text was filled in.
  await message.press('Enter');
  const prompt = page.getByRole('region', { name: 'System prompt' });
  await prompt.getByText('Answer in British English.').waitFor();
  await prompt.getByText('Suggest short names.').waitFor();
  await prompt.getByText('Preset: Plain namer').waitFor();
  await expectEventually(() => page.locator('article.ai').count()).toBe(1);
  await page.getByRole('button', { name: /^Options/ }).click();
  await page.getByRole('button', { name: /Temperature: use the default/ }).waitFor();
  await page.getByRole('button', { name: '3', exact: true }).click();
  await page.getByText('Tools need a single reply.').waitFor();
  expect(await findSeriousViolations(tab)).toEqual([]);
  await page.reload();
  await page.getByRole('button', { name: /^Options/ }).click();
  await expectEventually(() => page.getByRole('button', { name: '3', exact: true }).getAttribute('aria-pressed')).toBe(
    'true',
  );
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test.each(['light', 'dark'] as const)(
  '[B350] in the %s theme fields have an edge, and the chosen part of a choice is seen',
  async (colorScheme) => {
    const tab = await fixture.open('/library', { colorScheme });
    const { page } = tab;
    await page.getByRole('button', { name: 'New preset' }).click();
    await page.getByRole('textbox', { name: 'System prompt' }).waitFor();
    const colours = (selector: string, property: string, token: string) =>
      page.evaluate(`(() => {
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.color = 'var(${token})';
      const wanted = getComputedStyle(probe).color;
      probe.remove();
      const found = [...document.querySelectorAll('${selector}')].map((each) => getComputedStyle(each)['${property}']);
      return [found.length > 0, found.every((colour) => colour === wanted)];
    })()`);
    expect(await colours('.card .field', 'borderTopColor', '--line-strong')).toEqual([true, true]);
    expect(await colours('.card .seg', 'backgroundColor', '--sunken')).toEqual([true, true]);
    expect(await colours('.card .seg [aria-pressed="true"]', 'backgroundColor', '--lift')).toEqual([true, true]);
    await tab.context.close();
  },
);

test('[B118] a chat started before the library is loaded gets its instructions too', async () => {
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

test('[B354] unsaved changes of presets and prompts are kept until they are saved or discarded', async () => {
  const own = await openPageFixture();
  for (const [kind, name] of [
    ['preset', 'Careful editor'],
    ['preset', 'Quick notes'],
    ['prompt', 'tidy'],
  ] as const)
    await own.server.ask('POST', '/api/trees', {
      body: { project: 'coppice:library', title: name, systemPrompt: 'As it was.', metadata: { kind, messages: [] } },
    });
  const tab = await own.open('/library');
  const { page } = tab;
  const prompt = page.getByLabel('System prompt');
  const choose = async (name: string) => {
    await page.getByRole('button', { name }).click();
    await expectEventually(() => page.getByLabel('Name').first().inputValue()).toBe(name);
  };
  await choose('Careful editor');
  await expectEventually(() => prompt.inputValue()).toBe('As it was.');
  expect(await page.getByRole('button', { name: 'Discard changes' }).count()).toBe(0);
  await prompt.fill('Rewritten for an hour.');
  await page.getByRole('button', { name: 'Add a message' }).click();
  await page.getByRole('textbox', { name: 'Message' }).fill('Begin with this.');
  await choose('Quick notes');
  await expectEventually(() => prompt.inputValue()).toBe('As it was.');
  await page.reload();
  await choose('Careful editor');
  await expectEventually(() => prompt.inputValue()).toBe('Rewritten for an hour.');
  await expectEventually(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('Begin with this.');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expectEventually(() => prompt.inputValue()).toBe('As it was.');
  await expectEventually(() => page.getByRole('textbox', { name: 'Message' }).count()).toBe(0);

  await prompt.fill('Better. ');
  await page.getByRole('button', { name: 'Save preset' }).click();
  const stored = async () => {
    const { body } = await own.server.ask('GET', '/api/trees?project=coppice:library');
    return body.items.map((item: { systemPrompt?: string }) => item.systemPrompt);
  };
  await expectEventually(stored).toContain('Better. ');
  await page.reload();
  await choose('Careful editor');
  await expectEventually(() => prompt.inputValue()).toBe('Better. ');
  expect(await page.getByRole('button', { name: 'Discard changes' }).count()).toBe(0);

  const row = page.getByRole('list', { name: 'Prompts' }).getByRole('listitem').first();
  const edit = row.getByRole('button', { name: 'Edit' });
  await edit.click();
  await row.getByLabel('Text, with {{variables}}').fill('Not yet saved');
  await edit.click();
  await edit.click();
  await expectEventually(() => row.getByLabel('Text, with {{variables}}').inputValue()).toBe('Not yet saved');
  await row.getByRole('button', { name: 'Cancel' }).click();
  await edit.click();
  await expectEventually(() => row.getByLabel('Text, with {{variables}}').inputValue()).toBe('As it was.');
  expect(await findSeriousViolations(tab)).toEqual([]);
  expect(tab.faults).toEqual([]);
  await own.close();
});

test('[B353] model, preset and options of a chat can be chosen when it is loaded, not before', async () => {
  const { body } = await fixture.server.ask('POST', '/api/trees', {
    body: { title: 'Old', messages: [{ role: 'user', content: 'Hello' }] },
  });
  const tab = await fixture.open('/');
  const { page } = tab;
  const gate = createDeferred();
  await page.route(`**/api/trees/${body.treeId}/page*`, async (route) => {
    await gate.promise;
    await route.continue();
  });
  await page.goto(`${fixture.url}/t/${body.treeId}`);
  const tray = page.locator('.composer .tray');
  const buttons = [/^Model:/, /^Preset/, /^Options/].map((name) => tray.getByRole('button', { name }));
  for (const button of buttons) {
    await button.waitFor();
    expect(await button.isDisabled()).toBe(true);
  }
  // The text can be written meanwhile.
  await page.getByRole('textbox', { name: 'Message' }).fill('And now?');
  gate.resolve();
  for (const button of buttons) await expectEventually(() => button.isEnabled()).toBe(true);
  await page.getByTestId('thread').getByText('Hello').waitFor();
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('And now?');
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B118, B119] a preset is changed in an existing chat, is remembered for this chat alone, and its prompt is offered as a copy', async () => {
  const preset = (title: string, systemPrompt: string, options: object) =>
    fixture.server.ask('POST', '/api/trees', {
      body: { project: 'coppice:library', title, systemPrompt, metadata: { kind: 'preset', options } },
    });
  await preset('Brief', 'Be brief.', { models: ['scripted/two'], temperature: 0.2, toolsOn: false });
  const { body } = await fixture.server.ask('POST', '/api/trees', {
    body: { title: 'Old', systemPrompt: 'Be long.', messages: [{ role: 'user', content: 'Hello' }] },
  });
  const tab = await fixture.open(`/t/${body.treeId}`);
  const { page } = tab;
  await page.getByTestId('thread').getByText('Hello').waitFor();
  await page.getByRole('button', { name: 'Model: scripted/one' }).waitFor();
  await page.getByRole('button', { name: 'Preset', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Brief' }).click();
  await page.getByRole('button', { name: 'Model: scripted/two' }).waitFor();
  await page.getByText('Its system prompt applies only to new chats.').waitFor();
  await page.getByRole('button', { name: /^Options/ }).click();
  expect(await page.getByRole('switch', { name: 'Use tools' }).isChecked()).toBe(false);
  await page.reload();
  await page.getByRole('button', { name: 'Preset: Brief' }).waitFor();
  await page.getByRole('button', { name: 'Model: scripted/two' }).waitFor();
  // A new chat has no preset yet.
  await page.keyboard.press('n');
  await page.getByRole('button', { name: 'Preset', exact: true }).waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Preset: Brief' }).click();
  await page.getByRole('menuitem', { name: 'Brief' }).click();
  await page.getByRole('button', { name: 'New chat with this prompt' }).click();
  const prompt = page.getByRole('region', { name: 'System prompt' });
  await prompt.getByText('Be brief.').waitFor();
  await prompt.getByText('Preset: Brief').waitFor();
  expect((await fixture.server.ask('GET', `/api/trees/${body.treeId}`)).body.systemPrompt).toBe('Be long.');
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B118, B119] the options of a chat are saved as a preset, and saving again under its name replaces it', async () => {
  const presets = async () => {
    const { body } = await fixture.server.ask('GET', '/api/trees?project=coppice%3Alibrary');
    return body.items
      .filter(({ title }: { title: string }) => title === 'Warm')
      .map(({ metadata }: { metadata: { options: { temperature: number } } }) => metadata.options.temperature);
  };
  const tab = await fixture.open('/');
  const { page } = tab;
  const save = async (temperature: string) => {
    await page.getByRole('button', { name: /^Options/ }).click();
    const options = page.getByRole('dialog', { name: 'Options for this chat' });
    await options.getByRole('slider', { name: 'Temperature' }).fill(temperature);
    await options.getByRole('button', { name: 'Save as preset' }).click();
    await options.getByRole('textbox', { name: 'Name' }).fill('Warm');
    await options.getByRole('button', { name: 'Save preset' }).click();
    await options.getByRole('button', { name: 'Save as preset' }).waitFor();
    expect(await findSeriousViolations(tab)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Preset: Warm' }).waitFor();
  };
  await save('0.3');
  expect(await presets()).toEqual([0.3]);
  await save('0.9');
  expect(await presets()).toEqual([0.9]);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B118, B349] presets and prompts are exported as JSON and imported from it; a file without any is refused', async () => {
  const tab = await fixture.open('/library');
  const { page } = tab;
  await page.getByRole('button', { name: 'New preset' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Careful');
  await page.getByRole('textbox', { name: 'System prompt' }).fill('Ask first.');
  // Both keys of a switch change it.
  const tools = page.getByRole('switch', { name: 'Use tools' });
  for (const [pressed, on] of [
    ['Space', false],
    ['Enter', true],
    ['Enter', false],
  ] as const) {
    await tools.press(pressed);
    await expectEventually(() => tools.isChecked()).toBe(on);
  }
  await page.getByRole('button', { name: 'Save preset' }).click();
  await page.getByRole('button', { name: /^Careful/ }).waitFor();
  await page.getByRole('button', { name: 'New prompt' }).click();
  await page.getByRole('textbox', { name: 'Name' }).last().fill('review');
  await page.getByRole('textbox', { name: /^Text, with/ }).fill('Review this {{language}} change.');
  await page.getByRole('button', { name: 'Save', exact: true }).last().click();
  await page.getByText('/review').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  const pieces: Buffer[] = [];
  for await (const piece of await (await download).createReadStream()) pieces.push(Buffer.from(piece));
  const exported = JSON.parse(Buffer.concat(pieces).toString());
  expect(exported).toEqual({
    format: 'coppice-library',
    items: [
      { kind: 'preset', name: 'Careful', text: 'Ask first.', options: { toolsOn: false }, messages: [] },
      { kind: 'prompt', name: 'review', text: 'Review this {{language}} change.', options: {}, messages: [] },
    ],
  });
  const importFile = async (content: string) => {
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Import' }).click();
    await (await chooser).setFiles({ name: 'a.json', mimeType: 'application/json', buffer: Buffer.from(content) });
  };
  await importFile('{"items":[{"kind":"other"}]}');
  await page.getByText('There is nothing to import in this file.').waitFor();
  // An entry of the same name is replaced, others stay, and a new one is added.
  const [preset] = exported.items;
  await importFile(
    JSON.stringify({
      items: [
        { ...preset, text: 'Ask twice.' },
        { ...preset, name: 'Bold' },
      ],
    }),
  );
  await page.getByText('2 entries imported').waitFor();
  await page.getByRole('button', { name: /^Bold/ }).waitFor();
  await page.getByRole('button', { name: /^Careful/ }).click();
  await expectEventually(() => page.getByRole('textbox', { name: 'System prompt' }).inputValue()).toBe('Ask twice.');
  expect(await page.getByRole('button', { name: /^Careful/ }).count()).toBe(1);
  await page.getByText('/review').waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B310] a project gives its new chats instructions, model, preset and files; its chats follow its name and stay when it is deleted', async () => {
  await fixture.server.ask('POST', '/api/trees', {
    body: { project: 'coppice:library', title: 'Brief', systemPrompt: 'Be brief.', metadata: { kind: 'preset' } },
  });
  const tab = await fixture.open('/');
  const { page } = tab;
  await page.getByRole('button', { name: 'Model: scripted/one' }).waitFor();
  await page.getByRole('button', { name: 'New project' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Hiring');
  await dialog.getByRole('textbox', { name: 'Instructions' }).fill('You help to hire.');
  await dialog.getByRole('combobox', { name: 'Default model' }).selectOption('scripted/two');
  await dialog.getByRole('combobox', { name: 'Preset' }).selectOption('Brief');
  const chooser = page.waitForEvent('filechooser');
  await dialog.getByRole('button', { name: 'Attach files' }).click();
  await (await chooser).setFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('Ask about boats.') });
  expect(await findSeriousViolations(tab)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('New chat in Hiring').waitFor();
  await page.getByText('With the files of the project').waitFor();
  await page.getByRole('button', { name: 'Model: scripted/two' }).waitFor();
  await page.getByRole('button', { name: 'Preset: Brief' }).waitFor();
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('Write the advert');
  await message.press('Enter');
  const prompt = page.getByRole('region', { name: 'System prompt' });
  await prompt.getByText('You help to hire.').waitFor();
  await prompt.getByText('Be brief.').waitFor();
  await page.getByTestId('thread').getByText('plan.txt').waitFor();
  await expectEventually(() => page.locator('article.ai').getByText('two').count()).toBeGreaterThan(0);
  // Chats outside of the project are not affected.
  await page.goto(fixture.url);
  await page.getByRole('button', { name: 'Model: scripted/one' }).waitFor();
  await page.getByRole('button', { name: 'Preset', exact: true }).waitFor();
  await page.getByRole('link', { name: /^Hiring/ }).click();
  await page.getByRole('button', { name: 'Project settings' }).click();
  await dialog.getByText('plan.txt').waitFor();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('People');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('New chat in People').waitFor();
  await page.getByText('With the files of the project').waitFor();
  const old = new URL(page.url());
  old.search = old.search.replace('People', 'Hiring');
  const folders = async () => (await fixture.server.ask('GET', '/api/folders')).body.items;
  expect(await folders()).toEqual([{ name: 'People', count: 1 }]);
  await page.getByRole('button', { name: 'Project settings' }).click();
  await dialog.getByRole('button', { name: 'Remove project' }).click();
  await expectEventually(folders).toEqual([]);
  await expectEventually(() => page.getByRole('link', { name: /^People/ }).count()).toBe(0);
  // One click restores its settings, its files and its chats.
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await expectEventually(folders).toEqual([{ name: 'People', count: 1 }]);
  await page.getByRole('link', { name: /^People/ }).click();
  await page.getByText('With the files of the project').waitFor();
  await page.getByRole('button', { name: 'Project settings' }).click();
  await dialog.getByRole('button', { name: 'Remove project' }).click();
  await expectEventually(folders).toEqual([]);
  await expectEventually(() => page.getByRole('link', { name: /^People/ }).count()).toBe(0);
  expect((await fixture.server.ask('GET', '/api/trees')).body.items).toHaveLength(1);
  // The address of a removed project says that there is no such project.
  await page.goto(old.href);
  await page.getByText('There is no project “Hiring”.').waitFor();
  expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
  await page.getByRole('main').getByRole('link', { name: 'All chats' }).click();
  await page.getByRole('button', { name: 'New project' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Empty one');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('No chats in this project yet.').waitFor();
  // The form is not wider than a phone.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${fixture.url}/library`);
  await page.getByRole('button', { name: 'New project' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).waitFor();
  expect(
    await page.evaluate("(([box]) => box.scrollWidth - box.clientWidth)(document.querySelectorAll('dialog .form'))"),
  ).toBe(0);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B345] the address of a renamed project leads to it, and a former name to the project that had it last', async () => {
  const tab = await fixture.open('/');
  const { page } = tab;
  const dialog = page.getByRole('dialog');
  const saveName = async (name: string) => {
    await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`New chat in ${name}`).waitFor();
  };
  const create = async (name: string) => {
    await page.getByRole('button', { name: 'New project' }).click();
    await saveName(name);
  };
  const rename = async (name: string) => {
    await page.getByRole('button', { name: 'Project settings' }).click();
    await saveName(name);
  };
  const openProject = (name: string) => page.goto(`${fixture.url}/?in=${encodeURIComponent(`folder:${name}`)}`);
  const shownProject = () => new URL(page.url()).searchParams.get('in');
  await create('Hiring');
  await rename('People');
  await rename('Team');
  for (const former of ['Hiring', 'People']) {
    await openProject(former);
    await page.getByText('New chat in Team').waitFor();
    expect(shownProject()).toBe('folder:Team');
  }
  // The redirect replaces its history entry, so that going back does not redirect again.
  await page.goBack();
  await expectEventually(shownProject).toBe('folder:Team');
  // A new project with the former name is opened itself; once it is renamed too, the former name leads to it.
  await create('Hiring');
  await openProject('Hiring');
  await page.getByText('New chat in Hiring').waitFor();
  await rename('Jobs');
  await openProject('Hiring');
  await page.getByText('New chat in Jobs').waitFor();
  await openProject('People');
  await page.getByText('New chat in Team').waitFor();
  // Saving the settings of a project keeps its former names.
  await page.getByRole('button', { name: 'Project settings' }).click();
  await dialog.getByRole('textbox', { name: 'Instructions' }).fill('You help to hire.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expectEventually(() => dialog.count()).toBe(0);
  await openProject('People');
  await page.getByText('New chat in Team').waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B118, B351] a prompt is completed after a slash and asks for its variables, which its row marks', async () => {
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
  await expectEventually(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe(
    'Review this Go change.',
  );
  await page.goto(`${fixture.url}/library`);
  // The row of a prompt marks its variables, and stays above its editor.
  const row = page.getByRole('list', { name: 'Prompts' }).getByRole('listitem');
  await expectEventually(() => row.locator('code').allTextContents()).toEqual(['{{language}}']);
  expect(await row.innerText()).toContain(text);
  await row.getByRole('button', { name: 'Edit' }).press('Enter');
  await expectEventually(() => row.getByRole('textbox', { name: /^Text, with/ }).inputValue()).toBe(text);
  await row.getByText('/review', { exact: true }).waitFor();
  expect(await findSeriousViolations(tab)).toEqual([]);
  await row.getByRole('button', { name: 'Cancel' }).click();
  await expectEventually(() => row.getByRole('textbox').count()).toBe(0);
  const instructions = page.getByRole('textbox', { name: 'Custom instructions' });
  await instructions.fill('Be brief.');
  await page.getByRole('link', { name: 'All chats' }).click();
  await page.goBack();
  await expectEventually(() => instructions.inputValue()).toBe('Be brief.');
  await instructions.fill('');
  const remove = page.getByRole('button', { name: 'Delete', exact: true });
  await remove.last().click();
  await expectEventually(() => page.getByText('/review', { exact: true }).count()).toBe(0);
  await page.getByRole('status').getByText('“Review” deleted').waitFor();
  await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
  await page.getByText('/review', { exact: true }).waitFor();
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
  await expectEventually(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('A draft');
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
  expect(await findSeriousViolations(tab)).toEqual([]);
  await page.getByRole('searchbox', { name: /^Filter/ }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Model: scripted/two' }).waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});
