/** Tests of files that were truncated, altered, emptied or written by another program. */
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { run, type Store } from '@coppice/core';
import { createTestClock, testKit, testUuid } from '@coppice/core/testing';
import { describe, expect, test } from 'vitest';
import { journalDamages } from '../../test/damage-journals.ts';
import { ExistingTreeFixture } from '../../test/existing-tree-fixture.ts';
import { readEveryFile } from '../../test/folder-subject.ts';
import { readFolderWithoutCoppice } from '../../test/plain-reader.ts';
import { createSampleTreesIn, damagedTreeId, intactTreeId, useTemporaryFolders } from '../../test/sample-folder.ts';
import { askStore, expectRefusal, expectRefusalCode, readTreeJson } from '../conformance/subject.ts';
import { FileSystemStore } from './index.ts';

const folder = useTemporaryFolders();

const sample = () => createSampleTreesIn(folder());

async function texts(store: Store, of = damagedTreeId): Promise<string[]> {
  const rows = await askStore(store, of, 'rows', {});
  return (rows?.nodes ?? []).filter((node) => node.text !== '').map((node) => node.text);
}

describe('incomplete journals', () => {
  const endings: readonly (readonly [string, Uint8Array])[] = [
    ['half a line', Buffer.from('{"type":"commit","sequence":9,"fo')],
    ['a run of NUL', Buffer.alloc(300)],
    ['a run of NUL with an end', Buffer.concat([Buffer.alloc(300), Buffer.from('"}\n')])],
    ['a line end of another kind', Buffer.from('{"type":"commit","text":"\u2028\u0085\r')],
  ];
  for (const [name, tail] of endings)
    test(`[L20] after ${name} everything before it loads, one note gives its position, and the next line starts on a new line`, async () => {
      const place = await sample();
      const journal = join(place, damagedTreeId, 'journal.jsonl');
      const size = readFileSync(journal).length;
      appendFileSync(journal, tail);
      const torn = readFileSync(journal);
      const reader = await FileSystemStore.open(place, { readOnly: true });
      expect(await texts(reader)).toEqual(['first', 'reply']);
      const notes = (await reader.info()).notes.filter((note) => note.includes(`byte ${size}`));
      expect(notes.length).toBe(1);
      expect(notes[0]).toContain(journal);
      await reader.close();
      expect(readFileSync(journal).equals(torn)).toBe(true);
      const store = await FileSystemStore.open(place);
      await new ExistingTreeFixture(store).addMessages(['after']);
      const image = await readTreeJson(store, damagedTreeId);
      await store.close();
      // The incomplete line stays in place, and every other line is valid JSON for other readers.
      const lines = readFileSync(journal);
      expect(lines.subarray(0, torn.length).equals(torn)).toBe(true);
      const last = lines.toString('utf8').trimEnd().split('\n').at(-1) ?? '';
      expect(JSON.parse(last).steps.length).toBe(2);
      const again = await FileSystemStore.open(place);
      expect(await readTreeJson(again, damagedTreeId)).toEqual(image);
      const { findings } = await again.fsck();
      expect(findings.map(({ code, severity }) => [code, severity])).toEqual([['journal-line', 'warning']]);
      await again.close();
    });

  test('[L20] a complete last line without a line feed counts, now and when more lines follow', async () => {
    const place = await sample();
    const journal = join(place, damagedTreeId, 'journal.jsonl');
    truncateSync(journal, readFileSync(journal).length - 1);
    const store = await FileSystemStore.open(place);
    expect(await texts(store)).toEqual(['first', 'reply']);
    await new ExistingTreeFixture(store).addMessages(['after']);
    await store.close();
    const again = await FileSystemStore.open(place);
    expect(await texts(again)).toEqual(['first', 'reply', 'after']);
    expect((await again.fsck()).findings).toEqual([]);
    await again.close();
  });
});

