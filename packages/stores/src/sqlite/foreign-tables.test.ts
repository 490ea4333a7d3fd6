import { createReadStream, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RepairedTree } from '@coppice/content/formats';
import { type ImportInput, type InputFile, readImport, wrapBytesAsFile } from '@coppice/content/formats';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadSqliteModule, type SqliteDatabase } from './driver.ts';
import { countCursorConversations, countOpencodeSessions, openForeignTables } from './foreign-tables.ts';

let folder: string;
let copies: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-foreign-'));
  // Temporary copies are made in a folder that only this test uses.
  copies = mkdtempSync(join(tmpdir(), 'coppice-copies-'));
  vi.stubEnv('TMPDIR', copies);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
  rmSync(copies, { recursive: true, force: true });
});

/** Creates a database like that of Cherry Studio: JSON in text columns, a root row, a group and a deleted row. */
function buildSample(path: string): SqliteDatabase {
  const { DatabaseSync } = loadSqliteModule();
  const database = new DatabaseSync(path);
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE topic (id TEXT PRIMARY KEY, name TEXT, assistant_id TEXT, active_node_id TEXT,
      created_at INTEGER, updated_at INTEGER, deleted_at INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, parent_id TEXT, topic_id TEXT NOT NULL, role TEXT NOT NULL,
      data TEXT NOT NULL, searchable_text TEXT, status TEXT, siblings_group_id INTEGER DEFAULT 0, model_id TEXT,
      message_snapshot TEXT, stats TEXT, compaction_summary TEXT, fts_rowid INTEGER,
      created_at INTEGER, updated_at INTEGER, deleted_at INTEGER);
    CREATE TABLE other (secret TEXT);
    INSERT INTO other VALUES ('sk-canary-9');
    INSERT INTO topic VALUES ('t1', 'Maps', 'as1', 'a1', 1767323044000, 1767323050000, NULL);
    INSERT INTO topic VALUES ('t2', 'Gone', 'as1', NULL, 1767323044000, 1767323050000, 1767323060000);
  `);
  const add = database.prepare(
    'INSERT INTO message (id, parent_id, topic_id, role, data, status, siblings_group_id, model_id, created_at, deleted_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const said = (...parts: readonly object[]) => JSON.stringify({ parts });
  const text = (words: string) => ({ type: 'text', text: words });
  add.run('r', null, 't1', 'root', said(), 'success', 0, null, 1767323044000, null);
  // The rows are inserted in another order than the messages were created.
  add.run('a2', 'u1', 't1', 'assistant', said(text('Down.')), 'paused', 3, 'q::y', 1767323047000, null);
  add.run('a1', 'u1', 't1', 'assistant', said(text('Up.')), 'success', 3, 'p::x', 1767323046000, null);
  const file = {
    type: 'file',
    mediaType: 'image/png',
    url: 'file:///home/ana/Data/Files/pic.png',
    filename: 'pic.png',
  };
  add.run('u1', 'r', 't1', 'user', said(text('North? \u0000 “ünï” 🧭'), file), 'success', 0, null, 1767323045000, null);
  add.run('u9', 'a1', 't1', 'user', said(text('Never mind')), 'success', 0, null, 1767323048000, 1767323049000);
  return database;
}

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1]);

function onDisk(name: string): InputFile {
  const path = join(folder, name);
  return { name, size: statSync(path).size, stream: () => createReadStream(path) };
}

async function treesOf(input: ImportInput): Promise<{ trees: RepairedTree[]; codes: string[] }> {
  const opened = await openForeignTables(input);
  const trees: RepairedTree[] = [];
  const codes: string[] = [];
  try {
    for await (const event of readImport(opened.input)) {
      if (event.type === 'tree') trees.push(event.tree);
      if (event.type === 'finding') codes.push(event.finding.code);
    }
  } finally {
    await opened.close();
  }
  return { trees, codes };
}

const leftovers = () => readdirSync(copies);

describe('databases of other programs', () => {
  test('[I109] are read from a copy, rows in the write-ahead log included, and stay unchanged', async () => {
    const database = buildSample(join(folder, 'cherrystudio.sqlite'));
    const before = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]);
    expect(before.map(([name]) => name)).toContain('cherrystudio.sqlite-wal');
    const files = readdirSync(folder).map(onDisk);
    const { trees, codes } = await treesOf({ files: [...files, wrapBytesAsFile('Data/Files/pic.png', png)] });
    expect(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')])).toEqual(
      before,
    );
    database.close();
    expect(codes).toEqual([]);
    expect(trees.map(({ title, trashed, nodes }) => [title, trashed === true, nodes.length])).toEqual([
      ['Maps', false, 4],
      ['Gone', true, 0],
    ]);
    const [tree] = trees;
    expect(tree?.activeExternalId).toBe('a1');
    expect(tree?.nodes.map(({ externalId, order, removed }) => [externalId, order, removed === true])).toEqual([
      ['u1', 0, false],
      ['a1', 0, false],
      ['a2', 1, false],
      ['u9', 0, true],
    ]);
    const [question, answer] = tree?.nodes ?? [];
    expect(question?.message.content).toMatchObject([
      { type: 'text', text: 'North? \u0000 “ünï” 🧭' },
      { type: 'image', mediaType: 'image/png', source: { type: 'blob', size: png.length } },
    ]);
    expect(answer?.meta?.source).toMatchObject({ provider: 'p', model_name: 'x' });
    expect(tree?.blobs?.length).toBe(1);
    expect(JSON.stringify(trees)).not.toContain('canary');
    expect(leftovers()).toEqual([]);
  });

  test('[I109] of opencode give sessions with their messages, parts and sub-agents, and nothing else is read', async () => {
    const { DatabaseSync } = loadSqliteModule();
    const database = new DatabaseSync(join(folder, 'opencode.db'));
    database.exec(`
      PRAGMA journal_mode = WAL;
      CREATE TABLE credential (secret TEXT);
      INSERT INTO credential VALUES ('sk-canary-9');
      CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT,
        version TEXT, share_url TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER, time_archived INTEGER);
      CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
      CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
        time_updated INTEGER, data TEXT);
    `);
    const session = database.prepare('INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    session.run('ses_2', 'p', 'ses_1', '/work', 'Look for tests', '1', null, null, 2_000, 2_000, null);
    const share = 'https://share/canary';
    session.run('ses_1', 'p', null, '/work', 'Trees', '1', share, '{"messageID":"msg_3"}', 1_000, 3_000, null);
    const message = database.prepare('INSERT INTO message VALUES (?, ?, ?, 0, ?)');
    const part = database.prepare('INSERT INTO part VALUES (?, ?, ?, 0, 0, ?)');
    const say = (at: number, id: string, of: string, role: string, ...parts: readonly object[]) => {
      const info = { role, time: { created: at }, ...(role === 'user' ? {} : { modelID: 'm', providerID: 'p' }) };
      message.run(id, of, at, JSON.stringify(info));
      for (const [index, one] of parts.entries()) part.run(`prt_${id}_${index}`, id, of, JSON.stringify(one));
    };
    const text = (words: string) => ({ type: 'text', text: words });
    const state = { status: 'completed', input: { prompt: 'Look' }, output: 'Two.', metadata: { sessionId: 'ses_2' } };
    // The rows are inserted in another order than the messages were created.
    say(1_002, 'msg_2', 'ses_1', 'assistant', text('I look.'), { type: 'tool', tool: 'task', callID: 'k1', state });
    say(1_001, 'msg_1', 'ses_1', 'user', text('Are there '), text('tests?'));
    say(1_003, 'msg_3', 'ses_1', 'user', text('Never mind.'));
    say(2_001, 'msg_4', 'ses_2', 'user', text('Look'));
    message.run('msg_5', 'ses_2', 2_002, '{broken');
    const { trees, codes } = await treesOf({ files: readdirSync(folder).map(onDisk) });
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    expect(countOpencodeSessions(join(folder, 'opencode.db'))).toBe(2);
    database.close();
    expect(codes).toEqual(['import/other-format']);
    expect(trees.map(({ title, spawnedBy, activeExternalId }) => [title, spawnedBy, activeExternalId])).toEqual([
      ['Trees', undefined, 'msg_2'],
      ['Look for tests', { session: 'ses_1', call: 'k1' }, 'msg_4'],
    ]);
    expect(trees[0]?.nodes.map(({ message: { role, content } }) => [role, content.length])).toEqual([
      ['user', 2],
      ['assistant', 2],
      ['tool', 1],
      ['user', 1],
    ]);
    expect(JSON.stringify(trees)).not.toContain('canary');
    expect(leftovers()).toEqual([]);
  });

  test('[I109] of Cursor give conversations with their messages, and nothing else is read', async () => {
    const { DatabaseSync } = loadSqliteModule();
    const database = new DatabaseSync(join(folder, 'state.vscdb'));
    database.exec(`
      PRAGMA journal_mode = WAL;
      CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
      CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
      INSERT INTO ItemTable VALUES ('cursorAuth/accessToken', 'sk-canary-9');
      INSERT INTO cursorDiskKV VALUES ('secret:c1', 'sk-canary-9');
    `);
    const put = database.prepare('INSERT INTO cursorDiskKV VALUES (?, ?)');
    const header = (bubbleId: string, type: number) => ({ bubbleId, type });
    const composer = (composerId: string, ...headers: readonly object[]) =>
      JSON.stringify({ composerId, name: composerId, fullConversationHeadersOnly: headers });
    put.run('composerData:c1', composer('c1', header('b', 1), header('a', 2)));
    put.run('composerData:c1-copy', composer('c1-copy', header('x', 1)));
    put.run('composerData:broken', '{');
    put.run('bubbleId:c1:a', Buffer.from(JSON.stringify({ bubbleId: 'a', type: 2, text: 'Üp.' })));
    put.run('bubbleId:c1:b', JSON.stringify({ bubbleId: 'b', type: 1, text: 'North?' }));
    put.run('bubbleId:c1-copy:x', JSON.stringify({ bubbleId: 'x', type: 1, text: 'South?' }));
    const { trees, codes } = await treesOf({ files: readdirSync(folder).map(onDisk) });
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const files = readdirSync(folder);
    expect(countCursorConversations(join(folder, 'state.vscdb'))).toBe(3);
    expect(countCursorConversations(join(folder, 'missing.vscdb'))).toBe(null);
    expect(readdirSync(folder)).toEqual(files);
    database.close();
    expect(codes).toEqual(['import/skipped']);
    expect(trees.map(({ title, nodes }) => [title, nodes.map(({ externalId }) => externalId)])).toEqual([
      ['c1', ['b', 'a']],
      ['c1-copy', ['x']],
    ]);
    expect(trees[0]?.nodes[1]?.message.content).toEqual([{ type: 'text', text: 'Üp.' }]);
    expect(JSON.stringify(trees)).not.toContain('canary');
    expect(leftovers()).toEqual([]);
  });

  test('[I109] of an unknown program stay files, and damaged ones are refused with a code', async () => {
    const { DatabaseSync } = loadSqliteModule();
    const other = new DatabaseSync(join(folder, 'other.db'));
    other.exec('CREATE TABLE message (id TEXT); CREATE TABLE topic (id TEXT)');
    other.close();
    const opened = await openForeignTables({ files: [onDisk('other.db')] });
    expect(opened.input.files.map((file) => file.name)).toEqual(['other.db']);
    await opened.close();
    const sample = buildSample(join(folder, 'a.sqlite'));
    sample.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE');
    sample.close();
    const whole = readFileSync(join(folder, 'a.sqlite'));
    for (const cut of [100, 1000, 5000]) {
      const broken = Buffer.concat([whole.subarray(0, cut), Buffer.alloc(whole.length - cut, 0x55)]);
      writeFileSync(join(folder, 'a.sqlite'), broken);
      await expect(treesOf({ files: [onDisk('a.sqlite')] })).rejects.toMatchObject({
        code: expect.stringMatching(/^import\//),
      });
    }
    expect(leftovers()).toEqual([]);
  });
});
