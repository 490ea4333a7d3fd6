/** Tests of session files with missing, swapped, duplicate or misplaced lines. No readable message may be lost. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionIndex } from '@coppice/content/sessions';
import { type Command, isAppError, type Node, type NodeId, nodeId, type TreeId, treeId } from '@coppice/core';
import { assistant, TestTree, testUuid, user } from '@coppice/core/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listSessionFiles as filesIn } from '../../test/jsonl-subject.ts';
import { askStore, isLongRun } from '../conformance/subject.ts';
import { SessionStore } from './index.ts';
import { listBackupCopies } from './paths.ts';
import { sessionFiles } from './session-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-damaged-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const id = treeId(testUuid(1));

function rawLines(path: string): string[] {
  return readFileSync(path, 'utf8').trimEnd().split('\n');
}

function writeLines(path: string, lines: readonly string[]): void {
  writeFileSync(path, `${lines.join('\n')}\n`);
}

type Line = Record<string, unknown>;
const parse = (line: string): Line => JSON.parse(line);
const withParent = (line: string, parentUuid: unknown) => JSON.stringify({ ...parse(line), parentUuid });

/** Returns the live nodes without the root, and expects a path to each. */
async function reachable(store: SessionStore, of: TreeId): Promise<Node[]> {
  const rows = await askStore(store, of, 'rows', {});
  const nodes = rows?.nodes.filter((node) => node.removedIn === null) ?? [];
  const found: Node[] = [];
  for (const node of nodes) {
    if (node.kind === 'root') continue;
    const path = await askStore(store, of, 'path', { to: node.id });
    expect(path.nodes.at(-1)?.id).toBe(node.id);
    found.push(node);
  }
  return found;
}

async function chain(texts: readonly string[]): Promise<string> {
  const store = await SessionStore.open(folder);
  const fixture = await TestTree.make({ store, treeId: id });
  for (const text of texts) await fixture.addMessages([text]);
  await store.close();
  return filesIn(folder)[0] ?? '';
}

const five = ['the first', 'the second', 'the third', 'the fourth', 'the fifth'];

async function thread(store: SessionStore): Promise<string[]> {
  const row = await askStore(store, id, 'tree', {});
  if (row?.activeNodeId == null) return [];
  return (await askStore(store, id, 'path', { to: row.activeNodeId })).nodes.map((node) => node.text);
}

