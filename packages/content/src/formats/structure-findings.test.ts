/** Tests that structural problems are reported in every format that can have them. */
import { describe, expect, it } from 'vitest';
import { type FixtureFiles, importIntoStore, toImportInput } from './conformance.ts';

type Fields = { readonly [key: string]: unknown };

const at = (second: number) => new Date(1_767_323_045_000 + second * 1000).toISOString();
const lines = (...values: readonly Fields[]) => values.map((one) => `${JSON.stringify(one)}\n`).join('');

/** Builds a file in each format from records, which have an id, a parent and perhaps a structural problem. */
const makers: { readonly [format: string]: (records: readonly Odd[]) => FixtureFiles } = {
  chatgpt: (records) => {
    const root = { id: 'r', parent: null, children: [], message: null };
    const nodes = records.map(({ id, parent, role = 'user' }) => [
      id,
      {
        id,
        parent,
        message: { id, author: { role }, content: { content_type: 'text', parts: [id] } },
      },
    ]);
    return {
      a: JSON.stringify([{ id: 'c', current_node: 'a', mapping: Object.fromEntries([['r', root], ...nodes]) }]),
    };
  },
  'claude-ai': (records) => ({
    a: JSON.stringify([
      {
        uuid: 'k',
        chat_messages: records.map(({ id, parent, role, type = 'text' }) => ({
          uuid: id,
          sender: role ?? 'human',
          parent_message_uuid: parent,
          content: [{ type, text: id }],
        })),
      },
    ]),
  }),
  'claude-code': (records) => ({
    a: lines(
      ...records.map(({ id, parent }, index) => ({
        type: 'user',
        uuid: id,
        parentUuid: parent,
        sessionId: 's',
        isSidechain: false,
        timestamp: at(index),
        message: { role: 'user', content: id },
      })),
    ),
  }),
  pi: (records) => ({
    a: lines(
      { type: 'session', version: 3, id: 's', timestamp: at(0), cwd: '/w' },
      ...records.map(({ id, parent, role = 'user', type = 'message' }, index) => ({
        type,
        id,
        parentId: parent,
        timestamp: at(index),
        message: { role, content: id },
      })),
    ),
  }),
  'open-webui': (records) => {
    const messages = records.map(({ id, parent, role = 'user' }) => [id, { id, parentId: parent, role, content: id }]);
    return {
      a: JSON.stringify([{ id: 'w', chat: { history: { currentId: 'a', messages: Object.fromEntries(messages) } } }]),
    };
  },
  librechat: (records) => ({
    a: JSON.stringify({
      conversationId: 'l',
      endpoint: 'e',
      messages: records.map(({ id, parent, type }) => ({
        messageId: id,
        parentMessageId: parent,
        isCreatedByUser: type === undefined,
        text: id,
        ...(type === undefined ? {} : { content: [{ type }] }),
      })),
    }),
  }),
  'ai-sdk': (records) => ({
    a: JSON.stringify({
      headId: 'a',
      messages: records.map(({ id, parent, role = 'user', type = 'text' }) => ({
        parentId: parent,
        message: { id, role, parts: [{ type, text: id }] },
      })),
    }),
  }),
};

interface Odd {
  readonly id: string;
  readonly parent: unknown;
  readonly role?: string;
  readonly type?: string;
}

const first: Odd = { id: 'a', parent: null };
const rooted: Odd = { id: 'a', parent: 'r' };
const odd = (name: string, records: readonly Odd[], ...formats: readonly string[]) => ({ name, records, formats });
const everywhere = Object.keys(makers);
const lists = ['claude-ai', 'claude-code', 'pi', 'librechat', 'ai-sdk'];

const cases = {
  'import/several-roots': odd('a second beginning', [first, { id: 'b', parent: null }], ...everywhere),
  'import/orphan': odd('a parent that is no id', [first, { id: 'b', parent: 7 }], ...everywhere),
  'import/forward-parent': odd('a parent that comes later', [{ id: 'b', parent: 'a' }, first], ...lists),
};

const words = {
  role: odd(
    'a role',
    [first, { id: 'b', parent: 'a', role: 'critic' }],
    'chatgpt',
    'claude-ai',
    'pi',
    'open-webui',
    'ai-sdk',
  ),
  type: odd('a type', [first, { id: 'b', parent: 'a', type: 'novel' }], 'claude-ai', 'pi', 'librechat', 'ai-sdk'),
};

