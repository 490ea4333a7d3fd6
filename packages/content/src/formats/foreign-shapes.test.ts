// Tests inputs that a reader could mistake for its own format: lists whose messages name their parents, mappings of
// other programs, messages with text in unknown fields.
import { isAppError, type Json } from '@coppice/core';
import { describe, expect, it } from 'vitest';
import { importIntoStore, toImportInput } from './conformance.ts';
import { formats } from './formats.ts';
import { openInput, readSample } from './input.ts';
import { guessFormats } from './read.ts';

const chain = (link: (at: number) => object) =>
  ['Which tea?', 'Green.', 'Why?', 'It is mild.'].map((content, at) => ({
    id: `m${at}`,
    role: at % 2 === 0 ? 'user' : 'assistant',
    content,
    ...link(at),
  }));

/** Lists of messages that are trees: each message names its parent, its children or its other versions. */
const linked: { readonly [name: string]: Json } = {
  parent: chain((at) => ({ parent: at === 0 ? null : `m${at - 1}` })),
  parentId: chain((at) => ({ parentId: at === 0 ? null : `m${at - 1}` })),
  'parent_id in the last message alone': chain((at) => (at === 3 ? { parent_id: 'm0' } : {})),
  'parentID of null': chain(() => ({ parentID: null })),
  parentMessageId: chain((at) => ({ parentMessageId: `m${at - 1}` })),
  'children without parents': chain((at) => ({ children: at === 3 ? [] : [`m${at + 1}`] })),
  childrenIds: chain(() => ({ childrenIds: [] })),
  versions: chain(() => ({ versions: [{ text: 'Black.' }] })),
  'replies in replies': chain((at) => (at === 1 ? { replies: [{ role: 'user', content: 'And black?' }] } : {})),
  branches: chain((at) => (at === 0 ? { branches: [[{ role: 'assistant', content: 'Black.' }]] } : {})),
  replyTo: chain((at) => ({ replyTo: at === 0 ? null : 'm0' })),
  in_reply_to_id: chain((at) => (at === 0 ? {} : { in_reply_to_id: 'm0' })),
  previous_message_id: chain((at) => ({ previous_message_id: at === 0 ? null : 'm0' })),
  nextId: chain(() => ({ nextId: 'm3' })),
  'an unknown field with the id of another message': chain((at) => ({
    id: `message-${at}`,
    follows: at === 3 ? 'message-0' : null,
  })),
  'a list of ids in an unknown field': chain((at) => ({
    id: `message-${at}`,
    below: at === 0 ? ['message-1', 'message-3'] : [],
  })),
};

/** Returns the same list in every wrapper that a list of messages may have. */
function wrapped(messages: Json): { readonly [name: string]: string } {
  return {
    bare: JSON.stringify(messages),
    object: JSON.stringify({ title: 'Tea', messages }),
    'object with a model': JSON.stringify({ model: 'm-x', messages }),
    list: JSON.stringify([{ title: 'Tea', messages }]),
    history: JSON.stringify({ version: 4, history: [{ id: 'h', name: 'Tea', messages }] }),
    lines: Array.isArray(messages) ? messages.map((one) => `${JSON.stringify(one)}\n`).join('') : '',
    'conversations by line': `${JSON.stringify({ messages })}\n${JSON.stringify({ messages })}\n`,
  };
}

const deepSeek = [
  {
    id: 'c1',
    title: 'Tea',
    inserted_at: '2026-01-02T03:04:05.000000+08:00',
    mapping: {
      root: { id: 'root', parent: null, children: ['1'], message: null },
      '1': {
        id: '1',
        parent: 'root',
        children: ['2'],
        message: { files: [], model: 'm-x', fragments: [{ type: 'REQUEST', content: 'Which tea?' }] },
      },
      '2': {
        id: '2',
        parent: '1',
        children: [],
        message: { files: [], model: 'm-x', fragments: [{ type: 'RESPONSE', content: 'Green.' }] },
      },
    },
  },
];

/** Returns the error code of a reader for a file, or the codes of its repairs and losses. */
async function reportedBy(format: string, text: string): Promise<readonly string[]> {
  try {
    const { findings } = await importIntoStore(toImportInput({ 'a.json': text }), { format });
    return findings.filter((one) => one.severity !== 'note').map((one) => one.code);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return [error.code];
  }
}

