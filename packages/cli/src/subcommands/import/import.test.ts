import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { compileCliOnce } from '../../testing/compiled.ts';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

const list = JSON.stringify({
  messages: [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Good day' },
  ],
});

/** Returns an uncompressed archive with one member. */
function zipOf(name: string, bytes: Buffer): Buffer {
  const known = Buffer.alloc(26);
  known.writeUInt16LE(20, 0);
  known.writeUInt32LE(crc32(bytes), 10);
  known.writeUInt32LE(bytes.length, 14);
  known.writeUInt32LE(bytes.length, 18);
  known.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), known, Buffer.from(name), bytes]);
  const entry = Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), known, Buffer.alloc(14), Buffer.from(name)]);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(entry.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, entry, end]);
}

describe('coppice import', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await fixture.close();
  });

  it('[O40] reports that a folder has no files', async () => {
    mkdirSync(`${fixture.home}/empty`);
    expect(await fixture.run(['import', 'empty'])).toMatchObject({ code: 3, err: 'The folder empty is empty.\n' });
    // An empty argument does not mean the current directory.
    expect(await fixture.run(['import', ''])).toMatchObject({ code: 3, err: '"" does not exist. Check the path.\n' });
  });

  it('[O40] reads a file, reports the result of every record, and adds nothing twice', async () => {
    writeFileSync(`${fixture.home}/chat.json`, list);
    expect(await fixture.json(['import', 'chat.json', '--dry-run'])).toMatchObject({
      reports: [{ dryRun: true, records: { read: 2 } }],
    });
    expect(await fixture.json(['ls'])).toMatchObject({ items: [] });
    const { reports } = await fixture.json(['import', 'chat.json']);
    expect(reports).toMatchObject([{ format: 'linear', records: { read: 2, stored: 2, merged: 0, rejected: 0 } }]);
    expect(await fixture.json(['show', 'last'])).toMatchObject({ nodes: [{ text: 'Hello' }, { text: 'Good day' }] });
    expect(await fixture.json(['import', 'chat.json'])).toMatchObject({
      reports: [{ records: { read: 2, stored: 0, merged: 2 } }],
    });
    const { out } = await fixture.run(['import', 'chat.json']);
    expect(out).toMatch(/chats +1 +0 +1 +0/);
    expect(out).not.toContain('coppice ls');
    writeFileSync(`${fixture.home}/other.json`, list.replace('Hello', 'Another'));
    expect((await fixture.run(['import', 'other.json'])).out).toMatch(/imported chats.*: coppice ls\n$/);
  });

  it('[O40] says that a chat is in the trash, and how to restore it; redo does not call that a deletion', async () => {
    writeFileSync(`${fixture.home}/chat.json`, list);
    await fixture.run(['import', 'chat.json']);
    expect((await fixture.run(['undo'])).out).toContain('it is in the trash.');
    expect((await fixture.run(['import', 'chat.json'])).out).toContain(
      '1 chat is in the trash, and nothing was added to it. Restore it first: coppice trash',
    );
    expect((await fixture.run(['redo'])).out).toMatch(/^Redid the last change of .*; it is back\./);
    expect((await fixture.run(['import', 'chat.json'])).out).not.toContain('trash');
  });

  it('[O40] reads standard input and whole folders', async () => {
    expect(await fixture.json(['import', '-'], list)).toMatchObject({ reports: [{ conversations: { stored: 1 } }] });
    // A strict import reads twice, which a pipe cannot do.
    expect(await fixture.json(['import', '-', '--strict'], list)).toMatchObject({
      reports: [{ records: { merged: 2 } }],
    });
    mkdirSync(`${fixture.home}/exports/deep`, { recursive: true });
    writeFileSync(`${fixture.home}/exports/deep/a.json`, list.replace('Hello', 'Hello there'));
    expect(await fixture.json(['import', 'exports'])).toMatchObject({
      reports: [{ conversations: { read: 1, stored: 1 } }],
    });
  });

  it('[O40] refuses a missing file, an unknown format, and with --strict a file that had to be repaired', async () => {
    expect(await fixture.run(['import', 'nowhere.json'])).toMatchObject({ code: 3 });
    writeFileSync(`${fixture.home}/notes.txt`, 'just text');
    expect(await fixture.run(['import', 'notes.txt'])).toMatchObject({ code: 2 });
    const message = { id: 'm', author: { role: 'user' }, content: { content_type: 'text', parts: ['Lost?'] } };
    const orphan = { id: 'a', parent: 'missing', children: [], message };
    writeFileSync(
      `${fixture.home}/odd.json`,
      JSON.stringify([{ id: 'c', title: 'Odd', mapping: { a: orphan }, current_node: 'a' }]),
    );
    expect((await fixture.run(['import', 'odd.json', '--strict'])).code).not.toBe(0);
    expect(await fixture.json(['ls'])).toMatchObject({ items: [] });
  });

  it('[O40] reads a large file on its own thread, and reports if that fails', async () => {
    const chats = Array.from({ length: 11 }, (_, id) => ({
      id: `chat-${id}`,
      // Long enough that each conversation is stored alone.
      messages: Array.from({ length: 240 }, () => ({ role: 'user', content: 'word '.repeat(100) })),
    }));
    writeFileSync(`${fixture.home}/chats.json`, JSON.stringify(chats));
    expect(await fixture.json(['ls'])).toMatchObject({ items: [] });
    // Only threads that start later read this variable.
    vi.stubEnv('COPPICE_TEST_FAULTS', '1');
    vi.stubEnv('COPPICE_FAULT', 'before-commit:2:exit');
    const { code, err } = await fixture.run(['import', 'chats.json']);
    expect(code).not.toBe(0);
    expect(err).toContain('repeat the import to add the rest');
    vi.stubEnv('COPPICE_FAULT', '');
    expect(await fixture.json(['import', 'chats.json'])).toMatchObject({
      reports: [{ conversations: { read: 11, stored: 10, merged: 1, rejected: 0 } }],
    });
  });

  it('[I109] reads the database of Cherry Studio, alone, in a folder, or in an archive', async () => {
    const { DatabaseSync } = createRequire(import.meta.resolve('@coppice/stores'))('@photostructure/sqlite');
    mkdirSync(`${fixture.home}/backup/Data`, { recursive: true });
    const path = `${fixture.home}/backup/Data/cherrystudio.sqlite`;
    const database = new DatabaseSync(path);
    database.exec(`
      CREATE TABLE topic (id TEXT PRIMARY KEY, name TEXT, active_node_id TEXT, created_at INTEGER);
      CREATE TABLE message (id TEXT PRIMARY KEY, parent_id TEXT, topic_id TEXT, role TEXT, data TEXT, created_at INTEGER);
      INSERT INTO topic VALUES ('t1', 'Maps', 'u1', 1767323044000);
      INSERT INTO message VALUES ('r', NULL, 't1', 'root', '{"parts":[]}', 1767323044000);
      INSERT INTO message VALUES ('u1', 'r', 't1', 'user', '{"parts":[{"type":"text","text":"North?"}]}', 1767323045000);
    `);
    database.close();
    writeFileSync(`${fixture.home}/backup/metadata.json`, JSON.stringify({ version: 7, appName: 'Cherry Studio' }));
    writeFileSync(`${fixture.home}/backup.zip`, zipOf('Data/cherrystudio.sqlite', readFileSync(path)));
    for (const word of ['backup', 'backup.zip', 'backup/Data/cherrystudio.sqlite'])
      expect(await fixture.json(['import', word])).toMatchObject({
        reports: [{ format: 'cherry-studio', records: { read: 2, stored: word === 'backup' ? 2 : 0 } }],
      });
    expect(await fixture.json(['show', 'last'])).toMatchObject({ nodes: [{ text: 'North?' }] });
  });

  const rollout = (...lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const time = '2026-01-02T03:04:05.000Z';
  const meta = { timestamp: time, type: 'session_meta', payload: { id: 's1', timestamp: time, cwd: '/w' } };
  const item = (payload: object) => ({ timestamp: time, type: 'response_item', payload });
  const asked = item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Why does it fail?' }] });
  const said = (text: string) => item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
  const place = '.codex/sessions/2026/01/02';
  const put = (...lines: readonly object[]) => {
    mkdirSync(`${fixture.home}/${place}`, { recursive: true });
    writeFileSync(`${fixture.home}/${place}/rollout-a.jsonl`, rollout(...lines));
  };

  it('[O130] lists conversations of other programs here, and imports those that the user accepts', async () => {
    expect((await fixture.run(['import', '--found'])).out).toContain('No chats of other programs');
    put(meta, asked, said('A cookie.'));
    const shown = await fixture.run(['import', '--found'], '');
    expect(shown.out).toContain('1 session');
    expect(shown.out).toContain('Nothing was imported');
    expect(await fixture.json(['ls'])).toMatchObject({ items: [] });
    expect(await fixture.json(['import', '--found', '--yes'])).toMatchObject({
      programs: [{ format: 'codex', sessions: 1 }],
      reports: [{ format: 'codex', conversations: { stored: 1 } }],
    });
    expect(await fixture.json(['import', '--found', '--yes'])).toMatchObject({
      reports: [{ conversations: { stored: 0, merged: 1 } }],
    });
    expect((await fixture.run(['import'])).code).toBe(2);
  });

  it('[O130] counts the chats in the database of Cursor, imports them, and does not follow them', async () => {
    const storage = `${fixture.home}/cursor-settings/Cursor/User/globalStorage`;
    mkdirSync(storage, { recursive: true });
    const { DatabaseSync } = createRequire(import.meta.resolve('@coppice/stores'))('@photostructure/sqlite');
    const database = new DatabaseSync(`${storage}/state.vscdb`);
    database.exec('CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)');
    const put = database.prepare('INSERT INTO cursorDiskKV VALUES (?, ?)');
    for (const id of ['c1', 'c2']) {
      const headers = [{ bubbleId: `${id}-u`, type: 1 }];
      put.run(`composerData:${id}`, JSON.stringify({ composerId: id, name: id, fullConversationHeadersOnly: headers }));
      put.run(`bubbleId:${id}:${id}-u`, JSON.stringify({ bubbleId: `${id}-u`, type: 1, text: `Ask ${id}` }));
    }
    database.close();
    const before = readFileSync(`${storage}/state.vscdb`);
    const own = makeCliFixture({ home: fixture.home, env: { XDG_CONFIG_HOME: `${fixture.home}/cursor-settings` } });
    expect(await own.json(['import', '--found', '--yes', '--format', 'cursor'])).toMatchObject({
      programs: [{ format: 'cursor', label: 'Cursor', sessions: 2 }],
      reports: [{ format: 'cursor', conversations: { stored: 2 } }],
    });
    expect((await own.run(['import', '--watch', '--yes', '--format', 'cursor'])).out).toContain('Nothing is watched');
    expect(readdirSync(storage)).toEqual(['state.vscdb']);
    expect(readFileSync(`${storage}/state.vscdb`).equals(before)).toBe(true);
  });

  it('[O130] imports the sessions of opencode from its database', async () => {
    const storage = `${fixture.home}/data/opencode`;
    mkdirSync(storage, { recursive: true });
    const { DatabaseSync } = createRequire(import.meta.resolve('@coppice/stores'))('@photostructure/sqlite');
    const database = new DatabaseSync(`${storage}/opencode.db`);
    database.exec(`
      CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);
      CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
      CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);
      INSERT INTO session VALUES ('ses_1', NULL, '/work', 'Trees', 1000, 2000);
      INSERT INTO message VALUES ('msg_1', 'ses_1', 1001, '{"role":"user","time":{"created":1001}}');
      INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', '{"type":"text","text":"Which tree?"}');
    `);
    database.close();
    const own = makeCliFixture({ home: fixture.home, env: { XDG_DATA_HOME: `${fixture.home}/data` } });
    const found = await own.json(['import', '--found', '--yes', '--format', 'opencode']);
    expect(found).toMatchObject({ programs: [{ format: 'opencode', sessions: 1 }] });
    // The folder of earlier versions is empty, and has no report.
    expect(found['reports']).toMatchObject([{ format: 'opencode', conversations: { stored: 1 } }]);
    expect((await own.run(['show', 'last'])).out).toContain('Which tree?');
  });

  it.each([
    ['1\n', 1],
    ['all\n', 1],
    ['none\n', 0],
    ['7\n', 0],
  ])('[O130] asks on a terminal, and accepts %j as an answer', async (answer, stored) => {
    put(meta, asked, said('A cookie.'));
    const stdin = Object.assign(
      (async function* () {
        yield answer;
      })(),
      { isTTY: true },
    );
    const terminal = makeCliFixture({ home: fixture.home, stdin });
    const { err } = await terminal.run(['import', '--found']);
    expect(err).toContain('Codex');
    expect(err).toContain('Import which?');
    expect(await fixture.json(['ls'])).toMatchObject({ items: stored === 0 ? [] : [{}] });
  });

  it('[O131] follows sessions: new messages are added, and the active message moves along', async () => {
    put(meta, asked, said('A cookie'));
    const stop = new AbortController();
    const watching = makeCliFixture({ home: fixture.home, signal: stop.signal });
    const ran = watching.run(['import', '--watch', '--yes']);
    const texts = async () => {
      const { nodes } = await fixture.json(['show', 'last']);
      return Array.isArray(nodes) ? nodes.map((node: { text: string }) => node.text) : [];
    };
    const shows = (...wanted: readonly string[]) => expect.poll(() => texts(), { interval: 100 }).toEqual(wanted);
    await shows('Why does it fail?', 'A cookie');
    // More text of the same reply, then a question: the reply is replaced, not duplicated.
    put(meta, asked, said('A cookie'), said(' is missing.'));
    await shows('Why does it fail?', 'A cookie is missing.');
    put(meta, asked, said('A cookie'), said(' is missing.'), asked, said('It does.'));
    await shows('Why does it fail?', 'A cookie is missing.', 'Why does it fail?', 'It does.');
    stop.abort();
    const { code, out } = await ran;
    expect(code).toBe(0);
    expect(out).toContain('Codex  Why does it fail?  new');
    expect(await fixture.json(['ls'])).toMatchObject({ items: [{}] });
  });

  it('[O131] goes on as a process until it is stopped', { tags: ['full'] }, async () => {
    put(meta, asked);
    const words = [await compileCliOnce(), 'import', '--watch', '--yes'];
    const env = { PATH: process.env['PATH'], HOME: fixture.home };
    const watching = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    try {
      let out = '';
      watching.stdout.setEncoding('utf8').on('data', (text) => {
        out += text;
      });
      await expect.poll(() => out).toContain('new');
      put(meta, asked, said('A cookie.'));
      await expect.poll(() => out).toContain('1 more');
      await setTimeout(1200);
      watching.kill('SIGINT');
      const [code] = await once(watching, 'exit');
      expect([code, out]).toEqual([0, 'Codex  Why does it fail?  new\nCodex  Why does it fail?  1 more\n']);
    } finally {
      watching.kill('SIGKILL');
    }
  });

  it('[O131] keeps what it imported when a file is cut, replaced, renamed, damaged or deleted, and never writes to it', async () => {
    const path = `${fixture.home}/${place}/rollout-a.jsonl`;
    const [first, second, third] = [said('One.'), said('Two.'), said('Three.')];
    put(meta, asked, first);
    const stop = new AbortController();
    const watching = makeCliFixture({ home: fixture.home, signal: stop.signal });
    const ran = watching.run(['import', '--watch', '--yes']);
    const all = async () => {
      const { items } = await fixture.json(['ls']);
      const list: readonly { readonly id: string }[] = Array.isArray(items) ? items : [];
      const trees: string[][] = [];
      for (const { id } of list) {
        const { nodes } = await fixture.json(['show', id]);
        trees.push(Array.isArray(nodes) ? nodes.map((node: { text: string }) => node.text) : []);
      }
      return trees;
    };
    const shows = (...wanted: readonly (readonly string[])[]) =>
      expect.poll(() => all(), { interval: 100 }).toEqual(wanted);
    const whole = rollout(meta, asked, first, asked, second);
    await shows(['Why does it fail?', 'One.']);
    // The last line is incomplete, as while the program writes it.
    writeFileSync(path, whole.slice(0, -20));
    await shows(['Why does it fail?', 'One.', 'Why does it fail?']);
    writeFileSync(path, whole);
    const both = ['Why does it fail?', 'One.', 'Why does it fail?', 'Two.'];
    await shows(both);
    truncateSync(path, 250);
    await setTimeout(1500);
    await shows(both);
    // A new file replaces the old one, whose new name is not that of a session file.
    renameSync(path, `${path}.old`);
    put(meta, asked, first, asked, second, asked, third);
    await shows([...both, 'Why does it fail?', 'Three.']);
    const bytes = readFileSync(path);
    writeFileSync(`${fixture.home}/${place}/rollout-b.jsonl`, '{"timestamp": broken');
    await setTimeout(1500);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    // Another program appears, and is checked after the program with the damaged file.
    const chats = `${fixture.home}/.gemini/tmp/h/chats`;
    mkdirSync(chats, { recursive: true });
    const message = { id: 'u', timestamp: time, type: 'user', content: 'And here?' };
    const session = { sessionId: 'g1', projectHash: 'h', startTime: time, lastUpdated: time, messages: [message] };
    writeFileSync(`${chats}/session-a.json`, JSON.stringify(session));
    const trees = [['And here?'], [...both, 'Why does it fail?', 'Three.']];
    await expect.poll(async () => (await all()).toSorted(), { interval: 100 }).toEqual(trees);
    rmSync(`${fixture.home}/.codex`, { recursive: true });
    await setTimeout(1500);
    expect((await all()).toSorted()).toEqual(trees);
    // Each check removes its listeners, however long the watch runs.
    expect(getEventListeners(stop.signal, 'abort').length).toBeLessThan(10);
    stop.abort();
    expect((await ran).code).toBe(0);
  });
});