describe('one line', () => {
  const lineWith = (lines: readonly string[], text: string) => lines.findIndex((line) => line.includes(text));

  test.each<[string, (lines: string[]) => string[], readonly string[], string]>([
    [
      'missing',
      (lines) => lines.filter((line) => !line.includes('the third')),
      ['the first', 'the second', 'the fourth', 'the fifth'],
      'session-lost',
    ],
    [
      'swapped with the next',
      (lines) => {
        const at = lineWith(lines, 'the third');
        return [...lines.slice(0, at), lines[at + 1] ?? '', lines[at] ?? '', ...lines.slice(at + 2)];
      },
      five,
      'session-order',
    ],
    [
      'with an unknown parent',
      (lines) => lines.map((line) => (line.includes('the fourth') ? withParent(line, testUuid(999)) : line)),
      five,
      'session-orphan',
    ],
    [
      'with a parent that is null',
      (lines) => lines.map((line) => (line.includes('the fourth') ? withParent(line, null) : line)),
      five,
      'session-orphan',
    ],
    [
      'with a parent that is a number',
      (lines) => lines.map((line) => (line.includes('the fourth') ? withParent(line, 7) : line)),
      five,
      'session-orphan',
    ],
    [
      'without a parent',
      (lines) => lines.map((line) => (line.includes('the fourth') ? withParent(line, undefined) : line)),
      five,
      'session-orphan',
    ],
    [
      'that closes a cycle',
      (lines) => {
        const last = parse(lines[lineWith(lines, 'the fifth')] ?? '');
        return lines.map((line) => (line.includes('the fourth') ? withParent(line, last['uuid']) : line));
      },
      five,
      'session-orphan',
    ],
    [
      'that is its own parent',
      (lines) => lines.map((line) => (line.includes('the second') ? withParent(line, parse(line)['uuid']) : line)),
      five,
      'session-orphan',
    ],
    ['missing, the header', (lines) => lines.slice(1), five, 'session-lost'],
    ['swapped with the header', (lines) => [lines[1] ?? '', lines[0] ?? '', ...lines.slice(2)], five, 'session-order'],
  ])(
    '[J46] %s leaves every other message in place, reported at opening and by the check',
    async (_, damage, expected, code) => {
      const path = await chain(five);
      writeLines(path, damage(rawLines(path)));
      const store = await SessionStore.open(folder);
      const { notes } = await store.info();
      expect(notes.some((note) => note.startsWith(path))).toBe(true);
      expect(await thread(store)).toEqual(expected);
      for (const text of expected) expect((await store.search({ text })).items.length).toBe(1);
      const { findings } = await store.fsck();
      expect(findings.filter(({ severity }) => severity === 'error').map((finding) => finding.code)).toContain(code);
      const fixture = new TestTree(store, id);
      const context = { newId: randomUUID };
      await fixture.run({ type: 'append', treeId: id, messages: [{ message: user('and on') }] }, context);
      expect(await thread(store)).toEqual([...expected, 'and on']);
      await store.fsck({ repair: true });
      expect(await thread(store)).toEqual([...expected, 'and on']);
      await store.close();
      const again = await SessionStore.open(folder);
      expect((await again.fsck()).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(await thread(again)).toEqual([...expected, 'and on']);
      await again.close();
      expect(listBackupCopies(path)).toEqual([`${path}.damaged-1`]);
    },
  );

  test('[J46] an entry whose parent is missing names that parent', async () => {
    const path = await chain(five);
    const lines = rawLines(path);
    const lost = parse(lines.find((line) => line.includes('the third')) ?? '');
    writeLines(
      path,
      lines.filter((line) => !line.includes('the third')),
    );
    const store = await SessionStore.open(folder);
    const orphan = (await reachable(store, id)).find((node) => node.text === 'the fourth');
    expect(orphan?.meta['recoveredFrom']).toBe(lost['uuid']);
    await store.close();
  });

  test('[J47] a leaf line with an unknown target leaves the session at its last message', async () => {
    const path = await chain(five);
    const leaf = {
      type: 'leaf',
      uuid: testUuid(500),
      parentUuid: testUuid(501),
      version: 99,
      commit: true,
      actor: 'me',
    };
    writeLines(path, [...rawLines(path), JSON.stringify(leaf)]);
    const store = await SessionStore.open(folder);
    expect(await thread(store)).toEqual(five);
    await store.close();
    const file = sessionFiles.open(path);
    const index = new SessionIndex(file);
    expect(JSON.stringify(file.entryAt(index.leaf)['message'])).toContain('the fifth');
    file.close();
  });

  test('[J47] a leaf line whose target is missing, but not the children of the target, leaves the session at its last message', async () => {
    const path = await chain(five);
    const lines = rawLines(path);
    const lost = parse(lines[lineWith(lines, 'the third')] ?? '');
    const leaf = JSON.stringify({
      type: 'leaf',
      uuid: testUuid(500),
      parentUuid: lost['uuid'],
      version: 99,
      commit: true,
    });
    writeLines(path, [...lines.filter((line) => !line.includes('the third')), leaf]);
    const store = await SessionStore.open(folder);
    expect(await thread(store)).toEqual(['the first', 'the second', 'the fourth', 'the fifth']);
    await store.close();
  });

  test.each<[string, string]>([
    ['an empty line', ''],
    ['a line with a carriage return', '\r'],
    ['a line with spaces and a tab', '  \t'],
  ])('[J16] %s between the lines of a commit hides none of its messages', async (_, blank) => {
    const store = await SessionStore.open(folder);
    const fixture = await TestTree.make({ store, treeId: id });
    await fixture.addMessages(['the first']);
    await fixture.addMessages(['the second', 'the third', 'the fourth']);
    await store.close();
    const path = filesIn(folder)[0] ?? '';
    const lines = rawLines(path);
    for (let at = 1; at < lines.length; at++) {
      writeLines(path, [...lines.slice(0, at), blank, ...lines.slice(at)]);
      const damaged = await SessionStore.open(folder);
      expect(await thread(damaged)).toEqual(five.slice(0, 4));
      expect((await damaged.fsck()).findings).toEqual([]);
      await damaged.close();
    }
  });

  test.each([
    ['the first of two replies', (line: string) => line.includes('the second')],
    ['the change', (line: string) => parse(line)['type'] === 'change' && line.includes('regroup')],
  ])('[J46] %s missing in the middle of a commit is reported at opening and by the check', async (_, isLost) => {
    const path = await chain(['the first']);
    const store = await SessionStore.open(folder);
    const fixture = new TestTree(store, id);
    const context = { newId: randomUUID };
    const [question] = await reachable(store, id);
    if (question === undefined) throw new Error('There is no question.');
    const replies = [{ message: assistant('the second') }, { message: assistant('the third') }];
    await fixture.run({ type: 'reply', treeId: id, parentId: question.id, replies }, context);
    await fixture.run({ type: 'edit', treeId: id, nodeId: question.id, content: 'the fourth' }, context);
    await store.close();
    const lines = rawLines(path);
    expect(lines.filter(isLost)).toHaveLength(1);
    writeLines(
      path,
      lines.filter((line) => !isLost(line)),
    );
    const damaged = await SessionStore.open(folder);
    expect((await damaged.info()).notes.some((note) => note.includes('of which 1 are missing'))).toBe(true);
    const { findings } = await damaged.fsck();
    expect(findings.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toContain('session-lost');
    await damaged.fsck({ repair: true });
    expect((await damaged.fsck()).findings).toEqual([]);
    await damaged.close();
  });

  test('[J11] a commit that a crash left unfinished before an empty line stays left out, also if it is repeated', async () => {
    const path = await chain(['the first']);
    const store = await SessionStore.open(folder);
    const fixture = new TestTree(store, id);
    const messages = ['the second', 'the third'].map((text) => ({ message: user(text) }));
    await fixture.run({ type: 'append', treeId: id, messages }, { newId: randomUUID });
    await store.close();
    const lines = rawLines(path);
    const [second = '', third = ''] = lines.slice(-2);
    writeLines(path, [...lines.slice(0, -2), second, '', second, third]);
    const again = await SessionStore.open(folder);
    expect(await thread(again)).toEqual(['the first', 'the second', 'the third']);
    expect((await again.fsck()).findings.map(({ code }) => code)).toEqual(['session-torn']);
    await again.close();
  });

  test('[J46] a reply whose own line is missing is shown with its final text', async () => {
    const store = await SessionStore.open(folder);
    const fixture = await TestTree.make({ store, treeId: id });
    const [asks] = await fixture.addMessages(['a question']);
    const { result } = await fixture.run({
      type: 'reply',
      treeId: id,
      parentId: asks ?? fixture.rootId,
      replies: [{}],
    });
    const [reply = fixture.rootId] = result.added;
    await fixture.run({
      type: 'finish',
      treeId: id,
      nodeId: reply,
      message: assistant('a whole reply'),
      status: 'success',
    });
    await fixture.addMessages(['a second question']);
    await store.close();
    const path = filesIn(folder)[0] ?? '';
    writeLines(
      path,
      rawLines(path).filter((line) => parse(line)['uuid'] !== reply),
    );
    const again = await SessionStore.open(folder);
    expect(await thread(again)).toEqual(['a question', 'a whole reply', 'a second question']);
    await again.close();
  });

  test('[J52] deletes in a damaged file, and their undo, are the same after opening it again', async () => {
    const path = await chain(five);
    writeLines(
      path,
      rawLines(path).filter((line) => !line.includes('the third')),
    );
    const change = async (command: (active: NodeId) => Command): Promise<string[]> => {
      const store = await SessionStore.open(folder);
      const row = await askStore(store, id, 'tree', {});
      await new TestTree(store, id).run(command(row?.activeNodeId ?? nodeId('')), { newId: randomUUID });
      const now = await thread(store);
      await store.close();
      const again = await SessionStore.open(folder);
      expect(await thread(again)).toEqual(now);
      await again.close();
      return now;
    };
    const kept = ['the first', 'the second', 'the fourth'];
    expect(await change((active) => ({ type: 'delete', treeId: id, nodeIds: [active] }))).toEqual(kept);
    expect(await change(() => ({ type: 'undo', treeId: id }))).toEqual([...kept, 'the fifth']);
    expect(await change(() => ({ type: 'redo', treeId: id }))).toEqual(kept);
    expect(await change(() => ({ type: 'clear', treeId: id }))).toEqual([]);
    expect(await change(() => ({ type: 'undo', treeId: id }))).toEqual(kept);
    expect(await change(() => ({ type: 'redo', treeId: id }))).toEqual([]);
  });
});

describe('random damage', () => {
  type Act =
    | { readonly do: 'append'; readonly at: number; readonly count: number }
    | { readonly do: 'edit' | 'bookmark' | 'select' | 'delete'; readonly at: number }
    | { readonly do: 'purge' }
    | { readonly do: 'undo' };
  interface Wound {
    readonly how: 'drop' | 'swap' | 'far-swap' | 'double' | 'unknown-parent' | 'other-parent' | 'cycle';
    readonly at: number;
    readonly other: number;
  }
  const act: fc.Arbitrary<Act> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('append' as const), at: fc.nat(), count: fc.integer({ min: 1, max: 3 }) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('edit' as const), at: fc.nat() }) },
    fc.record({ do: fc.constant('bookmark' as const), at: fc.nat() }),
    fc.record({ do: fc.constant('select' as const), at: fc.nat() }),
    fc.record({ do: fc.constant('delete' as const), at: fc.nat() }),
    fc.record({ do: fc.constant('purge' as const) }),
    fc.record({ do: fc.constant('undo' as const) }),
  );
  const wound: fc.Arbitrary<Wound> = fc.record({
    how: fc.constantFrom<Wound['how'][]>(
      'drop',
      'swap',
      'far-swap',
      'double',
      'unknown-parent',
      'other-parent',
      'cycle',
    ),
    at: fc.nat(),
    other: fc.nat(),
  });

  async function grown(acts: readonly Act[]): Promise<void> {
    const store = await SessionStore.open(folder);
    const fixture = await TestTree.make({ store, treeId: id });
    let said = 0;
    const next = () => `message number ${++said}.`;
    const nodes: NodeId[] = [];
    const pick = (at: number) => nodes[at % Math.max(1, nodes.length)];
    const forget = async () => {
      const rows = await askStore(store, id, 'rows', {});
      const live = new Set(rows?.nodes.filter((node) => node.removedIn === null).map((node) => node.id));
      nodes.splice(0, nodes.length, ...nodes.filter((node) => live.has(node)));
    };
    for (const one of acts) {
      if (one.do === 'purge') {
        await store.purge(id, { upTo: 1e6 });
        continue;
      }
      if (one.do === 'undo') {
        // An undo that would need purged messages is refused.
        if (nodes.length > 0)
          await fixture.run({ type: 'undo', treeId: id }).catch((error: unknown) => {
            if (!isAppError(error) || error.code !== 'undo/purged') throw error;
          });
        await forget();
        continue;
      }
      const target = pick(one.at);
      if (one.do === 'append') {
        const messages = Array.from({ length: one.count }, () => ({ message: user(next()) }));
        const { result } = await fixture.run({
          type: 'append',
          treeId: id,
          messages,
          ...(target === undefined ? {} : { parentId: target }),
        });
        nodes.push(result.nodeId);
      } else if (target === undefined) continue;
      else if (one.do === 'edit') {
        const { result } = await fixture.run({ type: 'edit', treeId: id, nodeId: target, content: next() });
        nodes.push(result.nodeId);
      } else if (one.do === 'bookmark')
        await fixture.run({ type: 'bookmark', treeId: id, nodeId: target, title: 'here' });
      else if (one.do === 'select') await fixture.run({ type: 'select', treeId: id, nodeId: target });
      else if (nodes.length > 3) {
        await fixture.run({
          type: 'delete',
          treeId: id,
          nodeIds: [target],
          mode: one.at % 2 === 0 ? 'cascade' : 'splice',
        });
        await forget();
      }
    }
    await fixture.addMessages(['the end of it.']);
    await store.close();
  }

  function damaged(lines: readonly string[], { how, at, other }: Wound): string[] {
    const index = at % lines.length;
    const second = how === 'swap' ? (index + 1) % lines.length : other % lines.length;
    const [line = '', another = ''] = [lines[index], lines[second]];
    const result = [...lines];
    switch (how) {
      case 'drop':
        return lines.filter((_, number) => number !== index);
      case 'swap':
      case 'far-swap':
        [result[index], result[second]] = [another, line];
        return result;
      case 'double':
        result.splice(second, 0, line);
        return result;
      default:
        if (parse(line)['type'] === 'session') return result;
        result[index] = withParent(line, how === 'unknown-parent' ? testUuid(4000 + other) : parse(another)['uuid']);
        // Both lines name each other as the parent.
        if (how === 'cycle' && parse(another)['type'] !== 'session' && second !== index)
          result[second] = withParent(another, parse(line)['uuid']);
        return result;
    }
  }

  /** Returns the lines without an incomplete last commit, which may never have been acknowledged. */
  function withoutUnfinished(lines: readonly string[]): Line[] {
    const all = lines.map(parse);
    const version = (line: Line | undefined) => (line?.['type'] === 'session' ? 0 : Number(line?.['version'] ?? 0));
    const complete = Math.max(0, ...all.filter((line) => line['commit'] === true).map(version));
    let end = all.length;
    while (version(all[end - 1]) > complete) end--;
    return all.slice(0, end);
  }

  /**
   * Creates a session, damages its file, and expects the message of every undamaged line in the tree and in search,
   * before and after a repair.
   */
  async function survives(acts: readonly Act[], wounds: readonly Wound[]): Promise<void> {
    rmSync(folder, { recursive: true, force: true });
    folder = mkdtempSync(join(tmpdir(), 'coppice-damaged-'));
    await grown(acts);
    const path = filesIn(folder)[0] ?? '';
    const whole = await SessionStore.open(folder);
    const before = new Map((await reachable(whole, id)).map((node) => [node.id as string, node.text]));
    await whole.close();
    const written = rawLines(path);
    const lines = wounds.reduce<string[]>(damaged, written);
    writeLines(path, lines);
    const left = new Set(
      withoutUnfinished(lines).flatMap((line) => (line['type'] === 'message' ? [String(line['uuid'])] : [])),
    );
    const wanted = [...before].filter(([uuid]) => left.has(uuid));
    const store = await SessionStore.open(folder);
    const [tree] = (await store.trees()).items;
    const of = tree?.id ?? id;
    // A line that has another parent now may have been deleted with that parent; then it is in the trash. A message is
    // in the trash too if its deletion is in the file, but the undo of the deletion is not.
    const kept = new Set(lines.map((line) => parse(line)['uuid']));
    const isUndoLost = written.some((line) => line.includes('"type":"restore"') && !kept.has(parse(line)['uuid']));
    const mayBeTrashed = isUndoLost || wounds.some(({ how }) => how === 'other-parent' || how === 'cycle');
    const check = async (): Promise<void> => {
      const found = new Map((await reachable(store, of)).map((node) => [node.id as string, node.text]));
      const rows = await askStore(store, of, 'rows', {});
      const trash = new Map(
        rows?.nodes.flatMap((node) => (node.removedIn === null ? [] : [[node.id as string, node.text]])),
      );
      for (const [uuid, text] of wanted) {
        if (mayBeTrashed && trash.get(uuid) === text) continue;
        expect(found.get(uuid), JSON.stringify(wounds)).toBe(text);
        const hits = (await store.search({ text })).items.map((hit) => hit.nodeId as string);
        expect(hits).toContain(uuid);
      }
    };
    await check();
    await store.fsck({ repair: true });
    await check();
    const errors = (await store.fsck()).findings.filter(({ severity }) => severity === 'error');
    expect(errors).toEqual([]);
    await store.close();
  }

  const add = (at: number, count = 1): Act => ({ do: 'append', at, count });

  test.each<[string, readonly Act[], Wound]>([
    [
      'the part of an append swapped with the part of an edit, before the message above them is deleted',
      [
        add(0),
        { do: 'bookmark', at: 0 },
        add(0),
        { do: 'edit', at: 0 },
        { do: 'select', at: 0 },
        add(825355270, 3),
        add(0),
        add(0, 2),
        { do: 'delete', at: 968138431 },
        { do: 'edit', at: 68969447 },
      ],
      { how: 'far-swap', at: 707953365, other: 109549679 },
    ],
    [
      'an undo before the deletion that it takes back',
      [add(0), add(0), add(1), add(2), { do: 'delete', at: 2 }, { do: 'undo' }],
      { how: 'swap', at: 6, other: 0 },
    ],
    [
      'a deletion with another number than the undo names',
      [add(0), { do: 'bookmark', at: 0 }, add(0), add(1), add(2), { do: 'delete', at: 2 }, { do: 'undo' }],
      { how: 'far-swap', at: 3, other: 9 },
    ],
    [
      'the rows of a purge after a commit that was written later',
      [add(0, 3), { do: 'undo' }, { do: 'purge' }, add(0), { do: 'bookmark', at: 0 }],
      { how: 'far-swap', at: 4, other: 7 },
    ],
  ])('[J46] leaves every message in place with %s', async (_, acts, damage) => {
    await survives(acts, [damage]);
  });

  test(
    '[J46] leaves every readable message in thread, search and store, and repair keeps it',
    async () => {
      const [acts, wounds] = [
        fc.array(act, { minLength: 3, maxLength: 12 }),
        fc.array(wound, { minLength: 1, maxLength: 2 }),
      ];
      await fc.assert(fc.asyncProperty(acts, wounds, survives), { numRuns: isLongRun ? 1500 : 40 });
    },
    isLongRun ? 900_000 : 60_000,
  );
});

