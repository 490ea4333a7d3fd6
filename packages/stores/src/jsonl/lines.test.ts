/** Tests of the content of a session file, and of files that were damaged, altered or appended to by other tools. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import { type SessionEntry, type SessionFile, SessionIndex } from '@coppice/content/sessions';
import { ask, type Command, isAppError, nodeId, run, type Store, textMessage, treeId } from '@coppice/core';
import { TestTree, testUuid, user } from '@coppice/core/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listSessionFiles as filesIn } from '../../test/jsonl-subject.ts';
import { askStore, readTreeJson } from '../conformance/subject.ts';
import { FolderLock } from '../disk/lock.ts';
import { SessionStore } from './index.ts';
import { sidecarFolderOf } from './paths.ts';
import { sessionFiles } from './session-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-lines-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const id = treeId(testUuid(1));

async function sample(
  texts: readonly string[] = ['first', 'reply'],
): Promise<{ store: SessionStore; fixture: TestTree; path: string }> {
  const store = await SessionStore.open(folder);
  const fixture = await TestTree.make({ store, treeId: id, systemPrompt: 'Be brief.' });
  await fixture.addMessages(texts);
  return { store, fixture, path: filesIn(folder)[0] ?? '' };
}

/** Returns the text of an entry, read from the file. */
function textIn(file: SessionFile, uuid: string): string {
  return JSON.stringify(file.entryAt(file.indexOf(uuid))['message']).match(/said \d+/)?.[0] ?? '';
}

