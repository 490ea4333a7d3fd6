/** Tests of files of version 1, which are migrated, and of files of other tools, which are read without a change. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import { SessionIndex } from '@coppice/content/sessions';
import { ask, isAppError, type Store, type TreeId, textOf } from '@coppice/core';
import { contextOf, readContextPath } from '@coppice/core/context';
import { TestTree, user } from '@coppice/core/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listNamesInFolder } from '../disk/atomic-files.ts';
import { armFault, countFaultPasses } from '../failpoints.ts';
import { SessionStore } from './index.ts';
import { sessionFiles } from './session-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-migrate-'));
});
afterEach(() => {
  armFault(null);
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, lines: readonly (object | string)[], where = folder): string {
  mkdirSync(where, { recursive: true });
  const path = join(where, name);
  writeFileSync(path, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
  return path;
}

async function context(store: Store, tree: TreeId): Promise<string[]> {
  return store.read(tree, function* () {
    const active = (yield* ask('tree', {}))?.activeNodeId;
    if (active == null) return [];
    const path = yield* readContextPath(active);
    const raw = new Map(path.map((node) => [node.id, node.message]));
    return contextOf(path, { kit: messageKit }).entries.map(({ kind, nodeId, message }) => {
      const stored = nodeId === null ? null : raw.get(nodeId);
      return kind === 'message'
        ? `${message.role}: ${shown(message.content)}`
        : `${kind}: ${stored == null ? '' : textOf(stored)}`;
    });
  });
}

function shown(content: readonly { readonly type: string }[]): string {
  return content.map((block) => ('text' in block ? String(block.text) : `<${block.type}>`)).join('');
}

async function contextIn(path: string, readOnly = false): Promise<string[]> {
  const store = await SessionStore.open(path, { readOnly });
  const [item] = (await store.trees()).items;
  const said = item === undefined ? [] : await context(store, item.id);
  await store.close();
  return said;
}

const say = (role: string, text: string) => ({
  type: 'message',
  timestamp: '2026-01-02T03:04:05.000Z',
  message: { role, content: text },
});
const v1 = [
  { type: 'session', id: 'old', timestamp: '2026-01-02T03:04:05.000Z', cwd: '/w' },
  say('user', 'one'),
  say('assistant', 'two'),
  say('user', 'three'),
  {
    type: 'compaction',
    timestamp: '2026-01-02T03:04:06.000Z',
    summary: 'so far',
    firstKeptEntryIndex: 2,
    tokensBefore: 50000,
  },
  say('assistant', 'four'),
];
const v1Context = ['summary: so far', 'assistant: two', 'user: three', 'assistant: four'];

describe('the first version', () => {
  test('[J30] is migrated on load: as many entries in the same order, a chain, indexes converted, the old file kept', async () => {
    const path = write('old.jsonl', v1);
    const before = readFileSync(path);
    expect(await contextIn(path, true)).toEqual(v1Context);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(await contextIn(path)).toEqual(v1Context);
    expect(readFileSync(`${path}.bak`).equals(before)).toBe(true);
    const lines = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.length).toBe(v1.length);
    expect(lines[0]).toMatchObject({ type: 'session', version: 2, parentUuid: null, id: 'old', cwd: '/w' });
    for (let at = 1; at < lines.length; at++) expect(lines[at].parentUuid).toBe(lines[at - 1].uuid);
    expect(lines[4]).toMatchObject({ firstKeptEntryUuid: lines[2].uuid, tokensBefore: 50000 });
    expect(lines[4].firstKeptEntryIndex).toBeUndefined();
    expect(
      readdirSync(folder)
        .filter((name) => name !== '.coppice')
        .sort(),
    ).toEqual(['old.jsonl', 'old.jsonl.bak']);
  });

  test('[J31] is migrated once: the second load changes neither bytes nor time', async () => {
    const path = write('old.jsonl', v1);
    await contextIn(path);
    const [bytes, { mtimeMs, ino }] = [readFileSync(path), statSync(path)];
    expect(await contextIn(path)).toEqual(v1Context);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect([statSync(path).mtimeMs, statSync(path).ino]).toEqual([mtimeMs, ino]);
  });

  test('[J32] with indexes at the header or out of range is flagged, and the context stays', () => {
    const compaction = (index: number) => ({
      type: 'compaction',
      timestamp: 't',
      summary: 's',
      firstKeptEntryIndex: index,
    });
    const kept = (index: number) => {
      const path = write(`at-${index}.jsonl`, [v1[0] ?? {}, say('user', 'one'), compaction(index), say('user', 'two')]);
      const file = sessionFiles.open(path, { readOnly: true });
      const index_ = new SessionIndex(file);
      const found = file.entryAt(2)['firstKeptEntryUuid'];
      const codes = file.warnings.map(({ code, line }) => [code, line]);
      file.close();
      return [found === undefined ? null : index_.file.indexOf(String(found)), codes];
    };
    expect(kept(1)).toEqual([1, []]);
    expect(kept(0)).toEqual([1, [['unkept', 3]]]);
    expect(kept(99)).toEqual([null, [['unkept', 3]]]);
  });

  test('[J33] with a pop gets a summary below the entry it went back to, and later entries become its descendants', async () => {
    const path = write('pop.jsonl', [
      v1[0] ?? {},
      say('user', 'one'),
      say('assistant', 'two'),
      say('user', 'three'),
      { type: 'stack_pop', timestamp: 't', backToIndex: 2, summary: 'tried three', prePopSummary: 'before' },
      say('user', 'four'),
    ]);
    expect(await contextIn(path)).toEqual(['user: one', 'assistant: two', 'branch-summary: tried three', 'user: four']);
    const lines = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[4]).toMatchObject({ type: 'stack_summary', parentUuid: lines[2].uuid, prePopSummary: 'before' });
  });

  test('[J34] keeps unreadable lines unchanged', async () => {
    const path = write('bad.jsonl', [v1[0] ?? {}, say('user', 'one'), '{"type":"mess', say('user', 'two')]);
    expect(await contextIn(path)).toEqual(['user: one', 'user: two']);
    expect(readFileSync(path, 'utf8').split('\n')[2]).toBe('{"type":"mess');
  });

  test('[J16] may have a byte order mark and blank lines, which are skipped before and after a migration', async () => {
    const text = v1.map((line) => JSON.stringify(line));
    for (const [name, bytes] of [
      ['mark', `\ufeff${text.join('\n')}`],
      ['first', `\r\n\n${text.join('\n')}\n`],
      ['spaces', `${text.join('\r\n \t\r\n')}\r\n`],
    ] as const) {
      const path = join(folder, `${name}.jsonl`);
      writeFileSync(path, bytes);
      const warned = () => {
        const file = sessionFiles.open(path);
        const found = file.warnings;
        file.close();
        return found;
      };
      expect([warned(), await contextIn(path)], name).toEqual([[], v1Context]);
      // Leading blank lines and a byte order mark are also ignored in a file of version 2.
      writeFileSync(path, ` \n\ufeff${readFileSync(path, 'utf8')}`);
      expect([warned(), await contextIn(path)], name).toEqual([[], v1Context]);
    }
  });

  test('[J38] counts unreadable lines where an index points at a line', async () => {
    const path = write('bad-index.jsonl', [v1[0] ?? {}, '{"type":"mess', ...v1.slice(2)]);
    expect(await contextIn(path)).toEqual(v1Context);
    const pop = write('bad-pop.jsonl', [
      v1[0] ?? {},
      say('user', 'one'),
      '{"type":"mess',
      say('user', 'three'),
      { type: 'stack_pop', timestamp: 't', backToIndex: 2, summary: 'tried three' },
      say('user', 'four'),
    ]);
    expect(await contextIn(pop)).toEqual(['user: one', 'branch-summary: tried three', 'user: four']);
  });

  test('[J32] keeps an index without a target in its line', async () => {
    const path = write('lost.jsonl', [
      v1[0] ?? {},
      say('user', 'one'),
      { type: 'compaction', timestamp: 't', summary: 's', firstKeptEntryIndex: 99 },
      { type: 'stack_pop', timestamp: 't', backToIndex: -1, summary: 'p' },
    ]);
    await contextIn(path);
    const lines = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([lines[2].firstKeptEntryIndex, lines[3].backToIndex]).toEqual([99, -1]);
  });

  test('[J35] stays unchanged, to the byte, if a migration fails, and is migrated the next time', async () => {
    for (const fault of ['eio', 'enospc'] as const)
      for (let nth = 1; ; nth++) {
        const path = write(`f-${fault}-${nth}.jsonl`, v1);
        const before = readFileSync(path);
        armFault({ point: '*', nth, fault });
        const opened: unknown = await SessionStore.open(path).catch((error: unknown) => error);
        const through = countFaultPasses() < nth;
        armFault(null);
        const now = readFileSync(path, 'utf8');
        if (isAppError(opened)) {
          expect(opened.code).toBe(fault === 'eio' ? 'store/unavailable' : 'store/full');
          expect(now === before.toString('utf8') || now.includes('"version":2')).toBe(true);
        } else if (opened instanceof SessionStore) await opened.close();
        expect(await contextIn(path)).toEqual(v1Context);
        expect(listNamesInFolder(join(folder, '.coppice', `f-${fault}-${nth}.jsonl`, 'making'))).toEqual([]);
        if (through) break;
        expect(nth).toBeLessThan(40);
      }
  });

  test('[J39] can be read on a full disk, and is migrated as soon as there is space', async () => {
    const old = write('old.jsonl', v1);
    const now = write('now.jsonl', [
      { type: 'session', version: 2, uuid: 'r', parentUuid: null, id: 'now' },
      { type: 'message', uuid: 'm', parentUuid: 'r', message: { role: 'user', content: 'one' } },
    ]);
    const before = readFileSync(old);
    armFault({ point: '*', nth: 1, fault: 'enospc', sticky: true });
    expect(await contextIn(old)).toEqual(v1Context);
    expect(await contextIn(now)).toEqual(['user: one']);
    const [first, second] = [sessionFiles.open(old), sessionFiles.open(now)];
    const more = { type: 'custom', uuid: 'c', parentUuid: 'm' };
    expect(() => second.append([more])).toThrow(expect.objectContaining({ code: 'store/full' }));
    const found = [first.dialect, first.writable, first.size, second.writable];
    armFault(null);
    expect(found).toEqual(['v1', false, v1.length, false]);
    second.append([more]);
    expect(second.writable).toBe(true);
    expect(readFileSync(old).equals(before)).toBe(true);
    for (const file of [first, second]) file.close();
    expect(await contextIn(old)).toEqual(v1Context);
    expect(readFileSync(old).equals(before)).toBe(false);
  });

  test('[J36] is not migrated in folders of other tools', async () => {
    const path = write('theirs.jsonl', v1, join(folder, '.pi', 'agent', 'sessions'));
    const before = readFileSync(path);
    expect(await contextIn(path)).toEqual(v1Context);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(existsSync(`${path}.bak`)).toBe(false);
  });
});

const base = {
  isSidechain: false,
  userType: 'external',
  cwd: '/w',
  sessionId: 's1',
  version: '2.1.0',
  timestamp: '2026-01-02T03:04:05.000Z',
};
const ask_ = (uuid: string, parentUuid: string | null, content: unknown) => ({
  type: 'user',
  uuid,
  parentUuid,
  ...base,
  message: { role: 'user', content },
});
const reply = (uuid: string, parentUuid: string, id: string, block: object) => ({
  type: 'assistant',
  uuid,
  parentUuid,
  ...base,
  message: {
    id,
    type: 'message',
    role: 'assistant',
    model: 'm-x',
    content: [block],
    stop_reason: null,
    usage: { input_tokens: 5, output_tokens: 7 },
  },
});
const result = (uuid: string, parentUuid: string, call: string, text: string) =>
  ask_(uuid, parentUuid, [{ type: 'tool_result', tool_use_id: call, content: text }]);

describe('files of Claude Code', () => {
  test('[J37] are read unchanged: lines of one reply are one message, and parallel results a chain below it', async () => {
    const path = write('code.jsonl', [
      { type: 'summary', summary: 'Rename helper', leafUuid: 'elsewhere' },
      ask_('u1', null, 'rename foo'),
      reply('a1', 'u1', 'msg_1', { type: 'thinking', thinking: 'hm', signature: 's' }),
      reply('a2', 'a1', 'msg_1', { type: 'tool_use', id: 't1', name: 'Grep', input: { pattern: 'foo' } }),
      reply('a3', 'a2', 'msg_1', { type: 'tool_use', id: 't2', name: 'Read', input: { path: 'a.ts' } }),
      result('r1', 'a2', 't1', 'a.ts:1'),
      result('r2', 'a3', 't2', 'const foo'),
      reply('a4', 'r2', 'msg_2', { type: 'text', text: 'Renamed.' }),
      ask_('u2', 'a4', 'thanks'),
      ask_('u3', 'a4', 'undo that'),
      reply('a5', 'u3', 'msg_3', { type: 'text', text: 'Undone.' }),
      { type: 'file-history-snapshot', messageId: 'm', snapshot: {} },
    ]);
    const before = readFileSync(path);
    expect(await contextIn(path)).toEqual([
      'user: rename foo',
      'assistant: <thinking><tool-use><tool-use>',
      'tool: a.ts:1',
      'tool: const foo',
      'assistant: Renamed.',
      'user: undo that',
      'assistant: Undone.',
    ]);
    expect(readFileSync(path).equals(before)).toBe(true);
    const store = await SessionStore.open(path);
    const [item] = (await store.trees()).items;
    expect([item?.attributes.title, (await store.info()).readOnly]).toEqual(['Rename helper', true]);
    expect((await store.fsck()).findings).toEqual([]);
    expect(item).toBeDefined();
    if (item !== undefined)
      expect(
        await new TestTree(store, item.id).refusal({
          type: 'append',
          treeId: item.id,
          messages: [{ message: user('x') }],
        }),
      ).toBe('tree/read-only');
    await store.close();
  });

  test('[J41] a session that begins with a line that is not a message, as in most other tools, is an ordinary tree', async () => {
    const at = { timestamp: base.timestamp };
    for (const [name, lines] of [
      [
        'pi',
        [
          { type: 'session', version: 3, id: 'p', ...at, cwd: '/w' },
          { type: 'model_change', id: 'a', parentId: null, ...at, provider: 'acme', modelId: 'm-x' },
          { type: 'thinking_level_change', id: 'b', parentId: 'a', ...at, thinkingLevel: 'high' },
          { type: 'message', id: 'c', parentId: 'b', ...at, message: { role: 'user', content: 'one' } },
        ],
      ],
      [
        'code',
        [{ type: 'system', subtype: 'informational', uuid: 's', parentUuid: null, ...base }, ask_('u', 's', 'one')],
      ],
      [
        'ours',
        [
          { type: 'session', version: 2, uuid: 'r', parentUuid: null, id: 'o' },
          { type: 'custom', uuid: 'c', parentUuid: 'r', customType: 'x' },
          { type: 'message', uuid: 'm', parentUuid: 'c', message: { role: 'user', content: 'one' } },
        ],
      ],
    ] as const) {
      const path = write(`${name}.jsonl`, lines);
      expect(await contextIn(path), name).toEqual(['user: one']);
      const store = await SessionStore.open(path);
      expect((await store.fsck()).findings, name).toEqual([]);
      await store.close();
      // The dialect is also detected if the file has no entries after its first lines yet.
      const begun = write(`${name}-begun.jsonl`, lines.slice(0, -1));
      const early = await SessionStore.open(begun);
      expect((await early.fsck()).findings, name).toEqual([]);
      await early.close();
    }
  });

  test('[J37] the boundary of a compaction names the kept messages', async () => {
    const path = write('kept.jsonl', [
      ask_('u1', null, 'one'),
      reply('a1', 'u1', 'm1', { type: 'text', text: 'two' }),
      reply('a2', 'a1', 'm1', { type: 'text', text: ' and a half' }),
      ask_('u2', 'a2', 'three'),
      {
        type: 'system',
        subtype: 'compact_boundary',
        uuid: 'b1',
        parentUuid: null,
        logicalParentUuid: 'u2',
        ...base,
        compactMetadata: { trigger: 'auto', preTokens: 900 },
        preserved_messages: { anchor_uuid: 's1', uuids: ['gone', 'a2', 'u2'] },
      },
      { ...ask_('s1', 'b1', 'What happened.'), isCompactSummary: true },
      ask_('u3', 's1', 'four'),
    ]);
    expect(await contextIn(path)).toEqual([
      'summary: What happened.',
      'assistant: two and a half',
      'user: three',
      'user: four',
    ]);
    const file = sessionFiles.open(path);
    expect(file.entryAt(file.indexOf('s1'))['tokensBefore']).toBe(900);
    file.close();
  });

  test('[J15] in a file of another tool, too, no line with a duplicate id is lost', async () => {
    const again = ask_('u1', 'a1', 'three');
    const code = write('twice.jsonl', [
      ask_('u1', null, 'one'),
      reply('a1', 'u1', 'm1', { type: 'text', text: 'two' }),
      reply('a1', 'u1', 'm1', { type: 'text', text: 'two' }),
      again,
    ]);
    const line = (id: string, parentId: string | null, content: string) => ({
      type: 'message',
      id,
      parentId,
      message: { role: 'user', content, timestamp: 1 },
    });
    const pi = write('twice-pi.jsonl', [
      { type: 'session', version: 3, id: 'p', cwd: '/w' },
      line('a', null, 'one'),
      line('b', 'a', 'two'),
      line('b', 'a', 'two'),
      { type: 'message' },
      line('a', 'b', 'three'),
    ]);
    for (const [path, said, reported] of [
      [code, ['user: one', 'assistant: two', 'user: three'], ['twice:3', 'twice:4']],
      [pi, ['user: one', 'user: two', 'user: three'], ['twice:4', 'damaged:5', 'twice:6']],
    ] as const) {
      expect(await contextIn(path)).toEqual(said);
      const file = sessionFiles.open(path);
      expect(file.warnings.map((warning) => `${warning.code}:${warning.line}`)).toEqual(reported);
      file.close();
    }
  });

  test('[J37] a compaction, a named leaf, unknown parents and parents that come later are read', async () => {
    const path = write('compact.jsonl', [
      ask_('u1', null, 'one'),
      reply('a1', 'u1', 'm1', { type: 'text', text: 'two' }),
      {
        type: 'system',
        subtype: 'compact_boundary',
        uuid: 'b1',
        parentUuid: null,
        logicalParentUuid: 'a1',
        ...base,
        content: 'Conversation compacted',
      },
      { ...ask_('u2', 'b1', 'This is what happened.'), isCompactSummary: true },
      ask_('u3', 'u2', 'three'),
      ask_('late', 'later', 'below later'),
      ask_('later', 'u3', 'later'),
      ask_('lost', 'phantom', 'no parent'),
      { type: 'last-prompt', leafUuid: 'u3' },
    ]);
    expect(await contextIn(path)).toEqual(['summary: This is what happened.', 'user: three']);
    const file = sessionFiles.open(path);
    const index = new SessionIndex(file);
    expect(
      index
        .path(file.indexOf('late'))
        .map((at) => file.uuidAt(at))
        .slice(-3),
    ).toEqual(['u3', 'later', 'late']);
    expect(file.warnings.map(({ code, uuid }) => [code, uuid])).toEqual([['orphan', 'lost']]);
  });
});