describe('lists whose messages form a tree', () => {
  it.each(Object.entries(linked))('[I201] are not read as a chain by any reader of lists: %s', async (_, messages) => {
    for (const [wrapping, text] of Object.entries(wrapped(messages))) {
      const guesses = guessFormats(await readSample(await openInput(toImportInput({ 'a.json': text }))));
      const names = guesses.map((one) => one.format.name);
      for (const name of ['linear', 'request-log', 'ai-sdk']) {
        expect([wrapping, names]).not.toEqual([wrapping, expect.arrayContaining([name])]);
        expect([wrapping, name, await reportedBy(name, text)]).not.toEqual([wrapping, name, []]);
      }
    }
  });

  it('[I201] may name their thread, and the messages beside them', async () => {
    const messages = chain((at) => ({ id: `message-${at}`, threadId: 'message-0', after: `message-${at - 1}` }));
    const { trees } = await importIntoStore(toImportInput({ 'a.json': JSON.stringify({ title: 'Tea', messages }) }));
    expect(trees[0]?.nodes.filter(({ kind }) => kind === 'message')).toHaveLength(4);
  });

  it('[I201] are counted as left out, with the field that shows it', async () => {
    const text = JSON.stringify({ title: 'Tea', messages: linked.parentId });
    const { trees, findings } = await importIntoStore(toImportInput({ 'a.json': text }), { format: 'linear' });
    expect(trees).toEqual([]);
    expect(findings).toMatchObject([{ code: 'import/other-format', severity: 'loss', rejected: 4 }]);
    expect(findings[0]?.message).toContain('"parentId"');
  });
});

describe('mappings of another program', () => {
  it('[I202] are not read as ChatGPT exports: messages of ChatGPT name their author', async () => {
    const text = JSON.stringify(deepSeek);
    const guesses = guessFormats(await readSample(await openInput(toImportInput({ 'conversations.json': text }))));
    expect(guesses.map((one) => one.format.name)).not.toContain('chatgpt');
    const { trees, findings } = await importIntoStore(toImportInput({ 'conversations.json': text }), {
      format: 'chatgpt',
    });
    expect(trees).toEqual([]);
    expect(findings).toMatchObject([{ code: 'import/other-format', severity: 'loss', rejected: 3 }]);
  });

  it('[I202] do not hide a conversation of ChatGPT in the same file', async () => {
    const own = {
      id: 'c2',
      title: 'Own',
      mapping: {
        r: { id: 'r', parent: null, children: ['u'], message: null },
        u: {
          id: 'u',
          parent: 'r',
          children: [],
          message: { id: 'u', author: { role: 'user' }, content: { content_type: 'text', parts: ['Hello'] } },
        },
      },
      current_node: 'u',
    };
    const { trees, findings } = await importIntoStore(toImportInput({ 'a.json': JSON.stringify([...deepSeek, own]) }));
    expect(trees.map((tree) => tree.title)).toEqual(['Own']);
    expect(findings.map((one) => one.code)).toContain('import/other-format');
  });
});

describe('values in fields that a format does not have', () => {
  const others: { readonly [name: string]: Json } = {
    linear: {
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', fragments: [{ content: 'Hi there' }] },
      ],
    },
    'ai-sdk': [
      { id: 'a', role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
      { role: 'user', body: 'Hi' },
    ],
    'claude-ai': { uuid: 'c', chat_messages: [{ uuid: 'm', sender: 'human', markdown: 'Hello' }] },
    librechat: { conversationId: 'c', messages: [{ messageId: 'm', sender: 'User', body: 'Hello' }] },
    'open-webui': { history: { messages: { m: { id: 'm', role: 'user', parts: ['Hello'] } } } },
    chatgpt: {
      id: 'c',
      mapping: { u: { id: 'u', message: { author: { role: 'user' }, fragments: [{ content: 'Hello' }] } } },
    },
  };
  it.each(Object.entries(others))('[I203] are reported by %s, and a strict import refuses them', async (name, json) => {
    expect(await reportedBy(name, JSON.stringify(json))).toContain('import/message-unreadable');
  });

  it('[I203] an unknown role is guessed, and reported as a repair', async () => {
    for (const message of [{ content: 'Hello' }, { role: 'oracle', content: 'Hello' }]) {
      const list = JSON.stringify([{ role: 'user', content: 'Who?' }, message]);
      expect(await reportedBy('ai-sdk', list)).not.toEqual([]);
      expect(await reportedBy('linear', JSON.stringify({ messages: JSON.parse(list) }))).not.toEqual([]);
    }
  });
});

describe('files in which a reader finds nothing', () => {
  const readers = formats.filter((one) => one.reader !== undefined).map((one) => one.name);
  it.each(readers)('[I204] are named by %s', async (name) => {
    for (const text of ['{"a":[{"b":"c"}]}', '[{"a":"b"},{"a":"c"}]', '{"a":"b"}\n{"a":"c"}\n'])
      expect([text, await reportedBy(name, text)]).not.toEqual([text, []]);
  });

  it.each(readers)('[I204] and an empty file give a note or a refusal by %s', async (name) => {
    try {
      const { findings } = await importIntoStore(toImportInput({ 'a.json': '[]' }), { format: name });
      expect(findings).not.toEqual([]);
    } catch (error) {
      if (!isAppError(error)) throw error;
      expect(error.code).toMatch(/^import\//);
    }
  });
});
