/** Tests of folders that other programs wrote. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAppError, type Store, type Tree, type TreeId, treeId } from '@coppice/core';
import { testUuid } from '@coppice/core/testing';
import { childIds, findNode } from '@coppice/core/tree';
import { afterEach, describe, expect, test } from 'vitest';
import { ExistingTreeFixture } from '../../test/existing-tree-fixture.ts';
import { makeTemporaryFolder } from '../../test/files-subject.ts';
import { readEveryFile } from '../../test/folder-subject.ts';
import { readFolderWithoutCoppice } from '../../test/plain-reader.ts';
import { askStore, expectRefusalCode, readTreeJson, readTreeValue } from '../conformance/subject.ts';
import { armFault, countFaultPasses } from '../failpoints.ts';
import { FileSystemStore } from './index.ts';

const folders: string[] = [];
afterEach(() => {
  armFault(null);
  for (const each of folders.splice(0)) rmSync(each, { recursive: true, force: true });
});

interface Written {
  readonly parent: string;
  readonly message: unknown;
  readonly children?: readonly string[];
  readonly metadata?: object;
  readonly more?: object;
}

/** Writes a folder in the format `loom`: ids are counted, and files are named after the second half of the id. */
function write(roots: Readonly<Record<string, Readonly<Record<string, Written>>>>, config: object = {}): string {
  const place = makeTemporaryFolder();
  folders.push(place);
  const entries = Object.entries(roots).map(([id, nodes], at) => {
    mkdirSync(join(place, id, 'nodes'), { recursive: true });
    let second = 0;
    for (const [name, node] of Object.entries(nodes)) {
      const of = (short: string) => (short === '' ? id : `${id}/${short}`);
      const file = {
        id: of(name),
        root_id: id,
        parent_id: of(node.parent),
        child_ids: (node.children ?? []).map(of),
        message: node.message,
        metadata: {
          timestamp: new Date(Date.UTC(2026, 0, 2, 3, 4, ++second)).toISOString(),
          original_root_id: id,
          source_info: { type: 'user' },
          ...node.metadata,
        },
        ...node.more,
      };
      writeFileSync(join(place, id, 'nodes', `${name}.json`), JSON.stringify(file, null, 2));
    }
    const first = Object.keys(nodes).filter((name) => nodes[name]?.parent === '');
    return {
      id,
      createdAt: `2026-01-02T03:04:0${at}.000Z`,
      child_ids: first.map((name) => `${id}/${name}`),
      config,
    };
  });
  writeFileSync(join(place, 'roots.json'), JSON.stringify(entries, null, 2));
  return place;
}

const legacy = {
  'node-1': { parent: '', message: { role: 'user', content: 'What day is it?' }, children: ['node-2', 'node-10'] },
  'node-2': {
    parent: 'node-1',
    message: {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 't1', type: 'function', function: { name: 'current_date', arguments: '' } }],
    },
    children: ['node-3'],
    metadata: {
      source_info: { type: 'model', provider: 'openai', model_name: 'm', parameters: { temperature: 1 } },
      tags: ['keep'],
      custom_data: { stars: 3 },
      title: 'Asking',
      mood: 'calm',
    },
    more: { colour: 'green' },
  },
  'node-3': { parent: 'node-2', message: { role: 'tool', tool_call_id: 't1', content: 'Friday' } },
  'node-9': { parent: 'node-1', message: { role: 'assistant', content: 'Friday.', tool_calls: [] } },
  'node-10': { parent: 'node-1', message: { role: 'assistant', content: [{ type: 'text', text: 'I guess Friday.' }] } },
} as const satisfies Readonly<Record<string, Written>>;

const prompt = { systemPrompt: 'Be exact.' };

async function only(store: Store): Promise<TreeId> {
  const { items } = await store.trees();
  expect(items.length).toBe(1);
  return items[0]?.id ?? treeId('');
}