describe('damaged journals', () => {
  for (const [name, says, how] of journalDamages)
    test(`[L21] a tree with ${name} is listed and refused by its file, the others work, and no file is changed`, async () => {
      const place = await sample();
      const journal = join(place, damagedTreeId, 'journal.jsonl');
      how(journal);
      const before = readEveryFile(join(place, damagedTreeId));
      const store = await FileSystemStore.open(place);
      expect((await store.trees()).items.map((item) => item.id).sort()).toEqual([damagedTreeId, intactTreeId]);
      const error = await expectRefusal(askStore(store, damagedTreeId, 'rows', {}));
      expect(error.code).toBe('store/damaged');
      expect(error.message).toContain(journal);
      expect(error.message).toMatch(says);
      expect(await expectRefusalCode(new ExistingTreeFixture(store).addMessages(['no']))).toBe('store/damaged');
      await new ExistingTreeFixture(store, intactTreeId).addMessages(['goes on']);
      const { findings } = await store.fsck();
      expect(findings.map(({ code, treeId: tree }) => [code, tree])).toEqual([['unreadable', damagedTreeId]]);
      await store.close();
      expect(readEveryFile(join(place, damagedTreeId))).toEqual(before);
    });

  test('[L28] an unreadable tree does not prevent a search of the others', async () => {
    const place = await sample();
    const journal = join(place, damagedTreeId, 'journal.jsonl');
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('Be brief.', 'Be Brief.'));
    const store = await FileSystemStore.open(place);
    expect((await store.search({ text: 'e' })).items.map((hit) => hit.treeId)).toEqual([intactTreeId]);
    expect(await expectRefusalCode(store.search({ text: 'e', treeId: damagedTreeId }))).toBe('store/damaged');
    await store.close();
  });

  test('[L22] a tree that a newer version wrote is listed and refused with store/newer', async () => {
    const place = await sample();
    const path = join(place, damagedTreeId, 'tree.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"formatVersion": 1', '"formatVersion": 2'));
    const before = readEveryFile(join(place, damagedTreeId));
    const store = await FileSystemStore.open(place);
    expect((await store.trees()).items.length).toBe(2);
    expect(await expectRefusalCode(askStore(store, damagedTreeId, 'rows', {}))).toBe('store/newer');
    expect(await texts(store, intactTreeId)).toEqual(['elsewhere']);
    await store.close();
    expect(readEveryFile(join(place, damagedTreeId))).toEqual(before);
  });
});

describe('the files beside the journal', () => {
  test('[L23] an unreadable registry is rebuilt from the folders, and the old one is kept beside it', async () => {
    for (const [at, bytes] of ['', '[{"id":', '{}', '[1]'].entries()) {
      const place = await sample();
      writeFileSync(join(place, 'roots.json'), bytes);
      const reader = await FileSystemStore.open(place, { readOnly: true });
      expect((await reader.trees()).items.length).toBe(2);
      expect((await reader.info()).notes.some((note) => note.includes('roots.json'))).toBe(true);
      await reader.close();
      expect(readFileSync(join(place, 'roots.json'), 'utf8')).toBe(bytes);
      const store = await FileSystemStore.open(place);
      await store.close();
      expect(readFileSync(join(place, 'roots.json.damaged-1'), 'utf8')).toBe(bytes);
      expect(readFolderWithoutCoppice(place).map(({ branches }) => branches)).toEqual([
        ['first / reply'],
        ['elsewhere'],
      ]);
      expect(at).toBeLessThan(4);
    }
  });

  test('[L23] a missing or outdated registry is rebuilt', async () => {
    const place = await sample();
    rmSync(join(place, 'roots.json'));
    await (await FileSystemStore.open(place)).close();
    expect(readFolderWithoutCoppice(place).length).toBe(2);
    const path = join(place, 'roots.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"version": 2', '"version": 1'));
    await (await FileSystemStore.open(place)).close();
    expect(
      JSON.parse(readFileSync(path, 'utf8')).map((entry: { coppice: { version: number } }) => entry.coppice.version),
    ).toEqual([2, 2]);
  });

  test('[L24] the check finds files that differ from the journal, lists of children included, and repair fixes them', async () => {
    const place = await sample();
    const nodes = join(place, damagedTreeId, 'nodes');
    const [first = '', second = ''] = readdirSync(nodes);
    const path = join(nodes, first);
    const planting: readonly (readonly [string, () => void])[] = [
      [
        'child-ids',
        () => writeFileSync(path, readFileSync(path, 'utf8').replace(/"child_ids": \[[^\]]*\]/, '"child_ids": ["x"]')),
      ],
      ['node-file', () => writeFileSync(path, readFileSync(path, 'utf8').replace('first', 'forged'))],
      ['node-file', () => rmSync(join(nodes, second))],
      ['node-file', () => writeFileSync(join(nodes, `${testUuid(77)}.json`), '{}')],
      ['node-file', () => writeFileSync(path, '')],
      ['tree-file', () => rmSync(join(place, damagedTreeId, 'tree.json'))],
    ];
    for (const [code, buildSample] of planting) {
      const store = await FileSystemStore.open(place);
      const image = await readTreeJson(store, damagedTreeId);
      expect((await store.fsck()).findings).toEqual([]);
      buildSample();
      const found = await store.fsck();
      expect(found.findings.map((finding) => finding.code)).toEqual([code]);
      expect(found.repaired).toEqual([]);
      const mended = await store.fsck({ repair: true, treeId: damagedTreeId });
      expect(mended.repaired.length).toBe(1);
      expect((await store.fsck()).findings).toEqual([]);
      expect(await readTreeJson(store, damagedTreeId)).toEqual(image);
      await store.close();
      expect(readFolderWithoutCoppice(place)[0]?.branches).toEqual(['first / reply']);
    }
  });

  test('[L25] files written without sync before a reboot are checked again', async () => {
    const place = await sample();
    const nodes = join(place, damagedTreeId, 'nodes');
    const [first = '', second = ''] = readdirSync(nodes);
    // The state after a power cut: `tree.json` lists all files, but one file is empty and one is missing.
    const path = join(place, damagedTreeId, 'tree.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"unsynced": null', '"unsynced": "an earlier run"'));
    writeFileSync(join(nodes, first), '');
    rmSync(join(nodes, second));
    const store = await FileSystemStore.open(place);
    await store.close();
    expect(readFolderWithoutCoppice(place)[0]?.branches).toEqual(['first / reply']);
    expect(readFileSync(path, 'utf8')).toContain('"unsynced": null');
  });
});

