import { describe, expect, it } from 'vitest';
import { type FixtureFiles, importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { sillytavern } from './index.ts';
import { parseSillytavernDate } from './times.ts';

type Line = { readonly [key: string]: unknown };

const header = (more: Line = {}, integrity = '11111111-2222-4333-8444-555555555555'): Line => ({
  user_name: 'Ana',
  character_name: 'Bo',
  create_date: '2026-1-2 @03h 04m 05s',
  chat_metadata: { integrity, note_prompt: '', variables: { x: 1 }, ...more },
});
const said = (mes: string, send_date: unknown, more: Line = {}): Line => ({
  name: 'Ana',
  is_user: true,
  is_system: false,
  send_date,
  mes,
  extra: {},
  ...more,
});
const answered = (mes: string, send_date: unknown, more: Line = {}): Line =>
  said(mes, send_date, { name: 'Bo', is_user: false, ...more });
const jsonl = (...lines: readonly Line[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

const greeting = answered('Hello.', 'January 2, 2026 3:04am', {
  swipe_id: 0,
  swipes: ['Hello.', 'Who goes there?'],
  swipe_info: [{ send_date: 'January 2, 2026 3:04am', extra: {} }],
});
const knock = said('May I come in?', 'January 2, 2026 3:05am');
const comeIn = answered('Come in.', 'January 2, 2026 3:07am', {
  extra: { api: 'x', model: 'm-x', token_count: 3, reasoning: 'It is cold.', branches: ['Branch #1 - later'] },
  gen_started: '2026-01-02T03:06:00.000Z',
  gen_finished: '2026-01-02T03:06:02.000Z',
  swipe_id: 1,
  swipes: ['No.', 'Come in.', 'Later.'],
  swipe_info: [
    { send_date: 'January 2, 2026 3:06am', extra: { api: 'x', model: 'm-y' } },
    { send_date: 'January 2, 2026 3:07am', extra: {} },
  ],
});
const thanks = said('Thank you.', '2026-01-02T03:08:00.000Z');
const later = answered('Later.', 'January 2, 2026 3:07am');
const why = said('Why?', 'January 2, 2026 3:09am');

const main = jsonl(header(), greeting, knock, comeIn, thanks);
const branch = jsonl(header({ main_chat: 'Bo - first' }), greeting, knock, later, why);
const folder: FixtureFiles = { 'Bo/Branch #1 - later.jsonl': branch, 'Bo/Bo - first.jsonl': main };

runFormatConformance(sillytavern, [
  {
    name: 'swipes, of which one is selected, with fewer notes than swipes',
    files: { 'Bo - first.jsonl': main },
    trees: 1,
    nodes: 7,
    findings: [],
    thread: ['Hello.', 'May I come in?', 'Come in.\nIt is cold.', 'Thank you.'],
    newer: { 'other name.jsonl': main + jsonl(answered('Sit down.', 1767323400000)) },
  },
  {
    name: 'a branch file beside its chat',
    files: folder,
    trees: 1,
    nodes: 8,
    findings: [],
    thread: ['Hello.', 'May I come in?', 'Later.', 'Why?'],
  },
  {
    name: 'a checkpoint whose chat is not there, another chat with the same greeting, and a stranger',
    files: {
      'Bo/Checkpoint #1.jsonl': branch,
      'Bo/Bo - second.jsonl': jsonl(header({}, 'another'), greeting, said('Good day.', 'January 3, 2026 1:00pm')),
      'Bo/notes.txt': 'no chat',
    },
    trees: 2,
    nodes: 8,
    findings: [],
  },
  {
    name: 'an old group chat without a first line',
    files: { 'group.jsonl': jsonl(knock, answered('I am Cy.', 1767323160000, { name: 'Cy' }), thanks) },
    trees: 1,
    nodes: 3,
    findings: [],
  },
  {
    name: 'names that are unused, a hidden line, a narrator, and a line that says nothing',
    files: {
      'chat.jsonl': jsonl(
        { user_name: 'unused', character_name: 'unused', create_date: '', chat_metadata: {} },
        knock,
        answered('It rains.', 'January 2, 2026 3:06am', { name: 'System', extra: { type: 'narrator' } }),
        answered('(aside)', 'January 2, 2026 3:06am', { is_system: true }),
        answered('', 'January 2, 2026 3:07am'),
      ),
    },
    trees: 1,
    nodes: 4,
    findings: [],
  },
  {
    name: 'a text that is none of its swipes, a swipe number past the end, a bad date and a bad line',
    files: {
      'chat.jsonl': `${jsonl(header(), answered('New.', 'some day', { swipe_id: 7, swipes: ['Old.', 'Old.'] }))}no json\n7\n${jsonl({ other: 1 }, thanks)}`,
    },
    trees: 1,
    nodes: 4,
    findings: [
      'import/inferred',
      'import/time-unreadable',
      'import/bad-line',
      'import/record-unreadable',
      'import/skipped',
    ],
    thread: ['New.', 'Thank you.'],
  },
  {
    name: 'pictures, inside the line and elsewhere',
    files: {
      'chat.jsonl': jsonl(
        header(),
        said('See.', 1767323160000, { extra: { image: 'data:image/png;base64,iVBORw0KGgo=' } }),
        answered('I see.', 1767323160000, { extra: { media: [{ type: 'image', url: '/user/images/a.png' }] } }),
      ),
    },
    trees: 1,
    nodes: 2,
    findings: [],
  },
]);

async function oneTree(files: FixtureFiles) {
  const { trees } = await importIntoStore(toImportInput(files));
  const [tree] = trees;
  if (tree === undefined || trees.length !== 1) throw new Error('There is not one tree.');
  const node = (text: string) => tree.nodes.find((one) => JSON.stringify(one.message).includes(text));
  return { tree, node };
}

describe('chats of SillyTavern', () => {
  it('[I120] have swipes as a group of variants in order, and later messages are below the selected one', async () => {
    const { tree, node } = await oneTree({ 'a.jsonl': main });
    const variants = ['No.', 'Come in.', 'Later.'].map(node);
    expect(variants.map((one) => one?.order)).toEqual([0, 1, 2]);
    expect(new Set(variants.map((one) => one?.group)).size).toBe(1);
    expect(variants[0]?.group).not.toBe(undefined);
    expect(node('Thank you.')?.parentExternalId).toBe(variants[1]?.externalId);
    expect(variants[0]?.meta?.source).toEqual({ type: 'model', provider: 'x', model_name: 'm-y' });
    expect(variants[1]?.record).toEqual(comeIn);
    expect(tree.records).toBe(5);
    expect(node('Who goes there?')?.parentExternalId).toBe(null);
  });

  it('[I121] include the files that were copied from them, merged by their common prefix, in any order', async () => {
    const { tree, node } = await oneTree(folder);
    const turned = await oneTree(Object.fromEntries(Object.entries(folder).reverse()));
    expect(turned.tree).toEqual(tree);
    expect(node('Why?')?.parentExternalId).toBe(node('Later.')?.externalId);
    expect(tree.title).toBe('Bo - first');
    expect(tree.records).toBe(10);
    expect(tree.merged).toBe(2);
    expect(tree.findings.map((one) => one.code)).toContain('import/merged');
  });

  it('[I121] keep the first lines of all files, and lines of copies that differ', async () => {
    const marked = { ...knock, extra: { bookmark_link: 'Checkpoint #1' } };
    const { tree, node } = await oneTree({
      'Bo/a.jsonl': jsonl(header(), marked, thanks),
      'Bo/Checkpoint #1.jsonl': jsonl(header({ main_chat: 'a' }), knock),
    });
    expect(node('May I come in?')?.bookmark).toBe('Checkpoint #1');
    expect(tree.record).toEqual({
      files: [
        { name: 'Bo/a.jsonl', header: header() },
        { name: 'Bo/Checkpoint #1.jsonl', header: header({ main_chat: 'a' }), lines: [[2, knock]] },
      ],
    });
  });

  it('[I121] merge copies that do not name each other by their first message and its time', async () => {
    const { trees } = await importIntoStore(
      toImportInput({
        'Bo/a.jsonl': jsonl(header(), greeting, knock, thanks),
        'Bo/b.jsonl': jsonl(header(), greeting, knock, why),
        'Cy/b.jsonl': jsonl(header({}, 'cy'), greeting, knock, why),
      }),
    );
    expect(trees.map((one) => one.nodes.length)).toEqual([5, 4]);
  });

  it('[I122] give the same messages the same ids when another swipe is selected later', async () => {
    const first = await importIntoStore(toImportInput({ 'a.jsonl': main }));
    const sizeNow = () => first.ids.map((id) => first.store.tree(id)?.size);
    expect(sizeNow()).toEqual([7]);
    const turned = { ...comeIn, swipe_id: 0, mes: 'No.', extra: {} };
    const again = await importIntoStore(toImportInput({ 'b.jsonl': jsonl(header(), greeting, knock, turned, why) }), {
      store: first.store,
    });
    expect(again.ids).toEqual(first.ids);
    expect(sizeNow()).toEqual([8]);
  });

  it('[I123] keep the author, hidden lines, the model with its time, and reasoning', async () => {
    const { node } = await oneTree({
      'a.jsonl': jsonl(
        header(),
        said('Hush.', 1, { is_system: true }),
        comeIn,
        answered('It rains.', 2, { name: 'Sky', extra: { type: 'narrator' } }),
      ),
    });
    expect(node('Hush.')?.meta).toEqual({ source: { type: 'user' }, excluded: true });
    expect(node('Come in.')?.meta?.source).toEqual({
      type: 'model',
      provider: 'x',
      model_name: 'm-x',
      usage: { outputTokens: 3 },
      duration: 2000,
    });
    expect(node('Come in.')?.message.content[0]).toEqual({ type: 'thinking', thinking: 'It is cold.' });
    expect(node('It rains.')?.message.role).toBe('system');
    expect(node('It rains.')?.meta?.customData).toEqual({ name: 'Sky' });
  });

  it.each([
    ['January 2, 2026 3:04am', '2026-01-02T03:04:00.000Z'],
    ['December 31, 2025 12:00am', '2025-12-31T00:00:00.000Z'],
    ['Jun 1, 2025 12:30PM', '2025-06-01T12:30:00.000Z'],
    ['2026-1-2 @03h 04m 05s 678ms', '2026-01-02T03:04:05.678Z'],
    ['2026-1-2@03h04m05s', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05.000Z', '2026-01-02T03:04:05.000Z'],
    [1767323045000, '2026-01-02T03:04:05.000Z'],
    ['1767323045000', '2026-01-02T03:04:05.000Z'],
  ])('[I124] have dates in the formats of all years: %s', (date, iso) => {
    expect(new Date(parseSillytavernDate(date) ?? 0).toISOString()).toBe(iso);
  });

  it('[I124] have no date if it is invalid', () => {
    for (const date of ['some day', '', null, {}, 'Foo 2, 2026 3:04am'])
      expect(parseSillytavernDate(date)).toBe(undefined);
  });
});