/** Returns the tree as lines of text, with children in stored order. */
function drawn(tree: Tree): string[] {
  const lines: string[] = [];
  const open = childIds(tree, tree.rootId)
    .reverse()
    .map((id) => ({ id, depth: 0 }));
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { id, depth } = at;
    const message = findNode(tree, id)?.message;
    lines.push(`${'  '.repeat(depth)}${message?.role}: ${JSON.stringify(message?.content)}`);
    for (const child of childIds(tree, id).reverse()) open.push({ id: child, depth: depth + 1 });
  }
  return lines;
}

const canonical = [
  'user: [{"type":"text","text":"What day is it?"}]',
  '  assistant: [{"type":"tool-use","id":"t1","name":"current_date","parameters":{}}]',
  '    tool: [{"type":"text","text":"Friday"}]',
  '  assistant: [{"type":"text","text":"I guess Friday."}]',
  '  assistant: [{"type":"text","text":"Friday."}]',
];

describe('folders without a journal', () => {
  test('[L30] older messages are read in the current form, children in their listed order, and no byte changes', async () => {
    const place = write({ 'root-1': legacy }, prompt);
    const before = readEveryFile(place);
    const store = await FileSystemStore.open(place);
    const id = await only(store);
    const tree = await readTreeValue(store, id);
    expect(drawn(tree)).toEqual(canonical);
    expect(tree.attributes.systemPrompt).toBe('Be exact.');
    const notes = (await store.info()).notes.filter((note) => note.includes('lists other children'));
    expect(notes.map((note) => note.includes('root-1/node-1'))).toEqual([true]);
    expect((await store.search({ text: 'guess' })).items.length).toBe(1);
    expect((await store.fsck()).findings.filter((finding) => finding.severity === 'error')).toEqual([]);
    await store.close();
    expect(readEveryFile(place)).toEqual(before);
    expect(readdirSync(place).sort()).toEqual(['roots.json', 'root-1'].sort());
  });

  test('[L31] ids are the same at every opening, and the old ones are kept as external ids', async () => {
    const place = write({ 'root-1': legacy }, prompt);
    const store = await FileSystemStore.open(place);
    const id = await only(store);
    const image = await readTreeJson(store, id);
    const names = await store.externalIdsOf(id);
    expect(names.map((name) => [name.format, name.scope, name.id])).toEqual([
      ['loom', place, 'root-1'],
      ...['1', '10', '2', '3', '9'].map((at) => ['loom', place, `root-1/node-${at}`]),
    ]);
    const [found] = await store.findExternalIds('loom', place, ['root-1/node-3']);
    const node = await askStore(store, id, 'node', { id: found?.nodeId ?? names[0]?.nodeId ?? (await never()) });
    expect(node?.message?.role).toBe('tool');
    await store.close();
    const again = await FileSystemStore.open(place);
    expect(await readTreeJson(again, id)).toEqual(image);
    await again.close();
  });

  test('[L32] metadata is converted, and fields without an equivalent are kept with the node', async () => {
    const place = write({ 'root-1': legacy }, prompt);
    const store = await FileSystemStore.open(place);
    const id = await only(store);
    const [name] = await store.findExternalIds('loom', place, ['root-1/node-2']);
    const node = findNode(await readTreeValue(store, id), name?.nodeId ?? '');
    expect(node?.meta).toEqual({
      source: { type: 'model', provider: 'openai', model_name: 'm', parameters: { temperature: 1 } },
      tags: ['keep'],
      customData: { stars: 3 },
      title: 'Asking',
      loom: { colour: 'green', 'metadata.mood': 'calm' },
    });
    expect(node?.createdAt).toBe(Date.UTC(2026, 0, 2, 3, 4, 2));
    await store.close();
  });

  test('[L33] the first write creates a journal with the whole tree; the old folder stays unchanged', async () => {
    const place = write(
      {
        'root-1': legacy,
        'root-2': { 'node-1': { parent: '', message: { role: 'user', content: [{ type: 'text', text: 'Two' }] } } },
      },
      prompt,
    );
    const before = readEveryFile(join(place, 'root-1'));
    const store = await FileSystemStore.open(place);
    const [first] = (await store.trees()).items.filter((item) => item.createdAt === Date.UTC(2026, 0, 2, 3, 4, 0));
    const id = first?.id ?? treeId('');
    const names = await store.externalIdsOf(id);
    await new ExistingTreeFixture(store, id).addMessages(['And tomorrow?']);
    const image = await readTreeJson(store, id);
    await store.close();
    expect(readEveryFile(join(place, 'root-1'))).toEqual(before);
    expect(readFolderWithoutCoppice(place).flatMap(({ branches }) => branches)).toContain(
      'What day is it? / I guess Friday. / And tomorrow?',
    );
    // Coppice writes messages in its canonical form: the content is a list, and tool calls are blocks.
    for (const name of readdirSync(join(place, id, 'nodes'))) {
      const { message } = JSON.parse(readFileSync(join(place, id, 'nodes', name), 'utf8'));
      expect(Array.isArray(message.content)).toBe(true);
      expect(message.tool_calls).toBeUndefined();
    }
    const ids = JSON.parse(readFileSync(join(place, 'roots.json'), 'utf8')).map((entry: { id: string }) => entry.id);
    expect(ids.sort()).toEqual([id, 'root-2'].sort());
    const again = await FileSystemStore.open(place);
    expect((await again.trees()).items.length).toBe(2);
    expect(await readTreeJson(again, id)).toEqual(image);
    expect(await again.externalIdsOf(id)).toEqual(names);
    expect((await again.history(id)).map((commit) => commit.actor)).toEqual(['me', 'migration']);
    expect((await again.fsck()).findings.filter((finding) => finding.severity === 'error')).toEqual([]);
    await again.close();
    // Without the registry the tree is still found, and its original folder is not listed as another tree.
    rmSync(join(place, 'roots.json'));
    const third = await FileSystemStore.open(place);
    expect((await third.trees()).items.map((item) => item.id)).toContain(id);
    expect((await third.trees()).items.length).toBe(2);
    await third.close();
  });

  test('[L33] a first write that fails at any point leaves the folder unchanged, and the next one succeeds', async () => {
    for (let nth = 1, through = false; !through; nth++) {
      const place = write({ 'root-1': legacy }, prompt);
      const store = await FileSystemStore.open(place);
      const id = await only(store);
      const before = await readTreeJson(store, id);
      armFault({ point: '*', nth, fault: 'eio' });
      const fixture = new ExistingTreeFixture(store, id);
      const refused = await fixture.addMessages(['And tomorrow?']).then(
        () => null,
        (error: unknown) => (isAppError(error) ? error.code : String(error)),
      );
      through = countFaultPasses() < nth;
      armFault(null);
      expect([nth, refused]).toEqual([nth, through ? null : 'store/unavailable']);
      if (!through) {
        expect(await readTreeJson(store, id)).toEqual(before);
        await fixture.addMessages(['And tomorrow?']);
      }
      await store.close();
      const again = await FileSystemStore.open(place);
      expect(await only(again)).toBe(id);
      expect((await again.history(id)).length).toBe(2);
      expect((await again.externalIdsOf(id)).length).toBe(6);
      await again.close();
      expect(readFolderWithoutCoppice(place)[0]?.branches).toContain(
        'What day is it? / I guess Friday. / And tomorrow?',
      );
    }
  });

  test('[L33] a folder whose ids are UUIDs is written in place, with its own ids', async () => {
    const root = testUuid(700);
    const place = write({ [root]: {} });
    const node = {
      id: testUuid(701),
      root_id: root,
      parent_id: root,
      child_ids: [],
      message: { role: 'user', content: 'Old' },
    };
    writeFileSync(join(place, root, 'nodes', `${testUuid(701)}.json`), JSON.stringify(node));
    const store = await FileSystemStore.open(place);
    expect(await only(store)).toBe(root);
    await new ExistingTreeFixture(store, treeId(root)).addMessages(['New']);
    await store.close();
    expect(readFolderWithoutCoppice(place)[0]?.branches).toEqual(['Old / New']);
    const file = JSON.parse(readFileSync(join(place, root, 'nodes', `${testUuid(701)}.json`), 'utf8'));
    expect(file.message).toEqual({ role: 'user', content: [{ type: 'text', text: 'Old' }] });
  });

  test('[L34] an unreadable tree is refused by the name of its file, and the other trees are still there', async () => {
    const good = { 'node-1': { parent: '', message: { role: 'user', content: 'Fine' } } };
    const bad: readonly (readonly [string, Written | string, string])[] = [
      ['no JSON', '{"id":', 'node-5.json'],
      ['no byte', '', 'node-5.json'],
      ['null without calls', { parent: '', message: { role: 'assistant', content: null } }, 'node-5.json'],
      [
        'arguments that are no JSON',
        {
          parent: '',
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 't', type: 'function', function: { name: 'f', arguments: '{oops' } }],
          },
        },
        'node-5.json',
      ],
      ['an empty list of blocks', { parent: '', message: { role: 'user', content: [] } }, 'node-5.json'],
      ['a parent that is missing', { parent: 'node-4', message: { role: 'user', content: 'x' } }, 'node-5.json'],
      ['itself as its parent', { parent: 'node-5', message: { role: 'user', content: 'x' } }, 'node-5.json'],
    ];
    for (const [name, spoilt, file] of bad) {
      const place = write({ 'root-1': good, 'root-2': typeof spoilt === 'string' ? {} : { 'node-5': spoilt } });
      if (typeof spoilt === 'string') writeFileSync(join(place, 'root-2', 'nodes', 'node-5.json'), spoilt);
      const before = readEveryFile(place);
      const store = await FileSystemStore.open(place);
      const { items } = await store.trees();
      expect([name, items.length]).toEqual([name, 2]);
      const outcomes = await Promise.all(
        items.map(({ id }) =>
          askStore(store, id, 'rows', {}).then(
            (rows) => `${rows?.nodes.length} nodes`,
            (error: unknown) => (isAppError(error) ? `${error.code} ${error.message.includes(file)}` : String(error)),
          ),
        ),
      );
      expect([name, outcomes.sort()]).toEqual([name, ['2 nodes', 'store/damaged true']]);
      await store.close();
      expect(readEveryFile(place)).toEqual(before);
    }
  });

  test('[L35] with an unreadable registry the folders are read without prompts, and the file is kept', async () => {
    const place = write({ 'root-1': legacy }, prompt);
    writeFileSync(join(place, 'roots.json'), '[{"id":"root-1"');
    const store = await FileSystemStore.open(place);
    const id = await only(store);
    expect(drawn(await readTreeValue(store, id)).length).toBe(5);
    expect(readFileSync(join(place, 'roots.json'), 'utf8')).toBe('[{"id":"root-1"');
    await new ExistingTreeFixture(store, id).addMessages(['on']);
    await store.close();
    expect(readFileSync(join(place, 'roots.json.damaged-1'), 'utf8')).toBe('[{"id":"root-1"');
    expect(readFolderWithoutCoppice(place).length).toBe(1);
  });

  test('[L36] a root without messages is an empty tree, and a name with a path is not a folder', async () => {
    const place = write({ 'root-1': {} }, prompt);
    rmSync(join(place, 'root-1'), { recursive: true });
    const roots = JSON.parse(readFileSync(join(place, 'roots.json'), 'utf8'));
    roots.push({ id: '../escape', createdAt: '2026-01-01T00:00:00.000Z', child_ids: ['../escape/node-1'], config: {} });
    writeFileSync(join(place, 'roots.json'), JSON.stringify(roots));
    const store = await FileSystemStore.open(place);
    const { items } = await store.trees();
    expect(items.length).toBe(2);
    const empty = items.find((item) => item.attributes.systemPrompt === 'Be exact.');
    const strange = items.find((item) => item !== empty);
    expect((await askStore(store, empty?.id ?? treeId(''), 'rows', {}))?.nodes.length).toBe(1);
    expect(await expectRefusalCode(askStore(store, strange?.id ?? treeId(''), 'rows', {}))).toBe('store/damaged');
    await store.close();
    expect(existsSync(join(place, '..', 'escape'))).toBe(false);
  });
});

async function never(): Promise<never> {
  throw new Error('There is no such name.');
}