describe('an altered message', () => {
  test.each<[string, (message: Line) => Line]>([
    ['with a tool call of a user', (message) => ({ ...message, content: [{ type: 'tool-use', id: 1, name: 'x' }] })],
    [
      'with a tool call without parameters',
      (message) => ({ role: 'assistant', ...message, content: [{ type: 'tool-use', id: 'a', name: 'x' }] }),
    ],
    ['with a text block without text', (message) => ({ ...message, content: [{ type: 'text' }] })],
    ['with an unknown role', (message) => ({ ...message, role: 'nobody' })],
    ['without content', (message) => ({ role: message['role'] })],
    ['with a block that is no object', (message) => ({ ...message, content: ['words'] })],
    ['of a user with a tool_call_id', (message) => ({ ...message, tool_call_id: 'a' })],
  ])('[J48] %s is found by the check, and repair keeps the altered text', async (_, alter) => {
    const path = await chain(five);
    const lines = rawLines(path).map((line) => {
      const entry = parse(line);
      if (!line.includes('the second')) return line;
      return JSON.stringify({ ...entry, message: alter(entry['message'] as Line) });
    });
    writeLines(path, lines);
    const store = await SessionStore.open(folder);
    const { findings } = await store.fsck();
    expect(findings.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toContain(
      'session-message',
    );
    expect((await thread(store)).length).toBe(5);
    await store.fsck({ repair: true });
    expect((await store.fsck()).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect((await thread(store)).length).toBe(5);
    await store.close();
  });
});