describe('folders that are not a store', () => {
  test('[L26] other folders, a file and a damaged or newer store are refused and not changed', async () => {
    const foreign = folder();
    mkdirSync(join(foreign, 'photos'));
    writeFileSync(join(foreign, 'photos', 'a.json'), '{}');
    writeFileSync(join(foreign, 'notes.txt'), 'mine');
    const before = readEveryFile(foreign);
    expect(await expectRefusalCode(FileSystemStore.open(foreign))).toBe('store/damaged');
    expect(readEveryFile(foreign)).toEqual(before);
    expect(readdirSync(foreign).sort()).toEqual(['notes.txt', 'photos']);
    expect(await expectRefusalCode(FileSystemStore.open(join(foreign, 'notes.txt')))).toBe('store/damaged');
    expect(await expectRefusalCode(FileSystemStore.open(''))).toBe('command/invalid');
    const place = await sample();
    for (const [text, code] of [
      ['', 'store/damaged'],
      ['{"format":"something"}', 'store/damaged'],
      ['{"format":"coppice/files","formatVersion":7}', 'store/newer'],
    ] as const) {
      writeFileSync(join(place, '.coppice', 'format.json'), text);
      const files = readEveryFile(place);
      expect(await expectRefusalCode(FileSystemStore.open(place))).toBe(code);
      expect(readEveryFile(place)).toEqual(files);
    }
  });

  test('[L26] a symbolic link in place of a tree is not followed', async () => {
    const elsewhere = await sample();
    const place = await sample();
    rmSync(join(place, intactTreeId), { recursive: true });
    symlinkSync(join(elsewhere, intactTreeId), join(place, intactTreeId));
    const store = await FileSystemStore.open(place);
    expect(await expectRefusalCode(askStore(store, intactTreeId, 'rows', {}))).toBe('store/damaged');
    await store.close();
  });

  test('[L27] unreadable files beside the trees are skipped, reported, and moved aside by repair', async () => {
    const place = await sample();
    const store = await FileSystemStore.open(place);
    const name = (text: string) => ({ treeId: damagedTreeId, nodeId: null, format: 'f', scope: 's', id: text });
    await store.putExternalIds([name('one')]);
    await store.close();
    const path = join(place, '.coppice', 'names.jsonl');
    appendFileSync(path, '{"type":"exter');
    const again = await FileSystemStore.open(place);
    await again.putExternalIds([name('two')]);
    expect((await again.fsck()).findings).toEqual([]);
    await again.close();
    const altered = readFileSync(path, 'utf8').replace('"one"', '"One"');
    writeFileSync(path, altered);

    const third = await FileSystemStore.open(place);
    const namesIn = async (one: Store) => (await one.externalIdsOf(damagedTreeId)).map((found) => found.id);
    expect(await namesIn(third)).toEqual(['two']);
    expect(readFileSync(path, 'utf8')).toBe(altered);
    expect((await third.info()).notes.join()).toContain(`${path} cannot be read at line 2`);
    const { findings } = await third.fsck();
    expect(findings.map(({ code, severity, id: at }) => [code, severity, at])).toEqual([['side-file', 'error', path]]);
    // New lines are appended after the unreadable one.
    await third.putExternalIds([name('three')]);
    expect((await third.fsck({ repair: true })).repaired).toHaveLength(1);
    expect((await third.fsck({ repair: true })).findings).toEqual([]);
    expect(readFileSync(`${path}.damaged-1`, 'utf8')).toContain('"One"');
    await third.close();
    const fourth = await FileSystemStore.open(place);
    expect(await namesIn(fourth)).toEqual(['three', 'two']);
    expect((await fourth.fsck()).findings).toEqual([]);
    // The file with the unreadable lines may contain purged data, so a purge deletes it.
    await run(
      fourth,
      { type: 'delete-tree', treeId: intactTreeId },
      { actor: 'me', kit: testKit, ...createTestClock(900) },
    );
    await fourth.purgeTree(intactTreeId);
    expect([...readEveryFile(place).keys()].filter((file) => file.includes('.damaged-'))).toEqual([]);
    await fourth.close();
  });

  test('[L27] accounts with an altered line are refused by the name of their file', async () => {
    const place = await sample();
    const store = await FileSystemStore.open(place);
    await store.accounts.putUser({ id: 'ann', name: 'Ann', role: 'member', createdAt: 1, disabledAt: null });
    await store.close();
    const path = join(place, '.coppice', 'accounts.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"Ann"', '"Eve"'));
    const error = await expectRefusal(FileSystemStore.open(place));
    expect([error.code, error.message.includes(path)]).toEqual(['store/damaged', true]);
  });
});
