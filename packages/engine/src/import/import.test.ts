import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type ImportInput, type ImportReport, wrapBytesAsFile } from '@coppice/content/formats';
import { ask, type NodeId, run, type Store, type TreeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runContextOf } from '../service.ts';
import { exportFrom } from './export-from.ts';
import { type ImportIntoEvent, type ImportIntoOptions, importInto } from './import-into.ts';

const say = (role: string, content: string) => ({ role, content });

function inputOf(value: unknown, name = 'chats.json'): ImportInput {
  return { files: [wrapBytesAsFile(name, Buffer.from(JSON.stringify(value)))] };
}

const two = [
  { id: 'a', title: 'Tea', messages: [say('system', 'Be brief.'), say('user', 'Which?'), say('assistant', 'Green.')] },
  { id: 'b', messages: [say('user', 'Hello'), say('assistant', '')] },
];

/** More short conversations than are stored together. */
const many = Array.from({ length: 30 }, (_, at) => ({
  id: `c${at}`,
  messages: [say('user', `Question ${at}`), say('assistant', `Answer ${at}`)],
}));

let place = '';
let store: Store;

async function imported(input: ImportInput, options: ImportIntoOptions = {}) {
  const events: ImportIntoEvent[] = [];
  for await (const event of importInto(store, input, { now: () => 1_790_000_000_000, ...options })) events.push(event);
  const last = events.at(-1);
  if (last?.type !== 'report') throw new Error('The report is not last.');
  const { conversations, records } = last.report;
  for (const tally of [conversations, records]) expect(tally.read).toBe(tally.stored + tally.merged + tally.rejected);
  return { events, report: last.report };
}

function treesOf(events: readonly ImportIntoEvent[]): TreeId[] {
  return events.flatMap((event) => (event.type === 'conversation' ? [event.treeId] : []));
}

async function rowsOf(id: TreeId | undefined) {
  const rows = id === undefined ? null : await store.read(id, () => ask('rows', {}));
  if (rows === null) throw new Error('There is no tree.');
  return rows;
}

async function written(format: string): Promise<{ readonly text: string; readonly report: unknown }> {
  let text = '';
  let report: unknown;
  for await (const event of exportFrom(store, { format, now: () => 0 })) {
    if (event.type === 'text') text += event.text;
    if (event.type === 'report') ({ report } = event);
  }
  return { text, report };
}

const tally = ({ conversations, records }: ImportReport) => [
  [conversations.read, conversations.stored, conversations.merged, conversations.rejected],
  [records.read, records.stored, records.merged, records.rejected],
];

