// @module-tag browser
// @module-tag full
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSeriousViolations } from './axe.ts';
import { createDemoTree, type DemoTree } from './demo-tree.ts';
import { expectEventually, openPageFixture, type PageFixture, type PageTab } from './page-fixture.ts';

let fixture: PageFixture;
let demo: DemoTree;
const folder = mkdtempSync(join(tmpdir(), 'coppice-files-'));

function chat(name: string, turns = 1) {
  const messages = Array.from({ length: turns }, (_, turn) => [
    { role: 'user', content: `${name}: question ${turn}` },
    { role: 'assistant', content: `${name}: answer ${turn}` },
  ]);
  return { id: name, title: name, messages: messages.flat() };
}

/** Returns a session file of Claude Code with one prompt and one reply. */
function session(title: string): string {
  const sessionId = randomUUID();
  const [first, second] = [randomUUID(), randomUUID()];
  const timestamp = '2026-01-02T03:04:05.000Z';
  const lines = [
    { type: 'user', uuid: first, parentUuid: null, message: { role: 'user', content: 'Hello' } },
    {
      type: 'assistant',
      uuid: second,
      parentUuid: first,
      message: { role: 'assistant', id: 'm', type: 'message', model: 'x', content: [{ type: 'text', text: 'Hi' }] },
    },
    { type: 'custom-title', customTitle: title },
  ];
  return lines.map((line) => `${JSON.stringify({ ...line, sessionId, timestamp })}\n`).join('');
}

function write(name: string, value: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}

beforeAll(async () => {
  fixture = await openPageFixture({ computer: { home: join(folder, 'home'), env: {}, platform: 'linux' } });
  demo = await createDemoTree(fixture.server);
});
afterAll(async () => {
  await fixture.close();
  rmSync(folder, { recursive: true, force: true });
});

const importDialog = ({ page }: PageTab) => page.getByRole('dialog', { name: 'Import chats' });

/** Drops files; their content is created in the page, as a real drop does. */
async function drop({ page }: PageTab, target: string, files: Readonly<Record<string, string>>): Promise<void> {
  const data = await page.evaluateHandle(
    `(() => {
      const data = new DataTransfer();
      for (const [name, text] of Object.entries(${JSON.stringify(files)})) data.items.add(new File([text], name));
      return data;
    })()`,
  );
  for (const type of ['dragenter', 'dragover', 'drop']) await page.dispatchEvent(target, type, { dataTransfer: data });
}

