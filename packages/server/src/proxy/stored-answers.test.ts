import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { AppError, ask, type Node, type Store } from '@coppice/core';
import { newId } from '@coppice/engine';
import { openStore } from '@coppice/stores';
import { afterEach, describe, expect, it } from 'vitest';
import { addCallToRecorder, toJsonBytes } from '../../test/recorded-calls.ts';
import type { WireKind } from './exchange.ts';
import { type CapturedResponse, Recorder, type RecorderOptions } from './recorder.ts';
import { readStreamEvents } from './stream-events.ts';
import { decompressResponse } from './waiting-call.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function recorderOn(store: Store, more: Partial<RecorderOptions> = {}): Recorder {
  const given = { storeOf: () => store, now: () => 1, newId: () => newId(), recording: true, costOf: () => null };
  return new Recorder({ ...given, ...more });
}

/** Returns a recorder whose store is unavailable. */
function openWaitingRecorder(spillFolder: string): Recorder {
  const storeOf = () => {
    throw new AppError({ code: 'store/unavailable', kind: 'unavailable', message: 'Away.' });
  };
  const given = { storeOf, now: () => 1, newId: () => newId(), recording: true, costOf: () => null };
  return new Recorder({ ...given, spillFolder });
}

async function nodesIn(store: Store): Promise<readonly Node[]> {
  const all: Node[] = [];
  for (const { id, rootId } of (await store.trees({})).items)
    all.push(...(await store.read(id, () => ask('subtree', { of: rootId }))).filter(({ kind }) => kind !== 'root'));
  return all;
}

function came(text: string | Uint8Array, more: Partial<CapturedResponse> = {}): CapturedResponse {
  const response = typeof text === 'string' ? Buffer.from(text) : text;
  const timing = { startedAt: 1, firstMs: 1, totalMs: 2 };
  return { provider: 'p', response, encoding: undefined, status: 200, cut: null, timing, ...more };
}

function streamed(...events: readonly object[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

const key = 'a/canary-of-the-client+42';
const pieces = ['It is a/can', 'ary-of', '-the-cli', 'ent+42!'];
const chatChunks = pieces.map((content, at) => ({
  choices: [{ index: 0, delta: { content }, finish_reason: at === 3 ? 'stop' : null }],
}));
const argumentPieces = ['{"say":"a/canary', '-of-the-client+42"}'].map((text, index) => ({
  choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: text } }] } }],
  index,
}));
const messageEvents = [
  { type: 'message_start', message: { id: 'm', role: 'assistant', content: [] } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ...pieces.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
  { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
];
const responseEvents = pieces.map((delta) => ({ type: 'response.output_text.delta', output_index: 0, delta }));
const escaped = JSON.stringify({ choices: [{ message: { content: `${key}!` }, finish_reason: 'stop' }] })
  .replaceAll('/', '\\/')
  .replace('canary', '\\u0063anary');
const nested = JSON.stringify({ say: key }).replaceAll('/', '\\/');
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: nested } };
const nestedCall = { choices: [{ message: { content: null, tool_calls: [call] }, finish_reason: 'tool_calls' }] };

const answers: readonly [WireKind, CapturedResponse][] = [
  ['chat', came(streamed(...chatChunks))],
  ['chat', came(gzipSync(streamed(...chatChunks)), { encoding: 'gzip' })],
  ['chat', came(streamed(...argumentPieces))],
  ['messages', came(streamed(...messageEvents))],
  ['responses', came(streamed(...responseEvents), { cut: 'service' })],
  ['chat', came(escaped)],
  ['chat', came(JSON.stringify(nestedCall))],
  ['chat', came('<p>kurz-42 is no key', {})],
];

describe('keys split into pieces', () => {
  it('[RP4] are in no file that a process without those keys reads', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-spill-'));
    folders.push(folder);
    const store = await openStore('memory:');
    const recorder = openWaitingRecorder(folder);
    const said = JSON.stringify({ messages: [{ role: 'user', content: `env: ${key}` }], input: `env: ${key}` });
    for (const [wire, answer] of answers) {
      const request = Buffer.from(said.replaceAll('/', '\\/'));
      recorder.enter({ owner: 'local', project: 'p', wire, secrets: [key, 'kurz-42'], request }).finish(answer);
    }
    await recorder.close(10);
    const [left = ''] = readdirSync(folder);
    renameSync(join(folder, left), join(folder, '999999999-left'));
    const next = recorderOn(store, { spillFolder: folder });
    next.resume();
    await next.idle();
    expect(next.state.recorded).toBe(answers.length);
    const nodes = await nodesIn(store);
    const kept = JSON.stringify(nodes);
    for (const part of ['canary', 'ary-of', 'kurz-42']) expect(kept).not.toContain(part);
    const texts = nodes.flatMap(({ role, text }) => (role === 'assistant' && text !== '' ? [text] : []));
    expect(texts.filter((text) => text === 'It is [key …t+42]!')).toHaveLength(4);
    expect(texts).toContain('[key …t+42]!');
    expect(kept.match(/"say":"\[key …t\+42\]"/g)).toHaveLength(2);
    expect(nodes.find(({ role }) => role === 'user')?.text).toBe('env: [key …t+42]');
    await next.close();
  });

  it('[RP4] are not in a file in another spelling either, if the process knows them', async () => {
    const store = await openStore('memory:');
    const recorder = recorderOn(store);
    for (const [wire, answer] of answers) {
      const request = toJsonBytes({ messages: [{ role: 'user', content: 'Hi' }], input: 'Hi' });
      recorder.enter({ owner: 'local', project: 'p', wire, secrets: [key, 'kurz-42'], request }).finish(answer);
    }
    await recorder.idle();
    const kept = JSON.stringify(await nodesIn(store));
    for (const part of ['canary', 'ary-of', 'kurz-42']) expect(kept).not.toContain(part);
  });

  it('[RP4] a stored overflow file without a key is read unchanged', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-spill-'));
    folders.push(folder);
    const recorder = openWaitingRecorder(folder);
    const text = streamed({ choices: [{ index: 0, delta: { content: 'Hello!' }, finish_reason: 'stop' }] });
    addCallToRecorder(recorder, 'Hi').finish(came(text));
    await recorder.close(10);
    const [left = ''] = readdirSync(folder);
    const [file = ''] = readdirSync(join(folder, left));
    expect(readFileSync(join(folder, left, file), 'utf8').endsWith(text)).toBe(true);
  });
});