describe.each(['memory', 'sqlite'])('an import into %s', (kind) => {
  beforeEach(async () => {
    place = mkdtempSync(join(tmpdir(), 'coppice-import-'));
    store = await openStore(kind === 'memory' ? 'memory:' : `sqlite:${join(place, 'trees.db')}`);
  });
  afterEach(async () => {
    await store.close();
    rmSync(place, { recursive: true });
  });

  test('[IM1] makes one commit per conversation and reports each, with a final report', async () => {
    const { events, report } = await imported(inputOf(two));
    expect(events[0]).toEqual({ type: 'format', name: 'linear', label: 'Message list' });
    expect(tally(report)).toEqual([
      [2, 2, 0, 0],
      [5, 5, 0, 0],
    ]);
    for (const id of treesOf(events)) expect((await rowsOf(id)).row.version).toBe(1);
    expect((await store.trees()).items.map((tree) => tree.attributes.title)).toContain('Tea');
  });

  test('[IM2] adds nothing when repeated; a later export adds new messages below the existing ones', async () => {
    const first = await imported(inputOf(two));
    const again = await imported(inputOf(two));
    expect(tally(again.report)).toEqual([
      [2, 0, 2, 0],
      [5, 0, 5, 0],
    ]);
    const [a] = treesOf(first.events);
    const messages = [...(two[0]?.messages ?? []), say('user', 'Thanks.')];
    const later = await imported(inputOf([{ ...two[0], messages }]));
    expect(tally(later.report)).toEqual([
      [1, 0, 1, 0],
      [4, 1, 3, 0],
    ]);
    expect((await rowsOf(a)).nodes.length).toBe(4);
    expect((await store.findExternalIds('linear', '', ['a'])).map((one) => one.treeId)).toEqual([a]);
  });

  test('[IM15] of a long conversation lets other work run in between, which sees all of it or nothing', async () => {
    const messages = Array.from({ length: 1200 }, (_, at) => say(at % 2 === 0 ? 'user' : 'assistant', `Line ${at}`));
    const importing = imported(inputOf([{ id: 'long', messages }]));
    let over = false;
    void importing.then(() => {
      over = true;
    });
    const seen = new Set<number>();
    let turns = 0;
    for (; !over; turns++) {
      for (const { id } of (await store.trees()).items) seen.add((await rowsOf(id)).nodes.length);
      await setImmediate();
    }
    expect(turns).toBeGreaterThan(3);
    expect([...seen].every((nodes) => nodes === 1201)).toBe(true);
    const [id] = treesOf((await importing).events);
    expect((await rowsOf(id)).nodes.length).toBe(1201);
    expect((await store.fsck()).findings).toEqual([]);
  });

  const conversation = (...lines: readonly string[]) => ({
    id: 'a',
    messages: lines.map((line, at) => say(at % 2 === 0 ? 'user' : 'assistant', line)),
  });

  test('[IM10] names messages that changed at the source, keeps ours, and adds new ones', async () => {
    const { events } = await imported(inputOf([conversation('Which?', 'Green.', 'Why?')]));
    const [a] = treesOf(events);
    for (const dryRun of [true, false]) {
      const { report } = await imported(inputOf([conversation('Which?', 'White.', 'Why?', 'Taste.')]), { dryRun });
      expect(tally(report)).toEqual([
        [1, 0, 1, 0],
        [4, 1, 3, 0],
      ]);
      expect(report.counts).toEqual({ 'import/differs': 1 });
      expect(report.findings).toMatchObject([{ code: 'import/differs', severity: 'loss', rejected: 0 }]);
      expect(report.findings[0]?.place).toContain('messages[1]');
      expect(report.findings[0]?.message).toContain('its text at the source has changed');
      expect(report.findings[0]?.message).not.toContain('edited here');
    }
    const said = (await rowsOf(a)).nodes.map((node) => node.text);
    expect(said).toEqual(['', 'Which?', 'Green.', 'Why?', 'Taste.']);
    expect((await rowsOf(a)).row.version).toBe(2);
  });

  test('[IM10] reports changes on both sides, and nothing if only ours changed or both are equal', async () => {
    const { events } = await imported(inputOf([conversation('Which?', 'Green.')]));
    const [a] = treesOf(events);
    const [, first, second] = (await rowsOf(a)).nodes;
    if (a === undefined || first === undefined || second === undefined) throw new Error('There is no tree.');
    const edit = { type: 'edit', treeId: a, nodeId: second.id, content: 'Black.', mode: 'in-place' } as const;
    await run(store, edit, runContextOf(store, {}));
    expect((await imported(inputOf([conversation('Which?', 'Green.')]))).report.counts).toEqual({});
    expect((await imported(inputOf([conversation('Which?', 'Black.')]))).report.counts).toEqual({});
    const { report } = await imported(inputOf([conversation('Which?', 'White.')]));
    expect(report.findings.map(({ code }) => code)).toEqual(['import/differs']);
    expect(report.findings[0]?.message).toContain('it was edited here');
    expect((await rowsOf(a)).nodes.map((node) => node.text)).toEqual(['', 'Which?', 'Black.']);
    // Importing again does not restore a message that the user deleted.
    await run(store, { type: 'delete', treeId: a, nodeIds: [second.id] }, runContextOf(store, {}));
    expect((await imported(inputOf([conversation('Which?', 'White.')]))).report.counts).toEqual({});
  });

  test('[IM10] only notes differences besides the text, whatever the order of keys', async () => {
    const noted = (record: object) => [{ id: 'a', messages: [{ ...say('user', 'Which?'), ...record }] }];
    await imported(inputOf(noted({ mark: { a: 1, b: 2 } })));
    expect((await imported(inputOf(noted({ mark: { b: 2, a: 1 } })))).report.counts).toEqual({});
    const { report } = await imported(inputOf(noted({ mark: { a: 1, b: 3 } })));
    expect(report.findings).toMatchObject([{ code: 'import/differs', severity: 'note' }]);
    expect(report.findings[0]?.message).toContain('only its other data has changed');
  });

  test('[IM10] only notes files that were present the first time and are missing now', async () => {
    const asset = { content_type: 'image_asset_pointer', asset_pointer: 'sediment://file_1' };
    const message = { author: { role: 'user' }, content: { content_type: 'multimodal_text', parts: [asset, 'See'] } };
    const first = { author: { role: 'user' }, content: { content_type: 'text', parts: ['First'] } };
    const mapping = { p: { id: 'p', parent: null, message: first }, a: { id: 'a', parent: 'p', message } };
    const { files } = inputOf([{ id: 'c', current_node: 'a', mapping }]);
    const picture = wrapBytesAsFile('file_1.png', Buffer.from('89504e470d0a1a0a', 'hex'));
    const [id] = treesOf((await imported({ files: [...files, picture] })).events);
    const differing = async (input: ImportInput) =>
      (await imported(input)).report.findings.filter(({ code }) => code === 'import/differs');
    expect(await differing({ files })).toMatchObject([{ severity: 'note' }]);
    const above = (await rowsOf(id)).nodes.find((node) => node.text === 'First');
    if (id === undefined || above === undefined) throw new Error('There is no tree.');
    await run(store, { type: 'delete', treeId: id, nodeIds: [above.id] }, runContextOf(store, {}));
    const { text } = await written('chatgpt');
    expect(await differing(inputOf(JSON.parse(text)))).toMatchObject([{ severity: 'note' }]);
  });

  test('[IM10] of an archive names the messages whose text differs here', async () => {
    const { events } = await imported(inputOf([conversation('Which?', 'Green.')]));
    const [a] = treesOf(events);
    if (a === undefined) throw new Error('There is no tree.');
    const { text } = await written('archive');
    const input = { files: [wrapBytesAsFile('a', Buffer.from(text))] };
    expect((await imported(input)).report.counts).toEqual({});
    const [, , second] = (await rowsOf(a)).nodes;
    if (second === undefined) throw new Error('There is no reply.');
    const edit = { type: 'edit', treeId: a, nodeId: second.id, content: 'Black.', mode: 'in-place' } as const;
    await run(store, edit, runContextOf(store, {}));
    const { report } = await imported(input);
    expect(report.findings).toMatchObject([{ code: 'import/differs', severity: 'loss' }]);
    expect((await rowsOf(a)).nodes.map((node) => node.text)).toEqual(['', 'Which?', 'Black.']);
  });

  test('[IM14] that could not write external ids writes them later, and reports everything', async () => {
    let asked = 0;
    const shaky: Store = Object.create(store, {
      putExternalIds: {
        value: (names: Parameters<Store['putExternalIds']>[0]) =>
          asked++ === 0 ? Promise.reject(new Error('busy')) : store.putExternalIds(names),
      },
      owner: { value: store.owner },
      read: { value: store.read.bind(store) },
      change: { value: store.change.bind(store) },
      blobs: { value: store.blobs },
      externalIdsOf: { value: store.externalIdsOf.bind(store) },
    });
    const events: ImportIntoEvent[] = [];
    for await (const event of importInto(shaky, inputOf(many))) events.push(event);
    const trees = treesOf(events);
    const counts: number[] = [];
    for (const id of trees) counts.push((await store.externalIdsOf(id)).length);
    expect(counts).toEqual(many.map(() => 3));
    expect(asked).toBeGreaterThan(1);
  });

  test('[IM3] interrupted between a commit and its external ids is completed by the next one', async () => {
    const broken: Store = Object.create(store, {
      putExternalIds: { value: () => Promise.reject(new Error('power cut')) },
      owner: { value: store.owner },
      read: { value: store.read.bind(store) },
      change: { value: store.change.bind(store) },
      blobs: { value: store.blobs },
      externalIdsOf: { value: store.externalIdsOf.bind(store) },
    });
    const whole = async () => {
      for await (const _ of importInto(broken, inputOf(two)));
    };
    await expect(whole()).rejects.toThrow('power cut');
    const { report, events } = await imported(inputOf(two));
    expect(tally(report)).toEqual([
      [2, 0, 2, 0],
      [5, 0, 5, 0],
    ]);
    const [a] = treesOf(events);
    if (a === undefined) throw new Error('There is no tree.');
    expect((await store.externalIdsOf(a)).length).toBe(3);
  });

  test('[IM4] strict refuses the whole input if a part of it had to be repaired, and stores nothing', async () => {
    const flawed = [two[0], { id: 'c', messages: [say('user', 'x'), 7] }];
    await expect(imported(inputOf(flawed), { strict: true })).rejects.toMatchObject({ code: 'import/strict' });
    expect((await store.trees()).items).toEqual([]);
    const { report } = await imported(inputOf(flawed));
    expect(tally(report)[1]).toEqual([5, 4, 0, 1]);
    expect(report.counts).toEqual({ 'import/record-unreadable': 1 });
    await imported(inputOf(two), { strict: true });
  });

  test('[IM5] as a dry run reports what would happen, and stores nothing', async () => {
    const dry = await imported(inputOf(two), { dryRun: true });
    expect((await store.trees()).items).toEqual([]);
    const real = await imported(inputOf(two));
    expect({ ...dry.report, dryRun: false }).toEqual(real.report);
    expect(tally((await imported(inputOf(two), { dryRun: true })).report)[0]).toEqual([2, 0, 2, 0]);
  });

  test('[IM12] of a log makes the end of its last call active, unless the user went elsewhere since', async () => {
    const said = ['Which?', 'Green.', 'Why?', 'Taste.'].map((line, at) =>
      say(at % 2 === 0 ? 'user' : 'assistant', line),
    );
    const call = (count: number) => ({
      request: { model: 'm-x', messages: said.slice(0, count) },
      response: { id: `r${count}`, object: 'chat.completion', choices: [{ index: 0, message: said[count] }] },
    });
    const log = (...counts: readonly number[]) => ({
      files: [
        wrapBytesAsFile('log.jsonl', Buffer.from(counts.map((count) => `${JSON.stringify(call(count))}\n`).join(''))),
      ],
    });
    const { events } = await imported(log(1, 3));
    const [a] = treesOf(events);
    const textAtPointer = async () => {
      const { row, nodes } = await rowsOf(a);
      return nodes.find((node) => node.id === row.activeNodeId)?.text;
    };
    expect(await textAtPointer()).toBe('Taste.');
    const first = (await rowsOf(a)).nodes.find((node) => node.text === 'Which?');
    if (a === undefined || first === undefined) throw new Error('There is no tree.');
    await run(store, { type: 'select', treeId: a, nodeId: first.id }, runContextOf(store, {}));
    await imported(log(1, 3));
    expect(await textAtPointer()).toBe('Which?');
  });

  test('[IM6] leaves a conversation in the trash unchanged, and reports it', async () => {
    const { events } = await imported(inputOf([two[0]]));
    const [a] = treesOf(events);
    if (a === undefined) throw new Error('There is no tree.');
    await run(store, { type: 'delete-tree', treeId: a }, runContextOf(store, {}));
    const messages = [...(two[0]?.messages ?? []), say('user', 'Thanks.')];
    for (const dryRun of [true, false]) {
      const { report } = await imported(inputOf([{ ...two[0], messages }]), { dryRun });
      expect(tally(report)[0]).toEqual([1, 0, 0, 1]);
      expect(report.counts).toEqual({ 'import/in-trash': 1 });
    }
  });

  test('[IM6] reports a conversation in the trash also if it has nothing new', async () => {
    const { events } = await imported(inputOf([two[0]]));
    const [a] = treesOf(events);
    if (a === undefined) throw new Error('There is no tree.');
    await run(store, { type: 'delete-tree', treeId: a }, runContextOf(store, {}));
    for (const dryRun of [true, false]) {
      const { report } = await imported(inputOf([two[0]]), { dryRun });
      expect(tally(report)[0]).toEqual([1, 0, 1, 0]);
      expect(report.counts).toEqual({ 'import/in-trash': 1 });
    }
  });

  test('[IM7] can be stopped between conversations; imported ones stay complete', async () => {
    const stop = new AbortController();
    const stopped = async () => {
      for await (const event of importInto(store, inputOf(many), { signal: stop.signal }))
        if (event.type === 'conversation') stop.abort();
    };
    await expect(stopped()).rejects.toMatchObject({ code: 'import/aborted', kind: 'aborted' });
    const { items } = await store.trees({ limit: 100 });
    expect(items.length).toBeGreaterThan(0);
    expect(items.length).toBeLessThan(many.length);
    // The root and two messages.
    for (const { id } of items) expect((await rowsOf(id)).nodes.length).toBe(3);
  });

  test('[IM20] begins the commits of short conversations together, and reports them in the order of the input', async () => {
    let running = 0;
    let most = 0;
    const counting: Store = Object.create(store, {
      change: {
        value: async (...given: Parameters<Store['change']>) => {
          most = Math.max(most, ++running);
          return store.change(...given).finally(() => running--);
        },
      },
      putExternalIds: { value: store.putExternalIds.bind(store) },
      owner: { value: store.owner },
      read: { value: store.read.bind(store) },
      blobs: { value: store.blobs },
      externalIdsOf: { value: store.externalIdsOf.bind(store) },
    });
    // The tenth conversation is contained twice, and its second part has to wait for the first.
    const input = many.with(12, {
      ...many[9],
      id: 'c9',
      messages: [...(many[9]?.messages ?? []), say('user', 'More')],
    });
    const titles: (string | null)[] = [];
    const added: number[] = [];
    for await (const event of importInto(counting, inputOf(input))) {
      if (event.type !== 'conversation') continue;
      titles.push(event.title);
      added.push(event.added);
    }
    expect(most).toBeGreaterThan(5);
    expect(titles).toEqual(input.map(({ messages }) => messages[0]?.content));
    expect(added).toEqual(input.map((_, at) => (at === 12 ? 1 : 2)));
  });

  test('[IM8] is written back by an export of everything, or of the thread to one message', async () => {
    const { events } = await imported(inputOf([two[0]]));
    const { text } = await written('linear');
    expect(JSON.parse(text)).toEqual(two[0]);
    const [a] = treesOf(events);
    const rows = await rowsOf(a);
    const first: NodeId | undefined = rows.nodes[1]?.id;
    let path = '';
    if (a === undefined || first === undefined) throw new Error('There is no tree.');
    const selection = { what: 'path', nodeId: first } as const;
    for await (const event of exportFrom(store, { format: 'linear', trees: [a], selection }))
      if (event.type === 'text') path += event.text;
    expect(JSON.parse(path).messages).toEqual(two[0]?.messages.slice(0, 2));
    await expect(written('no-such-format')).rejects.toMatchObject({ code: 'import/unknown-format' });
  });

  test('[IM9] of an archive restores everything in another store, and with other ids for another owner', async () => {
    const context = runContextOf(store, {});
    const { events } = await imported(inputOf(two));
    const [a, b] = treesOf(events);
    if (a === undefined || b === undefined) throw new Error('There are no trees.');
    const { hash } = await store.blobs.put(Buffer.from('picture'), 'image/png');
    const image = { type: 'image', mediaType: 'image/png', source: { type: 'blob', hash, size: 7 } };
    const message = { role: 'user' as const, content: [image] };
    const { result } = await run(store, { type: 'append', treeId: a, messages: [{ message }] }, context);
    await run(store, { type: 'bookmark', treeId: a, nodeId: result.nodeId, title: 'here' }, context);
    await run(store, { type: 'delete-tree', treeId: b }, context);
    let archive = '';
    for await (const event of exportFrom(store, { format: 'archive', trashed: true }))
      if (event.type === 'text') archive += event.text;
    const input = { files: [wrapBytesAsFile('a', Buffer.from(archive))] };

    const other = await openStore('memory:');
    const restore = async (into: Store) => {
      const made: ImportIntoEvent[] = [];
      for await (const event of importInto(into, input)) made.push(event);
      return treesOf(made);
    };
    expect(await restore(other)).toEqual([a, b]);
    expect((await other.trees()).items.map((tree) => tree.id)).toEqual([a]);
    expect((await other.trees({ trashed: true })).items.map((tree) => tree.id)).toEqual([b]);
    expect(Buffer.from((await other.blobs.read(hash)) ?? []).toString()).toBe('picture');
    const live = (rows: Awaited<ReturnType<typeof rowsOf>>) =>
      rows.nodes.map(({ id, parentId, position, message: said, meta, createdAt }) => ({
        id,
        parentId,
        position,
        said,
        meta,
        createdAt,
      }));
    const back = await other.read(a, () => ask('rows', {}));
    if (back === null) throw new Error('There is no tree.');
    const forgetRoot = (rows: typeof back) => live(rows).filter((node) => node.parentId !== null);
    expect(forgetRoot(back)).toEqual(forgetRoot(await rowsOf(a)));
    expect(back.bookmarks).toEqual((await rowsOf(a)).bookmarks);
    expect(back.row.activeNodeId).toBe(result.nodeId);
    expect(await other.externalIdsOf(a)).toEqual(await store.externalIdsOf(a));
    await other.close();

    const ours = store.owner;
    const theirs = store.forOwner('somebody-else');
    const copies = await restore(theirs);
    expect(copies.length).toBe(2);
    for (const id of copies) expect([a, b]).not.toContain(id);
    expect(store.owner).toBe(ours);
    expect((await theirs.trees()).items.map((tree) => tree.attributes.title)).toEqual(['Tea']);
  });
});