test('[B80] files dropped on home are imported with a correct report, and links to the trees', async () => {
  const tab = await fixture.open('/');
  await tab.page.getByRole('heading', { name: 'Chats', level: 2 }).waitFor();
  await drop(tab, '.home', {
    'tea.json': JSON.stringify([chat('Tea at four'), chat('Tea at five'), 'no conversation']),
  });
  const dialog = importDialog(tab);
  const item = dialog.getByRole('region', { name: 'Import report for tea.json' });
  await item.getByText('Imported', { exact: true }).waitFor();
  const row = item.getByRole('row', { name: /^Chats/ });
  await expectEventually(() => row.getByRole('cell').allTextContents()).toEqual(['2', '2', '0', '0']);
  await item.getByRole('list', { name: 'Findings' }).getByText('Left out', { exact: true }).waitFor();
  expect(await findSeriousViolations(tab)).toEqual([]);
  await item.getByRole('link', { name: 'Tea at five' }).click();
  await tab.page.getByTestId('thread').getByText('Tea at five: answer 0').waitFor();
  await expectEventually(() => dialog.count()).toBe(0);
  await tab.page.goto(fixture.url);
  await tab.page.locator('.trees').getByText('Tea at four', { exact: true }).waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B81] a folder is one import, and an unreadable file shows why while the others are imported', async () => {
  const top = join(folder, 'exports');
  mkdirSync(join(top, 'deep'), { recursive: true });
  writeFileSync(join(top, 'one.jsonl'), session('From a folder'));
  writeFileSync(join(top, 'deep', 'two.jsonl'), session('From deep in a folder'));
  const tab = await fixture.open('/');
  await tab.page.getByRole('button', { name: 'Import…' }).click();
  const dialog = importDialog(tab);
  await dialog.locator('input[webkitdirectory]').setInputFiles(top);
  const whole = dialog.getByRole('region', { name: 'Import report for exports' });
  await whole.getByRole('link', { name: 'From deep in a folder' }).waitFor();
  await whole.getByRole('link', { name: 'From a folder' }).waitFor();
  const files = [write('nonsense.txt', 'Nobody can read this.'), write('fine.json', chat('A fine chat'))];
  await dialog.locator('input[multiple]').setInputFiles(files);
  const bad = dialog.getByRole('region', { name: 'Import report for nonsense.txt' });
  await bad.getByText('Not imported').waitFor();
  await bad.getByText('looks like a conversation').waitFor();
  await dialog.getByRole('link', { name: 'A fine chat' }).waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B81] a dropped folder is imported with all its subfolders, together with files dropped beside it', async () => {
  const top = join(folder, 'dropped');
  mkdirSync(join(top, 'below', 'further'), { recursive: true });
  writeFileSync(join(top, 'below', 'further', 'one.jsonl'), session('From further below'));
  writeFileSync(join(top, 'two.jsonl'), session('From the top'));
  const files = [top, write('beside.json', chat('From beside'))];
  const tab = await fixture.open('/');
  await tab.page.getByRole('button', { name: 'Import…' }).waitFor();
  const hand = await tab.context.newCDPSession(tab.page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await hand.send('Input.dispatchDragEvent', { type, x: 700, y: 500, data });
  const dialog = importDialog(tab);
  const whole = dialog.getByRole('region', { name: 'Import report for dropped' });
  await whole.getByRole('link', { name: 'From further below' }).waitFor();
  await whole.getByRole('link', { name: 'From the top' }).waitFor();
  await dialog.getByRole('link', { name: 'From beside' }).waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B82] an import continues over a reload, is found again on home, and stops on request', async () => {
  const path = write('many.json', JSON.stringify(Array.from({ length: 30_000 }, (_, index) => chat(`Many ${index}`))));
  const tab = await fixture.open('/');
  await tab.page.getByRole('button', { name: 'Import…' }).click();
  await importDialog(tab).locator('input[multiple]').setInputFiles(path);
  await importDialog(tab).getByText('chats so far').waitFor();
  await tab.page.reload();
  const line = tab.page.locator('.under-way');
  await line.getByText('Importing many.json').waitFor();
  await line.getByRole('button', { name: 'Show' }).click();
  await importDialog(tab).getByRole('button', { name: 'Stop' }).click();
  await importDialog(tab).getByText('Stopped; what was already imported is kept').waitFor();
  // An import exists only in the process that received it, so the page requests it from the server that it uses.
  const newest = await tab.page.evaluate(
    "fetch('/api/imports').then((answer) => answer.json()).then((list) => list.items[0])",
  );
  expect(newest).toMatchObject({ name: 'many.json', state: 'cancelled', report: null });
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B83] a preview stores nothing, and can be imported afterwards', async () => {
  const tab = await fixture.open('/');
  await tab.page.getByRole('button', { name: 'Import…' }).click();
  const dialog = importDialog(tab);
  await dialog.getByLabel('Preview only').check();
  await dialog.locator('input[multiple]').setInputFiles(write('seen.json', chat('Only seen')));
  await dialog.getByText('Preview; nothing was imported').waitFor();
  const found = async () => (await fixture.server.ask('GET', '/api/trees?title=Only%20seen')).body.items.length;
  await expectEventually(() => found()).toBe(0);
  await dialog.getByRole('button', { name: 'Import now' }).click();
  await dialog.getByText('Imported', { exact: true }).waitFor();
  await expectEventually(() => found()).toBe(1);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

/** Clicks the link of the export dialog and reads the download. */
async function taken({ page }: PageTab): Promise<{ readonly name: string; readonly text: string }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('link', { name: 'Download' }).click(),
  ]);
  // The browser is shared over a connection, so its download file is not accessible directly.
  const path = join(folder, `download-${randomUUID()}`);
  await download.saveAs(path);
  return { name: download.suggestedFilename(), text: readFileSync(path, 'utf8') };
}