function linesOf(path: string): Record<string, unknown>[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Reads a file without any code of Coppice: it follows parentUuid from the last entry to the first. */
function plainWalk(path: string): string[] {
  const entries = linesOf(path);
  const byUuid = new Map(entries.map((entry) => [entry['uuid'], entry]));
  const said: string[] = [];
  const seen = new Set<unknown>();
  for (let at = entries.at(-1); at !== undefined && !seen.has(at); at = byUuid.get(at['parentUuid'])) {
    seen.add(at);
    const message = at['message'];
    if (typeof message === 'object' && message !== null && 'content' in message && Array.isArray(message.content))
      said.push(message.content.map((block: { text?: string }) => block.text ?? '').join(''));
  }
  return said.reverse();
}

async function texts(store: Store, of = id): Promise<string[]> {
  const row = await askStore(store, of, 'tree', {});
  if (row?.activeNodeId == null) return [];
  return (await askStore(store, of, 'path', { to: row.activeNodeId })).nodes.map((node) => node.text);
}

const plain = (own: string, parentUuid: string, text: string): SessionEntry => ({
  type: 'message',
  uuid: own,
  parentUuid,
  message: { role: 'user', content: text },
});
const lineOf = (entry: object) => `${JSON.stringify(entry)}\n`;

describe('the format of the lines', () => {
  test('[J1] a header, then one entry per line with uuid, parentUuid and time; other steps are change lines, switches leaf lines', async () => {
    const { store, fixture, path } = await sample();
    const [first] = (
      await askStore(store, id, 'path', { to: nodeId((await askStore(store, id, 'tree', {}))?.activeNodeId ?? '') })
    ).nodes;
    await fixture.run({ type: 'bookmark', treeId: id, nodeId: first?.id ?? nodeId(''), title: 'here' });
    await fixture.run({ type: 'select', treeId: id, nodeId: first?.id ?? nodeId('') });
    const [header, ...lines] = linesOf(path);
    expect(header).toMatchObject({ type: 'session', version: 2, parentUuid: null, id });
    expect(typeof header?.['cwd']).toBe('string');
    expect(lines.map(({ type }) => type)).toEqual(['change', 'message', 'message', 'change', 'leaf']);
    for (const line of lines)
      expect([typeof line['uuid'], typeof line['parentUuid'], typeof line['timestamp']]).toEqual([
        'string',
        'string',
        'string',
      ]);
    expect(lines.map(({ version, commit }) => [version, commit ?? false])).toEqual([
      [1, true],
      [2, false],
      [2, true],
      [3, true],
      [4, true],
    ]);
    expect(lines.at(-1)?.['parentUuid']).toBe(first?.id);
    expect(plainWalk(path)).toEqual(['first']);
    await store.close();
  });

  test('[J2] every change keeps the old bytes as the beginning of the file', async () => {
    const { store, fixture, path } = await sample(['a', 'b', 'c', 'd']);
    const acts: readonly Command[] = [
      { type: 'edit', treeId: id, nodeId: nodeId(''), content: 'b2', mode: 'branch' },
      { type: 'split', treeId: id, nodeId: nodeId(''), position: 2 },
      { type: 'delete', treeId: id, nodeIds: [], mode: 'cascade' },
      { type: 'undo', treeId: id },
      { type: 'clear', treeId: id },
      { type: 'undo', treeId: id },
    ];
    const nodes = (await askStore(store, id, 'rows', {}))?.nodes ?? [];
    const at = (text: string) => nodes.find((node) => node.text === text)?.id ?? nodeId('');
    await fixture.run({ type: 'append', treeId: id, parentId: at('a'), messages: [{ message: user('one two') }] });
    for (const act of acts) {
      const before = readFileSync(path);
      const split = ((await askStore(store, id, 'rows', {}))?.nodes ?? []).find((node) => node.text === 'one two')?.id;
      const named =
        act.type === 'edit'
          ? { ...act, nodeId: at('b') }
          : act.type === 'split'
            ? { ...act, nodeId: split ?? nodeId('') }
            : act.type === 'delete'
              ? { ...act, nodeIds: [at('c')] }
              : act;
      await fixture.run(named);
      const after = readFileSync(path);
      expect([act.type, after.length > before.length, after.subarray(0, before.length).equals(before)]).toEqual([
        act.type,
        true,
        true,
      ]);
    }
    const image = await readTreeJson(store, id);
    await store.close();
    const again = await SessionStore.open(folder);
    expect(await readTreeJson(again, id)).toEqual(image);
    await again.close();
  });

  test('[J3] the leaf is the target of the last leaf line or the last message, and survives a restart', async () => {
    const { store, fixture, path } = await sample(['a', 'b', 'c']);
    const nodes = (await askStore(store, id, 'rows', {}))?.nodes ?? [];
    const at = (text: string) => nodes.find((node) => node.text === text)?.id ?? nodeId('');
    await fixture.run({
      type: 'append',
      treeId: id,
      parentId: at('a'),
      messages: [{ message: user('aside') }],
      select: false,
    });
    expect((await askStore(store, id, 'tree', {}))?.activeNodeId).toBe(at('c'));
    await fixture.run({ type: 'select', treeId: id, nodeId: at('b') });
    await fixture.run({ type: 'attributes', treeId: id, set: { title: 'T' } });
    await store.close();
    const again = await SessionStore.open(folder);
    expect((await askStore(again, id, 'tree', {}))?.activeNodeId).toBe(at('b'));
    const file = sessionFiles.open(path, { readOnly: true });
    const index = new SessionIndex(file);
    expect([file.uuidAt(index.leaf), index.name]).toEqual([at('b'), 'T']);
    file.close();
    await again.close();
  });

  test('[J4] a purge writes a new file without the purged data, and everything else stays', async () => {
    const { store, fixture, path } = await sample(['a', 'b', 'the secret', 'd']);
    const nodes = (await askStore(store, id, 'rows', {}))?.nodes ?? [];
    const secret = nodes.find((node) => node.text === 'the secret')?.id ?? nodeId('');
    await fixture.run({ type: 'delete', treeId: id, nodeIds: [secret], mode: 'cascade' });
    await store.purge(id, { nodeId: secret });
    expect(readFileSync(path, 'utf8')).not.toContain('the secret');
    await fixture.addMessages(['and on']);
    const image = await readTreeJson(store, id);
    const log = await askStore(store, id, 'log', { since: 0 });
    await store.close();
    const again = await SessionStore.open(folder);
    expect(await readTreeJson(again, id)).toEqual(image);
    expect(await askStore(again, id, 'log', { since: 0 })).toEqual(log);
    expect(plainWalk(path)).toEqual(['a', 'b', 'and on']);
    await again.close();
  });
});

describe('incomplete and damaged files', () => {
  const endings: readonly (readonly [string, string | Buffer])[] = [
    ['a line that was cut off', '{"type":"message","uuid":"00000000-0000-7000-8000-00000000aaaa","par'],
    ['a run of NUL', Buffer.alloc(300)],
    ['half of a letter', Buffer.from([0x7b, 0x22, 0xc3])],
    [
      'a commit without its last line',
      lineOf({
        type: 'message',
        uuid: testUuid(900),
        parentUuid: testUuid(901),
        version: 3,
        message: { role: 'user', content: 'half' },
      }),
    ],
  ];

  test.each(endings)(
    '[J10] %s at the end: everything before it loads, one warning names the byte, and reading changes nothing',
    async (_, tail) => {
      const { store, path } = await sample();
      await store.close();
      const size = statSync(path).size;
      appendFileSync(path, tail);
      const bytes = readFileSync(path);
      const file = sessionFiles.open(path, { readOnly: true });
      expect(file.warnings.map(({ code, offset }) => [code, offset])).toEqual([['torn', size]]);
      file.close();
      const again = await SessionStore.open(folder, { readOnly: true });
      expect(await texts(again)).toEqual(['first', 'reply']);
      expect((await again.info()).notes.some((note) => note.includes(`byte ${size}`))).toBe(true);
      await again.close();
      expect(readFileSync(path).equals(bytes)).toBe(true);
    },
  );

  test.each(endings)(
    '[J11] %s: the next append starts on a new line, and both we and a plain reader read it',
    async (_, tail) => {
      const { store, path } = await sample();
      await store.close();
      appendFileSync(path, tail);
      const bytes = readFileSync(path);
      const again = await SessionStore.open(folder);
      await run(
        again,
        { type: 'append', treeId: id, messages: [{ message: textMessage('user', 'goes on') }] },
        {
          actor: 'me',
          now: () => 5000,
          newId: () => crypto.randomUUID(),
          kit: messageKit,
        },
      );
      await again.close();
      const after = readFileSync(path);
      expect(after.subarray(0, bytes.length).equals(bytes)).toBe(true);
      const last = after.toString('utf8').trimEnd().split('\n').at(-1) ?? '';
      expect(JSON.parse(last)).toMatchObject({ type: 'message', message: { content: [{ text: 'goes on' }] } });
      const third = await SessionStore.open(folder);
      expect(await texts(third)).toEqual(['first', 'reply', 'goes on']);
      await third.close();
    },
  );

  test('[J12] a bad line in the middle is kept and reported by its number; entries below it stay reachable and flagged', async () => {
    const path = join(folder, 'plain.jsonl');
    const header = { type: 'session', version: 2, uuid: testUuid(1), parentUuid: null, id: testUuid(2), cwd: '/w' };
    writeFileSync(
      path,
      lineOf(header) +
        lineOf(plain(testUuid(3), testUuid(1), 'one')) +
        `${JSON.stringify(plain(testUuid(4), testUuid(3), 'two')).slice(0, -9)}\n` +
        lineOf(plain(testUuid(5), testUuid(4), 'three')) +
        lineOf(plain(testUuid(6), testUuid(5), 'four')),
    );
    const bytes = readFileSync(path);
    const store = await SessionStore.open(folder);
    expect(await texts(store, treeId(testUuid(2)))).toEqual(['one', 'three', 'four']);
    const { findings } = await store.fsck();
    expect(findings.map(({ code, severity }) => [code, severity])).toEqual([
      ['session-damaged', 'error'],
      ['session-orphan', 'error'],
    ]);
    expect(findings[0]?.message).toContain('Line 3');
    await store.close();
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  test('[J13] a file without a readable header, or an empty one, is refused by name and never changed; others are listed', async () => {
    const { store } = await sample();
    await store.close();
    const bad = join(folder, `x_${testUuid(77)}.jsonl`);
    for (const content of ['', '{"type":"session","vers', '{"hello":1}\n']) {
      writeFileSync(bad, content);
      const again = await SessionStore.open(folder);
      expect((await again.trees()).items.length).toBe(2);
      const refused: unknown = await askStore(again, treeId(testUuid(77)), 'rows', {}).catch((error: unknown) => error);
      expect(isAppError(refused) ? [refused.code, refused.message.includes(bad)] : refused).toEqual([
        'store/damaged',
        true,
      ]);
      await again.close();
      expect(readFileSync(bad, 'utf8')).toBe(content);
      const alone: unknown = await SessionStore.open(bad).catch((error: unknown) => error);
      expect(isAppError(alone) ? alone.code : alone).toBe('store/damaged');
    }
  });

  test('[J14] lines end at byte 0x0A alone: lone carriage returns, U+2028 and the like are text', async () => {
    const odd = 'a\rb\u2028c\u2029d\u0085e';
    const { store } = await sample([odd, 'reply']);
    await store.close();
    const path = join(folder, 'crlf.jsonl');
    const header = { type: 'session', version: 2, uuid: testUuid(11), parentUuid: null, id: testUuid(12) };
    writeFileSync(
      path,
      `${JSON.stringify(header)}\r\n${JSON.stringify(plain(testUuid(13), testUuid(11), odd))}\r\n\r\n`,
    );
    const again = await SessionStore.open(folder);
    expect(await texts(again)).toEqual([odd, 'reply']);
    expect(await texts(again, treeId(testUuid(12)))).toEqual([odd]);
    expect((await again.fsck()).findings).toEqual([]);
    await again.close();
  });

  test('[J13] a dangling link and a folder hide no session, and are found by the check', async () => {
    const { store } = await sample();
    await store.close();
    symlinkSync(join(folder, 'nowhere'), join(folder, 'link.jsonl'));
    mkdirSync(join(folder, 'folder.jsonl'));
    expect(sessionFiles.list(folder).map(({ trouble }) => trouble === undefined)).toEqual(
      expect.arrayContaining([true, false, false]),
    );
    const again = await SessionStore.open(folder);
    expect(await texts(again)).toEqual(['first', 'reply']);
    expect((await again.fsck()).findings.map(({ code }) => code)).toEqual(['unreadable', 'unreadable']);
    await again.close();
  });

  test('[J27] a file that another process held is written as soon as it is released', async () => {
    const { store, path } = await sample();
    await store.close();
    const lock = FolderLock.take(sidecarFolderOf(path));
    const file = sessionFiles.open(path);
    expect([file.writable, file.holder?.pid]).toEqual([false, process.pid]);
    const more = { type: 'custom', uuid: testUuid(77), parentUuid: file.header.uuid };
    const tried = () => file.append([more]);
    expect(tried).toThrow(expect.objectContaining({ code: 'store/locked' }));
    if (lock instanceof FolderLock) lock.release();
    tried();
    expect(file.holder).toBeNull();
    file.close();
    const read = sessionFiles.open(path, { readOnly: true });
    expect(() => read.append([more])).toThrow(/read-only/);
    read.close();
  });

  test('[J15] a duplicate id is reported: a repeated line is dropped, another one gets a new id', async () => {
    const path = join(folder, 'twice.jsonl');
    const header = { type: 'session', version: 2, uuid: testUuid(1), parentUuid: null, id: testUuid(2) };
    const one = lineOf(plain(testUuid(3), testUuid(1), 'one'));
    writeFileSync(path, lineOf(header) + one + one + lineOf(plain(testUuid(3), testUuid(3), 'other')));
    const store = await SessionStore.open(folder);
    expect(await texts(store, treeId(testUuid(2)))).toEqual(['one', 'other']);
    expect((await store.fsck()).findings.map(({ code }) => code)).toEqual(['session-twice', 'session-twice']);
    await store.close();
  });
});

describe('other writers', () => {
  test('[J20] lines appended by another tool are read first, and become siblings of entries added here', async () => {
    const { store, fixture, path } = await sample();
    const before = (await askStore(store, id, 'tree', {}))?.activeNodeId ?? nodeId('');
    appendFileSync(path, lineOf(plain(testUuid(800), before, 'from elsewhere')));
    await fixture.run({ type: 'append', treeId: id, parentId: before, messages: [{ message: user('from here') }] });
    const children = await askStore(store, id, 'children', { of: before });
    expect(children.length).toBe(2);
    expect(children[0]?.id).toBe(testUuid(800));
    appendFileSync(path, lineOf(plain('short', testUuid(800), 'and more')));
    expect(await texts(store)).toEqual(['first', 'reply', 'from elsewhere', 'and more']);
    const image = await readTreeJson(store, id);
    await store.close();
    const again = await SessionStore.open(folder);
    expect(await readTreeJson(again, id)).toEqual(image);
    expect((await again.fsck()).findings).toEqual([]);
    await again.close();
  });

  test('[J21] a line inserted before a commit does not change its number and does not move the leaf', async () => {
    const { store, fixture, path } = await sample();
    const before = (await askStore(store, id, 'tree', {}))?.activeNodeId ?? nodeId('');
    const lines = readFileSync(path, 'utf8');
    await fixture.addMessages(['mine']);
    const mine = readFileSync(path, 'utf8').slice(lines.length);
    await store.close();
    rmSync(sidecarFolderOf(path), { recursive: true, force: true });
    writeFileSync(path, lines + lineOf(plain(testUuid(801), before, 'slipped in')) + mine);
    const again = await SessionStore.open(folder);
    expect(await texts(again)).toEqual(['first', 'reply', 'mine']);
    expect((await askStore(again, id, 'log', { since: 0 })).map(({ version, actor }) => [version, actor])).toEqual([
      [1, 'me'],
      [2, 'me'],
      [3, 'me'],
      [4, 'file'],
    ]);
    expect((await askStore(again, id, 'children', { of: before })).map((node) => node.id)).toContain(testUuid(801));
    await again.close();
  });

  test('[J22] a file that another program replaced or truncated is not written to', async () => {
    const { store, fixture, path } = await sample();
    const bytes = readFileSync(path);
    truncateSync(path, bytes.length - 20);
    const cut: unknown = await fixture.addMessages(['late']).catch((error: unknown) => error);
    expect(isAppError(cut) ? cut.code : cut).toBe('store/locked');
    rmSync(path);
    writeFileSync(path, bytes);
    const replaced: unknown = await fixture.addMessages(['late']).catch((error: unknown) => error);
    expect(isAppError(replaced) ? replaced.code : replaced).toBe('store/locked');
    expect(readFileSync(path).equals(bytes)).toBe(true);
    await store.close();
  });

  test('[J22] a file that is replaced between two saves is not written to', async () => {
    const { store, path } = await sample();
    await store.close();
    const bytes = readFileSync(path);
    for (const [at, harm] of [
      () => truncateSync(path, bytes.length + 20),
      () => rmSync(path),
      () => writeFileSync(`${path}.new`, bytes) ?? renameSync(`${path}.new`, path),
    ].entries()) {
      writeFileSync(path, bytes);
      const file = sessionFiles.open(path);
      file.append([plain(testUuid(900), file.header.uuid, 'before')]);
      harm();
      const more = [plain(testUuid(901), testUuid(900), 'late')];
      expect(() => file.append(more), `harm ${at}`).toThrow(expect.objectContaining({ code: 'store/locked' }));
      file.close();
    }
  });

  test('[J29] lines that others write between saves are not lost: complete ones are read, incomplete ones reported', async () => {
    const { store, path } = await sample();
    await store.close();
    const said = (at: number, below: string) => plain(testUuid(at), below, `said ${at}`);
    const root = String(linesOf(path)[0]?.['uuid']);
    for (const [name, slipped, found] of [
      ['a line', lineOf(plain(testUuid(801), root, 'slipped in')), []],
      ['half a line', '{"type":"message","uuid":"half","message":{"content":[{"type":"text","te', ['damaged']],
    ] as const) {
      const file = sessionFiles.open(path);
      const [first, second, third] = [file.size + 700, file.size + 750, file.size + 770];
      file.append([said(first, file.header.uuid)], { actor: 'me' });
      appendFileSync(path, slipped);
      file.append([said(second, testUuid(first))], { actor: 'me' });
      file.append([said(third, testUuid(second))], { actor: 'me' });
      const read = (from: SessionFile) =>
        [first, second, third].map((at) => [
          from.uuidAt(from.parentAt(from.indexOf(testUuid(at)))),
          textIn(from, testUuid(at)),
        ]);
      const entered = read(file);
      expect(entered, name).toEqual([
        [file.header.uuid, `said ${first}`],
        [testUuid(first), `said ${second}`],
        [testUuid(second), `said ${third}`],
      ]);
      expect(file.warnings.map(({ code }) => code)).toEqual(found);
      const { version, size } = file;
      file.close();
      const again = sessionFiles.open(path, { readOnly: true });
      expect([read(again), again.version, again.size]).toEqual([entered, version, size]);
      again.close();
    }
  });

  test('[J23] the files beside the session files can be deleted without losing any session data', async () => {
    const { store } = await sample();
    await store.runs.start({
      id: 'r',
      treeId: id,
      nodeId: nodeId(testUuid(9)),
      process: 'p',
      startedAt: 1,
      beatAt: 1,
      data: {},
    });
    const image = await readTreeJson(store, id);
    await store.close();
    rmSync(join(folder, '.coppice'), { recursive: true, force: true });
    const again = await SessionStore.open(folder);
    expect(await readTreeJson(again, id)).toEqual(image);
    await again.close();
  });

  test('[J24] opening the current thread of a session parses no content of other lines', async () => {
    const path = join(folder, 'long.jsonl');
    const header = { type: 'session', version: 2, uuid: testUuid(1), parentUuid: null, id: testUuid(2) };
    const lines = [lineOf(header)];
    // Every second line belongs to an abandoned branch, and is not valid JSON after its first fields.
    for (let at = 0; at < 2000; at++) {
      lines.push(lineOf(plain(testUuid(10 + 2 * at), at === 0 ? testUuid(1) : testUuid(8 + 2 * at), `said ${at}`)));
      lines.push(
        `{"type":"message","uuid":"${testUuid(11 + 2 * at)}","parentUuid":"${testUuid(10 + 2 * at)}","message":broken}\n`,
      );
    }
    lines.push(lineOf({ type: 'leaf', uuid: testUuid(9), parentUuid: testUuid(10 + 2 * 1999) }));
    writeFileSync(path, lines.join(''));
    const file = sessionFiles.open(path, { readOnly: true });
    const index = new SessionIndex(file);
    const way = index.path(index.leaf);
    expect(way.length).toBe(2001);
    expect(file.entryAt(way[2000] ?? 0)).toMatchObject({ message: { content: 'said 1999' } });
    expect(file.warnings).toEqual([]);
    expect(file.entryAt(2)['damaged']).toBe(true);
    expect(file.warnings.map(({ code, line }) => [code, line])).toEqual([['damaged', 3]]);
    file.close();
  });

  test('[J25] a chain of 100,000 entries is opened and walked', () => {
    const path = join(folder, 'deep.jsonl');
    const lines = [lineOf({ type: 'session', version: 2, uuid: 'r', parentUuid: null, id: 'deep' })];
    for (let at = 0; at < 100_000; at++) lines.push(lineOf(plain(`e${at}`, at === 0 ? 'r' : `e${at - 1}`, 'x')));
    writeFileSync(path, lines.join(''));
    const file = sessionFiles.open(path, { readOnly: true });
    const index = new SessionIndex(file);
    expect(index.path(index.leaf).length).toBe(100_001);
    expect(index.children(50_000)).toEqual([50_001]);
    file.close();
  });
});

test('[J26] one process writes to a file; a second handle of the process shares it, and the list of sessions shows its content', async () => {
  const { store, path } = await sample();
  const file = sessionFiles.open(path);
  expect([file.writable, file.holder]).toEqual([true, null]);
  const leaf = await store.read(id, () => ask('tree', {}));
  file.append([plain(testUuid(700), leaf?.activeNodeId ?? '', 'by hand')]);
  expect(await texts(store)).toEqual(['first', 'reply', 'by hand']);
  expect(sessionFiles.list(folder)).toMatchObject([{ id, messages: 3, firstMessage: 'first', dialect: 'v2' }]);
  file.close();
  await store.close();
});
