import { type ExternalId, nodeId, run, type Tree, textMessage, treeId } from '@coppice/core';
import { createTestClock, ReferenceStore, testUuid } from '@coppice/core/testing';
import { findAnyNode } from '@coppice/core/tree';
import { describe, expect, it } from 'vitest';
import { messageKit } from '../../kit.ts';
import { sha256Hex } from '../../sha256.ts';
import {
  exportStoredTrees,
  importIntoStore,
  readStoredTree,
  runFormatConformance,
  toImportInput,
} from '../conformance.ts';
import type { ExportedTree } from '../contract.ts';
import { readExportedTree } from '../exporting.ts';
import { readImport } from '../read.ts';
import { writeExport } from '../write.ts';
import { archive } from './index.ts';

const id = treeId(testUuid(1));
const picture = new Uint8Array(400_000).map((_, index) => index % 251);
const hash = sha256Hex(picture);

/**
 * Builds a tree with every feature: branches, groups, a tool, markers, trash, a bookmark, foreign ids, an attachment.
 */
async function sample() {
  const store = new ReferenceStore();
  const act = { actor: 'me', kit: messageKit, ...createTestClock() };
  const does = <C extends Parameters<typeof run>[1]>(command: C) => run(store, command, act);
  await does({
    type: 'create',
    treeId: id,
    attributes: { title: 'All', systemPrompt: '', tags: ['x'], metadata: { a: 1 } },
  });
  const image = { type: 'image', mediaType: 'image/png', source: { type: 'blob', hash, size: picture.length } };
  const said = await does({
    type: 'append',
    treeId: id,
    messages: [
      { message: { role: 'user', content: [...textMessage('user', 'look').content, image] }, meta: { tags: ['t'] } },
      { message: { role: 'assistant', content: [{ type: 'x-odd', z: 1, a: '\ud800' } as { type: string }] } },
      { message: textMessage('user', 'more') },
    ],
  });
  const [first, second, third] = said.result.added;
  if (first === undefined || second === undefined || third === undefined) throw new Error('Nothing was added.');
  await does({
    type: 'regenerate',
    treeId: id,
    nodeId: second,
    replies: [{ message: textMessage('assistant', 'again') }],
  });
  await does({ type: 'compact', treeId: id, summary: 'short', firstKept: first });
  await does({ type: 'bookmark', treeId: id, nodeId: second, title: 'here' });
  await does({ type: 'delete', treeId: id, nodeIds: [third], mode: 'cascade' });
  const names: ExternalId[] = [
    { treeId: id, nodeId: second, format: 'chatgpt', scope: '', id: 'a1' },
    { treeId: id, nodeId: null, format: 'chatgpt', scope: '', id: 'c1' },
  ];
  return { store, ids: [id], names };
}

async function written(
  from: Awaited<ReturnType<typeof sample>>,
  blobs = true,
): Promise<{ text: string; losses: number }> {
  async function* trees(): AsyncGenerator<ExportedTree> {
    yield await from.store.read(id, () => readExportedTree(id, from.names));
  }
  let text = '';
  let losses = 0;
  for await (const event of writeExport(archive, trees(), {
    now: 1_790_000_000_000,
    blob: async () => (blobs ? picture : null),
  })) {
    if (event.type === 'text') text += event.text;
    if (event.type === 'report') losses = event.report.losses.length;
  }
  return { text, losses };
}

/** The fields of a tree besides its nodes. */
const rowOf = ({ activeNodeId, rootId, attributes, size, bookmarks }: Tree) => ({
  activeNodeId,
  rootId,
  attributes,
  size,
  bookmarks: bookmarks.size,
});

const whole = (await written(await sample())).text;
const plain = await exportStoredTrees(await sample(), archive);

/** Returns the lines without checksums and times of rows, because a store that imports a tree uses its own clock. */
function comparable(files: ReadonlyMap<string, string>): unknown {
  const lines = [...files.values()]
    .join('')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => {
    const { sum: _, createdAt, updatedAt: __, exportedAt: ___, ...rest } = JSON.parse(line);
    return rest.type === 'tree' ? rest : { ...rest, createdAt };
  });
}

runFormatConformance(archive, [
  {
    name: 'a tree with everything in it',
    files: Object.fromEntries(plain.files),
    trees: 1,
    nodes: 5,
    findings: [],
    thread: ['look\n[image: image/png]', 'again', 'short'],
    roundTrip: comparable,
  },
  {
    name: 'one that breaks off',
    files: { a: [...plain.files.values()].join('').split('\n').slice(0, -4).join('\n') },
    trees: 1,
    nodes: 5,
    findings: ['import/checksum'],
  },
]);

describe('an archive', () => {
  it('[I18] restores a tree with its ids, trash, groups, markers, bookmarks, order and names', async () => {
    const from = await sample();
    const { text, losses } = await written(from);
    expect(losses).toBe(0);
    const stored = await importIntoStore(toImportInput({ a: text }));
    expect(stored.ids).toEqual([id]);
    const [before, after] = [readStoredTree(from, id), readStoredTree(stored, id)];
    expect(rowOf(after)).toEqual(rowOf(before));
    const lost = ['addedIn', 'contentIn', 'removedIn', 'lastChildId', 'seq'];
    for (const line of text.split('\n').filter((one) => one.includes('"type":"node"'))) {
      const node = nodeId(JSON.parse(line).id);
      const bare = (tree: Tree) =>
        Object.fromEntries(Object.entries(findAnyNode(tree, node) ?? {}).filter(([key]) => !lost.includes(key)));
      expect(bare(after)).toEqual(bare(before));
      expect(findAnyNode(after, node)?.removedIn === null).toBe(findAnyNode(before, node)?.removedIn === null);
    }
    expect(stored.names).toEqual(from.names);
  });

  it('[I19] contains the bytes of attachments, and reports missing ones', async () => {
    const blobs: Uint8Array[] = [];
    for await (const event of readImport(toImportInput({ a: whole })))
      if (event.type === 'blob') blobs.push(await event.blob.read());
    expect(blobs).toEqual([picture]);
    expect((await written(await sample(), false)).losses).toBe(1);
  });

  it('[I20] reports a line that was changed, removed or swapped, and refuses a newer version', async () => {
    const codes = async (text: string) =>
      (await importIntoStore(toImportInput({ a: text }))).findings.map((one) => one.code);
    expect(await codes(whole)).toEqual([]);
    expect(await codes(whole.replace('again', 'never'))).toContain('import/checksum');
    const lines = whole.split('\n');
    const at = lines.findIndex((line) => line.includes('"type":"node"'));
    expect(await codes(lines.toSpliced(at + 1, 1).join('\n'))).toContain('import/checksum');
    expect(await codes(whole.replace(/"data":"..../, '"data":"AAAA'))).toEqual(['import/checksum']);
    await expect(
      importIntoStore(toImportInput({ a: whole.replace('"version":1', '"version":2') })),
    ).rejects.toMatchObject({
      code: 'import/newer',
    });
  });
});
