/**
 * Tests difficult tree shapes in every format with parent ids, with a hundred thousand records each if `COPPICE_LONG=1`
 * is set.
 */
import { checkTree } from '@coppice/core/tree';
import { describe, expect, it } from 'vitest';
import { importIntoStore, readStoredTree, toImportInput } from './conformance.ts';
import { readImport } from './read.ts';

interface Said {
  readonly id: string;
  readonly parent: string | null;
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

const long = process.env['COPPICE_LONG'] === '1';
const count = long ? 100_000 : 400;

function shaped(parentOf: (index: number) => string | null, idOf = (index: number) => `n${index}`): Said[] {
  return Array.from({ length: count }, (_, index) => ({
    id: idOf(index),
    parent: parentOf(index),
    role: index % 2 === 0 ? 'user' : 'assistant',
    text: `said ${index}`,
  }));
}

const shapes: { readonly [name: string]: readonly Said[] } = {
  'a chain': shaped((index) => (index === 0 ? null : `n${index - 1}`)),
  'a chain, last record first': shaped((index) => (index === 0 ? null : `n${index - 1}`)).reverse(),
  'a fan': shaped((index) => (index === 0 ? null : 'n0')),
  'orphans alone': shaped((index) => `gone${index}`),
  'one circle': shaped((index) => `n${(index + 1) % count}`),
  'circles of two': shaped((index) => `n${index ^ 1}`),
};
// An object cannot have the same key twice, so duplicate ids exist only in lists and lines.
const oneId = shaped(
  () => null,
  () => 'same',
);

const time = '2026-01-02T03:04:05.000Z';
const lines = (records: readonly unknown[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('');
const keyed = (all: readonly Said[], make: (one: Said, children: readonly string[]) => unknown) => {
  const children = new Map<string, string[]>();
  for (const { id, parent } of all) {
    if (parent === null) continue;
    const family = children.get(parent);
    if (family === undefined) children.set(parent, [id]);
    else family.push(id);
  }
  return Object.fromEntries(all.map((one) => [one.id, make(one, children.get(one.id) ?? [])]));
};

interface Spelling {
  readonly format: string;
  readonly keyed?: true;
  spell(all: readonly Said[]): string;
}

const spellings: readonly Spelling[] = [
  {
    format: 'chatgpt',
    keyed: true,
    spell: (all) =>
      JSON.stringify([
        {
          id: 'c',
          title: 'Shape',
          current_node: 'n0',
          mapping: keyed(all, ({ id, parent, role, text }, children) => ({
            id,
            parent,
            children,
            message: { id, author: { role }, create_time: 1.5, content: { content_type: 'text', parts: [text] } },
          })),
        },
      ]),
  },
  {
    format: 'claude-ai',
    spell: (all) =>
      JSON.stringify([
        {
          uuid: 'k',
          name: 'Shape',
          chat_messages: all.map(({ id, parent, role, text }) => ({
            uuid: id,
            text,
            content: [{ type: 'text', text }],
            sender: role === 'user' ? 'human' : 'assistant',
            created_at: time,
            parent_message_uuid: parent ?? '00000000-0000-4000-8000-000000000000',
          })),
        },
      ]),
  },
  {
    format: 'claude-code',
    spell: (all) =>
      lines(
        all.map(({ id, parent, text }) => ({
          type: 'user',
          uuid: id,
          parentUuid: parent,
          isSidechain: false,
          sessionId: 's',
          timestamp: time,
          message: { role: 'user', content: text },
        })),
      ),
  },
  {
    format: 'pi',
    spell: (all) =>
      lines([
        { type: 'session', version: 3, id: 's', timestamp: time, cwd: '/w' },
        ...all.map(({ id, parent, text }) => ({
          type: 'message',
          id,
          parentId: parent,
          timestamp: time,
          message: { role: 'user', content: text, timestamp: 1 },
        })),
      ]),
  },
  {
    format: 'session-v2',
    spell: (all) =>
      lines([
        { type: 'session', version: 2, uuid: 'h', parentUuid: null, id: 's', timestamp: time, cwd: '/w' },
        ...all.map(({ id, parent, role, text }) => ({
          type: 'message',
          uuid: id,
          parentUuid: parent ?? 'h',
          timestamp: time,
          message: { role, content: [{ type: 'text', text }] },
        })),
      ]),
  },
  {
    format: 'open-webui',
    keyed: true,
    spell: (all) =>
      JSON.stringify([
        {
          id: 'w',
          chat: {
            title: 'Shape',
            history: {
              currentId: 'n0',
              messages: keyed(all, ({ id, parent, role, text }, childrenIds) => ({
                id,
                parentId: parent,
                childrenIds,
                role,
                content: text,
              })),
            },
          },
        },
      ]),
  },
  {
    format: 'librechat',
    spell: (all) =>
      JSON.stringify({
        conversationId: 'L',
        title: 'Shape',
        messages: all.map(({ id, parent, role, text }) => ({
          messageId: id,
          parentMessageId: parent,
          conversationId: 'L',
          sender: role,
          isCreatedByUser: role === 'user',
          text,
          createdAt: time,
        })),
      }),
  },
  {
    format: 'cherry-studio',
    spell: (all) =>
      lines([
        { id: 't', name: 'Shape', active_node_id: 'n0' },
        ...all.map(({ id, parent, role, text }) => ({
          id,
          parent_id: parent,
          topic_id: 't',
          role,
          data: JSON.stringify({ parts: [{ type: 'text', text }] }),
          siblings_group_id: 1,
          created_at: 1767323045000,
        })),
      ]),
  },
  {
    format: 'ai-sdk',
    spell: (all) =>
      JSON.stringify({
        headId: 'n0',
        messages: all.map(({ id, parent, role, text }) => ({
          parentId: parent,
          message: { id, role, parts: [{ type: 'text', text }] },
        })),
      }),
  },
  {
    format: 'loom-json',
    keyed: true,
    spell: (all) =>
      JSON.stringify({
        settings: {},
        state: {
          'a.md': {
            current: 'n0',
            hoisted: [],
            nodes: keyed(all, ({ parent, text }) => ({ text, parentId: parent, collapsed: false, unread: false })),
          },
        },
      }),
  },
];

const cases = spellings.flatMap(({ format, spell, keyed: once }) => [
  ...Object.entries(shapes).map(([shape, all]) => ({ format, shape, spell, all })),
  ...(once === undefined ? [{ format, shape: 'one id for all', spell, all: oneId }] : []),
]);

describe('records in shapes that are hard to walk', () => {
  it.each(cases)('[I31] are read into one tree with every record in it: $format, $shape', async (made) => {
    const input = toImportInput({ 'file.json': made.spell(made.all) });
    if (long) {
      for await (const event of readImport(input, { format: made.format }))
        if (event.type === 'tree') expect(event.tree.nodes.length).toBe(count);
      return;
    }
    const stored = await importIntoStore(input, { format: made.format });
    expect(stored.trees.map((tree) => tree.nodes.length)).toEqual([count]);
    const [id] = stored.ids;
    if (id === undefined) throw new Error('There is no tree.');
    expect(readStoredTree(stored, id).size).toBe(count);
    expect(checkTree(readStoredTree(stored, id)).filter((one) => one.severity === 'error')).toEqual([]);
  });
});