test('[B84] a tree, its thread or a branch is exported, and losses of the format are counted in advance', async () => {
  const tab = await fixture.open(`/t/${demo.id}`);
  const { page } = tab;
  await page.getByTestId('thread').getByText('The script stops').waitFor();
  const openDialog = async () => {
    await page.locator('.main > .bar').getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Export…' }).click();
    return page.getByRole('dialog', { name: 'Export chat' });
  };
  let dialog = await openDialog();
  await dialog.getByRole('combobox', { name: 'Format' }).selectOption('markdown');
  await dialog
    .getByRole('region', { name: 'What this format cannot store' })
    .getByText('Bookmarks are left out')
    .waitFor();
  expect(await findSeriousViolations(tab)).toEqual([]);
  const whole = await taken(tab);
  expect(whole.name).toMatch(/\.md$/);
  expect(whole.text).toContain('HAProxy');
  dialog = await openDialog();
  await dialog.getByLabel('Current branch').check();
  await dialog.getByRole('combobox', { name: 'Format' }).selectOption('linear');
  const thread = await taken(tab);
  const { messages }: { readonly messages: readonly unknown[] } = JSON.parse(thread.text);
  expect(messages.length).toBeGreaterThan(2);
  dialog = await openDialog();
  await dialog.getByLabel('The whole chat with all branches').check();
  await dialog.getByRole('combobox', { name: 'Format' }).selectOption('archive');
  await dialog.getByText('Nothing is lost.').waitFor();
  const archive = await taken(tab);
  expect(archive.name).toMatch(/\.coppice\.jsonl$/);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B85] everything is exported from the settings, and from the command palette', async () => {
  const tab = await fixture.open('/settings/data');
  await tab.page.getByRole('button', { name: 'Export everything…' }).click();
  const dialog = tab.page.getByRole('dialog', { name: 'Export everything' });
  await dialog.getByRole('combobox', { name: 'Format' }).selectOption('html');
  await dialog.getByText('One file per chat, in a zip archive.').waitFor();
  expect(await findSeriousViolations(tab)).toEqual([]);
  expect((await taken(tab)).name).toMatch(/^coppice-.*\.zip$/);
  await tab.page.keyboard.press('Control+k');
  await tab.page.getByRole('combobox').fill('export everything');
  await tab.page.keyboard.press('Enter');
  await dialog.getByRole('combobox', { name: 'Format' }).selectOption('archive');
  const { text } = await taken(tab);
  expect(text.split('\n').length).toBeGreaterThan(10);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B86] the dialog works by keys alone, on a phone, in the dark and in German', async () => {
  const looks = [
    { colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
    { colorScheme: 'light', viewport: { width: 390, height: 844 } },
  ] as const;
  const path = write('keys.json', JSON.stringify([chat('By keys'), 'no conversation']));
  for (const look of looks) {
    const tab = await fixture.open('/', look);
    await tab.page.getByRole('button', { name: 'Import…' }).waitFor();
    await tab.page.keyboard.press('g');
    await tab.page.keyboard.press('i');
    const dialog = importDialog(tab);
    await dialog.waitFor();
    const chooser = tab.page.waitForEvent('filechooser');
    await dialog.getByRole('button', { name: 'Choose files…' }).focus();
    await tab.page.keyboard.press('Enter');
    await (await chooser).setFiles(path);
    await dialog.getByText('Imported', { exact: true }).waitFor();
    expect(await findSeriousViolations(tab)).toEqual([]);
    await expectEventually(() => tab.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await tab.page.keyboard.press('Escape');
    await expectEventually(() => dialog.count()).toBe(0);
    expect(tab.faults).toEqual([]);
    await tab.context.close();
  }
  const german = await fixture.open('/', { locale: 'de-DE', viewport: { width: 390, height: 844 } });
  const fits = () => german.page.evaluate('document.documentElement.scrollWidth <= innerWidth');
  await german.page.getByRole('button', { name: 'Importieren…' }).click();
  await german.page.getByRole('dialog', { name: 'Chats importieren' }).getByText('Dateien wählen…').waitFor();
  await expectEventually(() => fits()).toBe(true);
  await german.page.keyboard.press('Escape');
  await german.page.goto(`${fixture.url}/t/${demo.id}`);
  await german.page.getByTestId('thread').getByRole('article').first().waitFor();
  await german.page.getByRole('heading', { level: 1 }).first().waitFor();
  await german.page.keyboard.press('Escape');
  await german.page.evaluate('document.activeElement?.blur?.()');
  await german.page.keyboard.press('g');
  await german.page.keyboard.press('e');
  const taking = german.page.getByRole('dialog', { name: 'Chat exportieren' });
  await taking.getByRole('link', { name: 'Herunterladen' }).waitFor();
  await taking.getByText('Was dieses Format nicht speichern kann').waitFor();
  await expectEventually(() => fits()).toBe(true);
  await taking.getByText('Lesezeichen werden weggelassen.').waitFor();
  expect(german.faults).toEqual([]);
  await german.context.close();
});

test('[B240] conversations of other programs on this computer are listed with counts, and imported with one click', async () => {
  const sessions = join(folder, 'home', '.claude', 'projects', '-work');
  mkdirSync(sessions, { recursive: true });
  writeFileSync(join(sessions, 'one.jsonl'), session('A session of an agent'));
  writeFileSync(join(sessions, 'two.jsonl'), session('Another session of an agent'));
  const tab = await fixture.open('/settings/data');
  await tab.page.getByRole('button', { name: 'Import…' }).click();
  const dialog = importDialog(tab);
  const found = dialog.getByRole('region', { name: 'Found on this computer' });
  await found.getByText(/^2 sessions, 2 kB, last changed /).waitFor();
  expect(await findSeriousViolations(tab)).toEqual([]);
  await dialog.getByLabel('Preview only (import nothing)').check();
  await found.getByRole('button', { name: 'Import from Claude Code' }).click();
  const item = dialog.getByRole('region', { name: 'Import report for Claude Code' });
  await item.getByText('Preview; nothing was imported').waitFor();
  await item.getByRole('button', { name: 'Import now' }).click();
  await item.getByText('Imported', { exact: true }).waitFor();
  const row = item.last().getByRole('row', { name: /^Chats/ });
  await expectEventually(() => row.getByRole('cell').allTextContents()).toEqual(['2', '2', '0', '0']);
  await item.getByRole('link', { name: 'Another session of an agent' }).click();
  await tab.page.getByTestId('thread').getByText('Hi').waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});