async function reported(format: string, records: readonly Odd[]) {
  const rest = format === 'chatgpt' ? records.map((one) => (one === first ? rooted : one)) : records;
  const { findings, trees } = await importIntoStore(toImportInput(makers[format]?.(rest) ?? {}), { format });
  return { findings, nodes: trees[0]?.nodes ?? [] };
}

describe('unusual structure', () => {
  for (const [code, { name, records, formats }] of Object.entries(cases))
    it.each([...formats])(`[I35] is reported and kept: ${name}, in %s`, async (format) => {
      const { findings, nodes } = await reported(format, records);
      expect(findings.map((one) => one.code)).toContain(code);
      expect(nodes.length).toBe(2);
    });

  for (const { name, records, formats } of Object.values(words))
    it.each([...formats])(
      `[I35] is reported and kept: ${name} that the format does not have, in %s`,
      async (format) => {
        const { findings, nodes } = await reported(format, records);
        expect(findings.find((one) => one.code === 'import/unknown-type')?.message).toMatch(/critic|novel/);
        expect(nodes.length).toBe(2);
      },
    );

  it.each(everywhere)('[I35] is not reported for regular data, in %s', async (format) => {
    const { findings } = await reported(format, [first, { id: 'b', parent: 'a' }]);
    expect(findings.filter((one) => one.code !== 'import/active-inferred')).toEqual([]);
  });

  it('[I35] is reported for a list of messages, and for records stored under another id', async () => {
    const list = [
      { role: 'user', content: 'a' },
      { role: 'critic', content: 'b' },
    ];
    const { findings } = await importIntoStore(toImportInput({ a: JSON.stringify(list) }), { format: 'linear' });
    expect(findings.map((one) => one.code)).toEqual(['import/unknown-type']);
    const history = { currentId: 'a', messages: { a: { id: 'z', parentId: null, role: 'user', content: 'a' } } };
    const chat = await importIntoStore(toImportInput({ a: JSON.stringify([{ id: 'w', chat: { history } }]) }));
    expect(chat.findings.map((one) => one.code)).toEqual(['import/inferred']);
  });

  it('[I35] is reported for a second root in the tables of Cherry Studio', async () => {
    const row = (id: string, parent: string | null, role: string) => ({
      id,
      parent_id: parent,
      topic_id: 't',
      role,
      data: { parts: [{ type: 'text', text: id }] },
      siblings_group_id: 0,
    });
    const message = [row('r', null, 'root'), row('a', 'r', 'user'), row('b', null, 'user')];
    const { findings } = await importIntoStore(
      toImportInput({ a: JSON.stringify({ message, topic: [{ id: 't', name: 'T' }] }) }),
    );
    expect(findings.map((one) => one.code)).toContain('import/several-roots');
  });

  it.each([
    [
      'claude-ai',
      [{ uuid: 'k', chat_messages: [{ uuid: 'a', sender: 'human', text: 'a', files: [{ file_name: 'f.png' }] }] }],
    ],
    [
      'open-webui',
      [
        {
          id: 'w',
          chat: {
            history: { messages: { a: { role: 'user', content: 'a', files: [{ type: 'file', name: 'f.png' }] } } },
          },
        },
      ],
    ],
    [
      'librechat',
      {
        conversationId: 'l',
        endpoint: 'e',
        messages: [{ messageId: 'a', isCreatedByUser: true, text: 'a', files: [{ filename: 'f.png' }] }],
      },
    ],
  ])('[I149] is reported for a file that is named and missing, in %s', async (format, file) => {
    const { findings, trees } = await importIntoStore(toImportInput({ a: JSON.stringify(file) }), { format });
    const reported = findings.filter((one) => one.code === 'import/attachment-missing');
    expect(reported.map((one) => one.message)).toEqual([expect.stringContaining('f.png')]);
    expect(trees[0]?.nodes[0]?.message.content).toHaveLength(2);
  });

  it('[I35] is reported for extra data of Open WebUI beside an answer, and the reason of a failure is noted', async () => {
    const a = {
      role: 'assistant',
      content: 'a',
      error: { content: 'busy' },
      merged: { content: 'b' },
      output: [{ type: 'novel' }],
    };
    const input = toImportInput({
      a: JSON.stringify([{ id: 'w', chat: { history: { currentId: 'a', messages: { a } } } }]),
    });
    const { findings, trees } = await importIntoStore(input);
    expect(findings.map((one) => one.message)).toEqual([
      expect.stringContaining('merged'),
      expect.stringContaining('novel'),
    ]);
    expect(trees[0]?.nodes[0]).toMatchObject({ status: 'error', meta: { source: { error: 'busy' } } });
  });
});
