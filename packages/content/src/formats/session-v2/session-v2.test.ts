import { run, textMessage } from '@coppice/core';
import { createTestClock, ReferenceStore } from '@coppice/core/testing';
import { describe, expect, it } from 'vitest';
import { messageKit } from '../../kit.ts';
import {
  exportStoredTrees,
  importIntoStore,
  readStoredTree,
  runFormatConformance,
  toImportInput,
} from '../conformance.ts';
import { readImport } from '../read.ts';
import { sessionV2 } from './index.ts';

type Fields = { readonly [key: string]: unknown };

const lines = (...values: readonly unknown[]) => values.map((one) => `${JSON.stringify(one)}\n`).join('');
const at = (second: number) => new Date(1_767_323_045_000 + second * 1000).toISOString();
const uuid = (id: string) => `00000000-0000-4000-8000-${id.padStart(12, '0')}`;

const header = {
  type: 'session',
  version: 2,
  uuid: uuid('0'),
  parentUuid: null,
  id: uuid('5e55'),
  timestamp: at(0),
  cwd: '/w',
};
const entry = (type: string, id: string, parent: string, rest: Fields, second = 1): Fields => ({
  type,
  uuid: uuid(id),
  parentUuid: uuid(parent),
  timestamp: at(second),
  ...rest,
});
const say = (id: string, parent: string, role: string, said: string, second = 1) =>
  entry('message', id, parent, { message: { role, content: [{ type: 'text', text: said }] } }, second);

const plain = [
  header,
  say('1', '0', 'user', 'Which tea?', 1),
  say('2', '1', 'assistant', 'Green.', 2),
  say('3', '1', 'assistant', 'Black.', 3),
  entry('branch_summary', '4', '1', { summary: 'They chose.', fromUuid: uuid('2') }, 4),
  say('5', '4', 'user', 'Why?', 5),
  entry('compaction', '6', '5', { summary: 'Tea.', firstKeptEntryUuid: uuid('5'), tokensBefore: 9 }, 6),
  entry('model_change', '7', '6', { provider: 'p', modelId: 'm-x' }, 7),
  say('8', '7', 'assistant', 'Because.', 8),
];

// Changes by separate lines: a label, a name, a removal and a leaf.
const reported = [
  ...plain,
  entry('label', '9', '8', { targetUuid: uuid('2'), label: 'good' }, 9),
  entry('session_info', 'a', '9', { name: 'Tea' }, 10),
  entry('change', 'b', 'a', { steps: [{ type: 'remove', nodeId: uuid('3') }] }, 11),
  entry('leaf', 'c', '2', {}, 12),
];

const odd = [
  header,
  say('2', '1', 'assistant', 'early', 2),
  say('1', '0', 'user', 'late', 1),
  say('3', '99', 'user', 'lost', 3),
  say('3', '99', 'user', 'lost', 3),
  say('3', '99', 'user', 'other', 3),
  entry('compaction', '4', '3', { summary: 's', firstKeptEntryUuid: uuid('98') }, 4),
  { note: 'no entry' },
  entry('change', '5', '4', { steps: [{ type: 'hologram' }] }, 5),
  say('6', '7', 'user', 'circle', 6),
  say('7', '6', 'user', 'circle too', 7),
];

const asides = new Set(['change', 'leaf', 'label', 'session_info']);
const notes = new Set(['node', 'commit', 'actId', 'actor', 'at', 'sequence']);

/** Returns entries without the values that stores add. Lines about the session are written as one change. */
function entriesOf(files: ReadonlyMap<string, string>): Fields[] {
  return [...files.values()]
    .join('')
    .split('\n')
    .filter((one) => one !== '')
    .map((one): Fields => JSON.parse(one))
    .filter((line) => !asides.has(String(line.type)))
    .map((line) =>
      Object.fromEntries(
        Object.entries(line).filter(([key]) => !notes.has(key) && (key !== 'version' || line.type === 'session')),
      ),
    );
}

runFormatConformance(sessionV2, [
  {
    name: 'branches, a summary, a compaction, a setting',
    files: { 's.jsonl': lines(...plain) },
    trees: 1,
    nodes: 8,
    findings: [],
    thread: ['Which tea?', 'They chose.', 'Why?', 'Tea.', 'Because.'],
    roundTrip: entriesOf,
    newer: { 's.jsonl': lines(...plain, say('d', '8', 'user', 'I see.', 13)) },
  },
  {
    name: 'a leaf, a label, a name and a removal in lines of their own',
    files: { 's.jsonl': lines(...reported) },
    trees: 1,
    nodes: 8,
    findings: [],
    thread: ['Which tea?', 'Green.'],
  },
  {
    name: 'two sessions in one file, ids that are no UUIDs',
    files: {
      's.jsonl': lines(
        ...plain,
        { type: 'session', version: 2, uuid: 'root', parentUuid: null, id: 'other' },
        { type: 'message', uuid: 'm1', parentUuid: 'root', message: { role: 'user', content: 'plain text' } },
      ),
    },
    trees: 2,
    nodes: 9,
    findings: [],
    roundTrip: false,
  },
  {
    name: 'phantom, later and circular parents, ids twice, pointers at nothing, a change that is none',
    files: { 's.jsonl': `${lines(...odd)}{"type":"mess` },
    trees: 1,
    nodes: 7,
    findings: [
      'import/orphan',
      'import/cycle',
      'import/duplicate',
      'import/duplicate-id',
      'import/pointer-missing',
      'import/record-unreadable',
      'import/message-unreadable',
      'import/bad-line',
    ],
  },
]);