describe('responses that cannot be parsed', () => {
  it('[RP5] are recorded by their beginning', async () => {
    const store = await openStore('memory:');
    const recorder = recorderOn(store);
    for (const text of ['{"choices":null}', '[1,2]', 'event: ping\n\n', '<p>Sign in'])
      addCallToRecorder(recorder, 'Hi').finish(came(text));
    await recorder.idle();
    const reported = (await nodesIn(store)).flatMap(({ meta }) => meta['error'] ?? []);
    expect(reported).toMatchObject([
      { message: '{"choices":null}' },
      { message: '[1,2]' },
      { message: 'event: ping\n\n' },
      { message: '<p>Sign in' },
    ]);
  });
});

describe('responses that are nested too deeply', () => {
  it('[RP5] are recorded by their beginning, and delay no other call', async () => {
    const store = await openStore('memory:');
    const recorder = recorderOn(store);
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const document = `{"choices":[{"message":{"role":"assistant","content":[{"type":"x","y":${deep}}]}}]}`;
    for (const text of [document, streamed({ choices: [] }).replace('[]', deep)])
      addCallToRecorder(recorder, 'Hi').finish(came(text));
    await recorder.idle();
    expect([recorder.state.failed, recorder.state.recorded]).toEqual([0, 2]);
    const reported = (await nodesIn(store)).flatMap(({ meta }) => meta['error'] ?? []);
    expect(reported).toMatchObject([
      { message: document.slice(0, 2_000) },
      { message: expect.stringMatching(/^data: /) },
    ]);
  });
});

describe('long responses', () => {
  it('[RP20] are read with the pieces of each text joined, wherever their lines end', async () => {
    const say = (content: string) => ({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: null }] });
    const long = 'y'.repeat(600_000);
    const lines = [say('a'), say('é'), say(long), { choices: [], usage: { total_tokens: 3 } }, say('z')];
    for (const end of ['\n', '\r\n', '\r']) {
      const text = lines.map((event) => `: note${end}data: ${JSON.stringify(event)}${end}${end}`).join('');
      expect(await readStreamEvents('chat', Buffer.from(`\ufeff${text}data: {"cut`))).toEqual([
        say(`aé${long}`),
        { choices: [], usage: { total_tokens: 3 } },
        say('z'),
      ]);
    }
  });

  it('[RP20] of 15 MB are recorded completely', async () => {
    const pieces = Array.from({ length: 15 }, (_, at) => {
      const choice = { index: 0, delta: { content: `${at} ` }, finish_reason: at === 14 ? 'stop' : null };
      return Buffer.from(streamed({ obfuscation: 'x'.repeat(1_000_000), choices: [choice] }));
    });
    const store = await openStore('memory:');
    const recorder = recorderOn(store);
    const ticket = addCallToRecorder(recorder, 'Count.');
    expect(pieces.every((piece) => ticket.keep(piece.byteLength))).toBe(true);
    ticket.finish(came(Buffer.concat(pieces)));
    await recorder.idle();
    const [, reply] = await nodesIn(store);
    expect([reply?.status, reply?.text]).toEqual(['success', pieces.map((_, at) => `${at} `).join('')]);
  });

  it('[RP20] past the limit keep their beginning, and are marked as cut by Coppice and not by the service', async () => {
    const store = await openStore('memory:');
    const recorder = recorderOn(store, { answerBytes: 200 });
    const ticket = addCallToRecorder(recorder, 'Hi');
    expect([ticket.keep(150), ticket.keep(100)]).toEqual([true, false]);
    const begun = streamed({ choices: [{ index: 0, delta: { content: 'So far' }, finish_reason: null }] });
    ticket.finish(came(begun, { cut: 'limit' }));
    addCallToRecorder(recorder, 'Hi').finish(came('{"choices":[{"mess', { cut: 'limit' }));
    await recorder.idle();
    const replies = (await nodesIn(store)).filter(({ role }) => role !== 'user');
    expect(replies.map(({ text, status }) => [text, status])).toEqual([
      ['So far', 'interrupted'],
      ['', 'interrupted'],
    ]);
    for (const { meta } of replies) expect(meta['error']).toMatchObject({ code: 'proxy/answer-too-long' });
  });

  it('[RP20] that unpack to more than the limit are read up to it', async () => {
    const text = `data: begun\n\n:${'x'.repeat(100_000)}`;
    for (const [encoding, response] of [
      ['gzip', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['br', brotliCompressSync(text)],
    ] as const) {
      const { bytes, cut } = await decompressResponse('chat', came(response, { encoding }), 2_000);
      expect([encoding, cut, Buffer.from(bytes).toString()]).toEqual([encoding, 'limit', text.slice(0, 2_000)]);
      const whole = await decompressResponse('chat', came(response, { encoding }));
      expect([whole.cut, whole.bytes.byteLength]).toEqual([null, text.length]);
    }
  });
});
