/** Imports with inline pictures: every store keeps the bytes as blobs, and exports return them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import { type ImportInput, readImport, toImportCommand, wrapBytesAsFile } from '@coppice/content/formats';
import { ask, type Node, run, type Store, type TreeId, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { PostgresServer } from '@coppice/stores/testing/postgres-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { exportFrom } from './export-from.ts';
import { importInto } from './import-into.ts';

const picture = Buffer.from(Uint8Array.from({ length: 600 }, (_, at) => (at * 37) % 256));
const data = picture.toString('base64');

/** A message of a chat completion with the picture as a `data:` URL, and its conversation. */
const conversation = {
  title: 'Wood',
  id: 'wood',
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Which tree is this?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${data}`, detail: 'high' } },
      ],
      odd: { $bytes: ['x', 1] },
    },
    { role: 'assistant', content: 'A hazel.' },
  ],
};

const list = `${JSON.stringify(conversation)}\n`;

/** Lines of Claude Code, which contain the base64 without a prefix. */
const claudeCode = [
  {
    type: 'user',
    uuid: '0196f0a0-0000-7000-8000-000000000001',
    parentUuid: null,
    sessionId: 's1',
    timestamp: '2026-01-01T00:00:00.000Z',
    message: {
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
        { type: 'text', text: 'Which tree is this?' },
      ],
    },
  },
  {
    type: 'assistant',
    uuid: '0196f0a0-0000-7000-8000-000000000002',
    parentUuid: '0196f0a0-0000-7000-8000-000000000001',
    sessionId: 's1',
    timestamp: '2026-01-01T00:00:01.000Z',
    message: { id: 'm1', role: 'assistant', model: 'claude', content: [{ type: 'text', text: 'A hazel.' }] },
  },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

const input = (name: string, text: string): ImportInput => ({ files: [wrapBytesAsFile(name, Buffer.from(text))] });

const context = { actor: 'me', now: Date.now, newId: () => crypto.randomUUID(), kit: messageKit };

let folder = '';
let store: Store;

async function importAll(source: ImportInput, into = store) {
  const ids: TreeId[] = [];
  for await (const event of importInto(into, source, { now: () => 1_790_000_000_000 })) {
    if (event.type === 'conversation') ids.push(event.treeId);
    if (event.type === 'report') return { ids, report: event.report };
  }
  throw new Error('There is no report.');
}

async function nodesOf(id: TreeId | undefined, from = store): Promise<readonly Node[]> {
  const rows = id === undefined ? null : await from.read(id, () => ask('rows', {}));
  return rows?.nodes.filter((node) => node.kind !== 'root') ?? [];
}

async function exportAll(format: string): Promise<string> {
  let text = '';
  for await (const event of exportFrom(store, { format, now: () => 0 })) if (event.type === 'text') text += event.text;
  return text;
}

const openers: Readonly<Record<string, () => Promise<Store>>> = {
  memory: () => openStore('memory:'),
  sqlite: () => openStore(`sqlite:${join(folder, 'trees.db')}`),
  files: () => openStore(`files:${join(folder, 'files')}`),
  jsonl: () => openStore(`jsonl:${join(folder, 'sessions')}`),
};

describe.each(Object.keys(openers))('pictures that are imported into %s', (kind) => {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'coppice-pictures-'));
    store = await (openers[kind]?.() ?? openStore('memory:'));
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  registerPictureTests();
});

describe('pictures that are imported into PostgreSQL', { tags: ['full'] }, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    store = await openStore(await server.createDatabase());
  });
  afterEach(() => store.close());

  registerPictureTests();
});

function registerPictureTests(): void {
  test('[IM19, M73] are blobs, and neither the message nor the original record contains their bytes', async () => {
    const { ids, report } = await importAll(input('chats.json', list));
    expect(report.attachments).toBe(1);
    const [node] = await nodesOf(ids[0]);
    const [, block] = node?.message?.content ?? [];
    expect(block).toMatchObject({ type: 'image', mediaType: 'image/png', source: { type: 'blob', size: 600 } });
    expect(JSON.stringify(await nodesOf(ids[0]))).not.toContain(data.slice(0, 60));
    const hash = block !== undefined && 'source' in block ? Object(block.source).hash : '';
    expect(Buffer.from((await store.blobs.read(hash)) ?? []).equals(picture)).toBe(true);
  });

  test('[IM19] are exported as they were read, and found by a second import', async () => {
    await importAll(input('chats.json', list));
    expect(await exportAll('linear')).toBe(list);
    const again = await importAll(input('chats.json', list));
    expect(again.report.records).toMatchObject({ stored: 0, merged: 2 });
    expect(again.report.counts).toEqual({});
  });

  test('[IM19] of Claude Code are exported as they were read, and in other formats with their bytes', async () => {
    await importAll(input('s1.jsonl', claudeCode));
    expect(await exportAll('claude-code')).toBe(claudeCode);
    for (const format of ['linear', 'session-v2', 'pi', 'codex', 'open-webui', 'librechat', 'html'])
      expect(await exportAll(format), format).toContain(data);
  });

  test('[IM19] that an older version stored inline are the same pictures when they are imported again', async () => {
    for await (const event of readImport(input('chats.json', list)))
      if (event.type === 'tree') await run(store, toImportCommand(event.tree, 'linear', store.owner).command, context);
    const { ids, report } = await importAll(input('chats.json', list));
    expect(report.counts).toEqual({});
    expect(JSON.stringify(await nodesOf(ids[0]))).toContain(data);
    expect(await exportAll('linear')).toBe(list);
  });

  test('[IM19] of a message that was sent again match the stored ones', async () => {
    const { ids } = await importAll(input('chats.json', list));
    const [id = treeId('')] = ids;
    const before = await nodesOf(id);
    const content = [
      { type: 'text', text: 'Which tree is this?' },
      { type: 'image', mediaType: 'image/png', source: { type: 'base64', data } },
    ];
    const root = (await store.read(id, () => ask('tree', {})))?.rootId;
    const { result } = await run(
      store,
      {
        type: 'append',
        treeId: id,
        messages: [{ message: { role: 'user', content } }],
        ...(root && { parentId: root }),
      },
      context,
    );
    expect(result.reused).toEqual([before[0]?.id]);
  });

  test('[IM19] come back from an archive in another store, with their original records', async () => {
    await importAll(input('chats.json', list));
    const archive = await exportAll('archive');
    const source = store;
    store = await openStore('memory:');
    try {
      const { ids } = await importAll(input('a.coppice.jsonl', archive));
      expect(JSON.stringify(await nodesOf(ids[0]))).not.toContain(data.slice(0, 60));
      expect(await exportAll('linear')).toBe(list);
    } finally {
      await store.close();
      store = source;
    }
  });

  test('[IM19] are deleted with the last message that refers to them', async () => {
    const { ids } = await importAll(input('chats.json', list));
    const [id = treeId('')] = ids;
    const [node] = await nodesOf(id);
    const [, block] = node?.message?.content ?? [];
    const hash: string = block !== undefined && 'source' in block ? Object(block.source).hash : '';
    expect(await store.blobs.find(hash)).not.toBeNull();
    await run(store, { type: 'delete-tree', treeId: id }, context);
    await store.purgeTree(id);
    expect(await store.blobs.find(hash)).toBeNull();
  });
}