async function grown() {
  const store = new ReferenceStore();
  const act = { actor: 'me', kit: messageKit, ...createTestClock() };
  const { treeId: make } = await import('@coppice/core');
  const treeId = make('00000000-0000-7000-8000-00000000beef');
  const attributes = { title: 'Trees', systemPrompt: 'Be brief.', tags: ['wood'] };
  await run(store, { type: 'create', treeId, attributes }, act);
  const one = await run(store, { type: 'append', treeId, messages: [{ message: textMessage('user', 'Oak?') }] }, act);
  for (const said of ['First', 'Second', 'Third'])
    await run(
      store,
      {
        type: 'append',
        treeId,
        parentId: one.result.nodeId,
        messages: [{ message: textMessage('assistant', said), meta: { tags: [said] } }],
      },
      act,
    );
  await run(store, { type: 'bookmark', treeId, nodeId: one.result.nodeId, title: 'Begin' }, act);
  await run(store, { type: 'select', treeId, nodeId: one.result.nodeId }, act);
  return { store, ids: [treeId], names: [] };
}

describe('session files of version 2', () => {
  it('[I80] apply later lines: leaf, labels, name, removals, positions', async () => {
    const stored = await importIntoStore(toImportInput({ 's.jsonl': lines(...reported) }));
    const [tree] = stored.trees;
    expect(tree).toMatchObject({ externalId: uuid('5e55'), title: 'Tea', activeExternalId: uuid('2') });
    const of = (id: string) => tree?.nodes.find((one) => one.externalId === uuid(id));
    expect(of('2')?.bookmark).toMatchObject({ title: 'good' });
    expect(of('3')?.removed).toBe(true);
    expect(of('6')?.marker).toEqual({ firstKept: uuid('5'), tokensBefore: 9 });
    expect(of('4')?.marker).toEqual({ from: uuid('2') });
  });

  it('[I81] contain a whole tree: order, tags, prompt, bookmarks and active node, and a second export is identical', async () => {
    const mine = await grown();
    const out = await exportStoredTrees(mine, sessionV2);
    expect(out.report.counts).toEqual({});
    const back = await importIntoStore(toImportInput(Object.fromEntries(out.files)));
    const [id] = back.ids;
    const [was] = mine.ids;
    if (id === undefined || was === undefined) throw new Error('There is no tree.');
    const { title, systemPrompt, tags } = readStoredTree(back, id).attributes;
    expect({ title, systemPrompt, tags }).toEqual({ title: 'Trees', systemPrompt: 'Be brief.', tags: ['wood'] });
    const [tree] = back.trees;
    expect(tree?.activeExternalId).toBe(readStoredTree(mine, was).activeNodeId);
    expect(tree?.nodes.map((one) => [messageKit.text(one.message), one.order, one.meta?.tags])).toEqual([
      ['Oak?', 0, undefined],
      ['First', 0, ['First']],
      ['Second', 1, ['Second']],
      ['Third', 2, ['Third']],
    ]);
    expect(tree?.nodes[0]?.bookmark).toMatchObject({ title: 'Begin' });
    const again = await exportStoredTrees(back, sessionV2);
    const bare = (files: ReadonlyMap<string, string>) => entriesOf(files);
    expect(bare(again.files)).toEqual(bare(out.files));
  });

  it('[I82] of a later version are refused', async () => {
    for (const version of [4, 17]) {
      const file = toImportInput({ 's.jsonl': lines({ ...header, version }) });
      await expect(importIntoStore(file, { format: 'session-v2' })).rejects.toMatchObject({ code: 'import/newer' });
    }
  });

  it('[I175] with the version number of pi in the header are read as before, with the lines that pi appended', async () => {
    const ours = [header, say('1', '0', 'user', 'Oak?')];
    const byPi = {
      type: 'message',
      id: 'abcd1234',
      parentId: uuid('1'),
      timestamp: at(2),
      message: { role: 'assistant', content: [{ type: 'text', text: 'A tree.' }], stopReason: 'stop' },
    };
    const read = async (version: number) => {
      const [first, ...rest] = ours;
      const found: [string, string | null][] = [];
      const file = toImportInput({ 's.jsonl': lines({ ...first, version }, ...rest, byPi) });
      for await (const event of readImport(file, {}))
        if (event.type === 'tree')
          for (const one of event.tree.nodes) found.push([messageKit.text(one.message), one.parentExternalId]);
      return found;
    };
    const texts = await read(3);
    expect(texts).toEqual([
      ['Oak?', null],
      ['A tree.', uuid('1')],
    ]);
    expect(texts).toEqual(await read(2));
  });

  it('[I84] whose messages are still a list report that these were not read', async () => {
    const list = entry('linear', '1', '0', { messages: [{ message: { role: 'user', content: 'Hi' } }] });
    const found: string[] = [];
    for await (const event of readImport(toImportInput({ 's.jsonl': lines(header, list) }), { format: 'session-v2' }))
      if (event.type === 'tree') for (const one of event.tree.findings) found.push(`${one.code} ${one.rejected}`);
    expect(found).toEqual(['import/skipped 1']);
  });

  it('[I83] are written as one commit, closed by the last line', async () => {
    const { files } = await exportStoredTrees(await grown(), sessionV2);
    const written = [...files.values()].join('').trim().split('\n');
    const [first, ...rest] = written.map((one): Fields => JSON.parse(one));
    expect(first).toMatchObject({ type: 'session', version: 2, parentUuid: null });
    expect(rest.every((line) => line.version === 1)).toBe(true);
    expect(rest.map((line) => line.commit === true)).toEqual([...rest.slice(1).map(() => false), true]);
  });
});
