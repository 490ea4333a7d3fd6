/** Tests author names and audio in logged calls. */
import type { JsonObject } from '@coppice/core';
import { describe, expect, it } from 'vitest';
import { exportStoredTrees, importIntoStore, type StoredImport, toImportInput } from '../conformance.ts';
import { readExportedTree } from '../exporting.ts';
import { findFormat } from '../formats.ts';
import { assembleChatCompletion } from './streams.ts';

const log = (...calls: readonly object[]) =>
  toImportInput({ 'log.jsonl': calls.map((call) => `${JSON.stringify(call)}\n`).join('') });
const call = (messages: readonly object[], message: object) => ({
  request: { model: 'm-x', messages },
  response: { object: 'chat.completion', model: 'm-x', choices: [{ index: 0, message, finish_reason: 'stop' }] },
});

async function nodesOf({ store, ids }: Pick<StoredImport, 'store' | 'ids'>) {
  const [id, ...others] = new Set(ids);
  if (id === undefined || others.length > 0) throw new Error('There is not one tree.');
  return (await store.read(id, () => readExportedTree(id))).nodes;
}

describe('logged calls', () => {
  it('[I172] keep the speaker: equal texts of two people are two messages, a reply sent again with a name is one', async () => {
    const ana = { role: 'user', name: 'Ana', content: 'Tea?' };
    const bo = { ...ana, name: 'Bo' };
    const said = { role: 'assistant', content: 'Yes.' };
    const found = { role: 'function', name: 'search', content: 'on hills' };
    const stored = await importIntoStore(
      log(call([ana], said), call([bo], said), call([ana, { ...said, name: 'Host' }, found], said)),
    );
    const nodes = await nodesOf(stored);
    expect(nodes.map(({ text, meta }) => [text, meta.customData ?? meta.source])).toMatchObject([
      ['Tea?', { name: 'Ana' }],
      ['Yes.', { type: 'model' }],
      ['Tea?', { name: 'Bo' }],
      ['Yes.', { type: 'model' }],
      ['on hills', { type: 'tool_result', tool_name: 'search' }],
      ['Yes.', { type: 'model' }],
    ]);
  });

  it('[I173] keep an audio reply with its transcript, and recognise it when its id is sent again', async () => {
    const audio = { id: 'audio_1', expires_at: 9, data: 'aGk=', transcript: 'Good morning.' };
    const ask = { role: 'user', content: 'Hello?' };
    const next = { role: 'user', content: 'And?' };
    const spoken = { role: 'assistant', content: null, audio };
    const again = { role: 'assistant', content: null, audio: { id: 'audio_1' } };
    const stored = await importIntoStore(
      log(call([ask], spoken), call([ask, again, next], { ...spoken, content: 'Bye.' })),
    );
    const nodes = await nodesOf(stored);
    expect(nodes.map(({ text }) => text)).toEqual([
      'Hello?',
      'Good morning.\n[audio]',
      'And?',
      'Bye.Good morning.\n[audio]',
    ]);
    const { transcript, ...sound } = audio;
    expect(nodes[1]?.message?.content).toEqual([
      { type: 'text', text: transcript },
      { ...sound, type: 'audio' },
    ]);
    const linear = findFormat('linear');
    if (linear === undefined) throw new Error('There is no such format.');
    const { files } = await exportStoredTrees(stored, linear);
    const [text = ''] = files.values();
    expect(JSON.parse(text).messages[1]).toEqual({ role: 'assistant', content: null, audio });
  });

  it('[I173] assemble an audio reply from pieces whose bytes are encoded separately', () => {
    const chunk = (piece: JsonObject): JsonObject => ({ model: 'm', choices: [{ index: 0, delta: { audio: piece } }] });
    const { choices } = assembleChatCompletion([
      chunk({ id: 'audio_1', transcript: 'Good ' }),
      chunk({ data: 'aA==', transcript: 'day.' }),
      chunk({ data: 'aQ==', expires_at: 9 }),
    ]);
    expect(choices).toMatchObject([
      { message: { audio: { id: 'audio_1', transcript: 'Good day.', data: 'aGk=', expires_at: 9 } } },
    ]);
  });
});