describe.each(['memory:'])('an import that follows a session at work, in %s', (url) => {
  beforeEach(async () => {
    store = await openStore(url);
  });
  afterEach(() => store.close());

  const time = '2026-01-02T03:04:05.000Z';
  const meta = { timestamp: time, type: 'session_meta', payload: { id: 's', timestamp: time } };
  const item = (payload: object) => ({ timestamp: time, type: 'response_item', payload });
  const spoken = (role: string, text: string) =>
    item({ type: 'message', role, content: [{ type: `${role === 'user' ? 'in' : 'out'}put_text`, text }] });
  const call = item({ type: 'function_call', name: 'ls', arguments: '{}', call_id: 'c' });
  const result = item({ type: 'function_call_output', call_id: 'c', output: 'a.ts' });
  const session = (...lines: readonly object[]) => ({
    files: [
      wrapBytesAsFile('s.jsonl', Buffer.from([meta, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''))),
    ],
  });
  const textsIn = async (id: TreeId | undefined) =>
    (await rowsOf(id)).nodes.filter((node) => node.kind === 'message').map((node) => node.text);
  const treeOf = async (id: TreeId | undefined) => (id === undefined ? null : store.read(id, () => ask('tree', {})));

  test('[IM18] takes new messages, tool calls included, and moves the active node along', async () => {
    const begun = await imported(session(spoken('user', 'List'), spoken('assistant', 'Let')), { follow: true });
    const [id] = treesOf(begun.events);
    const grown = [spoken('user', 'List'), spoken('assistant', 'Let'), spoken('assistant', ' me.'), call];
    const { report } = await imported(session(...grown), { follow: true });
    expect(report.counts['import/differs']).toBe(undefined);
    expect(await textsIn(id)).toEqual(['List', 'Let me.\nls({})']);
    await imported(session(...grown, result), { follow: true });
    const row = await treeOf(id);
    expect((await rowsOf(id)).nodes.find((node) => node.id === row?.activeNodeId)?.text).toBe('a.ts');
    await imported(session(...grown, result), { follow: true });
    expect((await treeOf(id))?.version).toBe(row?.version);
  });

  test('[IM18] leaves edited messages and the position of a user who went elsewhere unchanged', async () => {
    const { events } = await imported(session(spoken('user', 'List'), spoken('assistant', 'Let')), { follow: true });
    const [id] = treesOf(events);
    const [first, last] = (await rowsOf(id)).nodes.filter((node) => node.kind === 'message');
    if (id === undefined || first === undefined || last === undefined) throw new Error('It is not there.');
    const context = runContextOf(store, {});
    await run(store, { type: 'edit', treeId: id, nodeId: last.id, content: 'Mine', mode: 'in-place' }, context);
    const messages = [{ message: { role: 'user' as const, content: [{ type: 'text', text: 'Aside' }] } }];
    await run(store, { type: 'append', treeId: id, parentId: first.id, messages }, context);
    const lines = [
      spoken('user', 'List'),
      spoken('assistant', 'Let'),
      spoken('assistant', ' me.'),
      spoken('user', 'Go on'),
    ];
    const { report } = await imported(session(...lines), { follow: true });
    expect(report.counts['import/differs']).toBe(1);
    const { nodes } = await rowsOf(id);
    expect(nodes.find((node) => node.id === last.id)?.text).toBe('Mine');
    const row = await treeOf(id);
    expect(nodes.find((node) => node.id === row?.activeNodeId)?.text).toBe('Aside');
    expect(await textsIn(id)).toContain('Go on');
  });
});
