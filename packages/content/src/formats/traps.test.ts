/**
 * Tests unusual files that the samples of the formats do not cover. Each is a file from the format's own test with one
 * change.
 */
import { describe, expect, it } from 'vitest';
import { importIntoStore, toImportInput } from './conformance.ts';

const json = (value: object) => JSON.stringify(value);
const jsonl = (...lines: readonly object[]) => lines.map((line) => `${json(line)}\n`).join('');

/** Returns the trees of a file: the messages with their parents, and all findings except notes. */
async function read(name: string, text: string) {
  const { trees } = await importIntoStore(toImportInput({ [name]: text }));
  return trees.map((tree) => ({
    ...tree,
    shape: tree.nodes.map(({ externalId, parentExternalId }) => `${parentExternalId ?? ''}>${externalId}`),
    found: tree.findings.filter(({ severity }) => severity !== 'note').map(({ code }) => code),
  }));
}

describe('pi', () => {
  const time = '2026-01-02T03:04:06.000Z';
  const header = { type: 'session', version: 3, id: '5e55', timestamp: time, cwd: '/w' };
  const said = (id: string, parentId: string | null, role: string, content: string) => ({
    type: 'message',
    id,
    parentId,
    timestamp: time,
    message:
      role === 'user' ? { role, content } : { role, content: [{ type: 'text', text: content }], stopReason: 'stop' },
  });

  it('[I237] entries of later versions stay in the chain: what was used, edits of the context, a kept tail', async () => {
    const [tree] = await read(
      's.jsonl',
      jsonl(
        header,
        said('a1', null, 'user', 'Hi'),
        { type: 'usage', id: 'a2', parentId: 'a1', timestamp: time, kind: 'title', usage: { input: 1 } },
        said('a3', 'a2', 'assistant', 'Yo'),
        { type: 'context_edit', id: 'a4', parentId: 'a3', timestamp: time },
        {
          type: 'compaction',
          id: 'a5',
          parentId: 'a4',
          timestamp: time,
          summary: 'Greeted.',
          retainedTail: [],
          tokensBefore: 9,
        },
        said('a6', 'a5', 'user', 'And?'),
      ),
    );
    expect(tree?.nodes.map(({ kind, externalId }) => [externalId, kind])).toContainEqual(['a5', 'compaction']);
    expect(tree?.nodes.find(({ externalId }) => externalId === 'a6')?.parentExternalId).toBe('a5');
    const visible = tree?.nodes.filter(({ kind }) => kind === 'message').map(({ externalId }) => externalId);
    expect(visible).toEqual(['a1', 'a3', 'a6']);
  });

  it('[I237] a first message that was written again is a second root, and the last line is current', async () => {
    const [tree] = await read(
      's.jsonl',
      jsonl(
        header,
        said('a1', null, 'user', 'Hi'),
        said('a2', 'a1', 'assistant', 'Yo'),
        said('b1', null, 'user', 'Hello'),
      ),
    );
    expect(tree?.shape).toEqual(['>a1', 'a1>a2', '>b1']);
    expect([tree?.activeExternalId, tree?.found]).toEqual(['b1', []]);
  });
});

describe('Open WebUI', () => {
  const message = (id: string, parentId: string | null, childrenIds: readonly string[], content: string) => ({
    id,
    parentId,
    childrenIds,
    role: parentId === null ? 'user' : 'assistant',
    content,
    timestamp: 1_767_323_045,
  });
  const chat = (...messages: readonly { readonly id: string }[]) =>
    json([
      {
        id: 'w1',
        title: 'Soup',
        chat: {
          title: 'Soup',
          history: { currentId: 'A1', messages: Object.fromEntries(messages.map((one) => [one.id, one])) },
          messages: [{ id: 'stale', role: 'user', content: 'A copy that is not read' }],
        },
      },
    ]);

  it('[I237] several first messages are several roots, and the copy of the active path is not read', async () => {
    const [tree] = await read(
      'c.json',
      chat(
        message('U1', null, ['A1'], 'Which?'),
        message('A1', 'U1', [], 'Leek\u0000'),
        message('U2', null, [], 'Other?'),
      ),
    );
    expect(tree?.shape).toEqual(['>U1', 'U1>A1', '>U2']);
    expect(tree?.nodes[1]?.message.content).toEqual([{ type: 'text', text: 'Leek\u0000' }]);
  });
});

describe('Loom', () => {
  it('[I237] local pictures stay in the record of their node, and nothing opens them', async () => {
    const multimedia = [{ file: '/etc/passwd', caption: 'A door' }];
    const root = {
      id: 'n0',
      text: '',
      children: [{ id: 'n1', parent_id: 'n0', text: 'The door', multimedia, children: [] }],
    };
    const [tree] = await read('l.json', json({ root, chapters: {}, model_responses: {}, selected_node_id: 'n1' }));
    expect(tree?.nodes.map(({ externalId }) => externalId)).toContain('n1');
    expect(JSON.stringify(tree?.nodes.map(({ message }) => message))).not.toContain('/etc/passwd');
    expect(JSON.stringify(tree?.nodes)).toContain('/etc/passwd');
    expect(tree?.blobs ?? []).toEqual([]);
  });
});

describe('AI SDK', () => {
  const tool = (state: string, rest: object = {}) => ({
    type: 'tool-roll',
    toolCallId: `t-${state}`,
    state,
    input: { n: 6 },
    ...rest,
  });
  const list = (...parts: readonly object[]) =>
    json([
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Dice?' }] },
      { id: 'a', role: 'assistant', parts },
    ]);

  it('[I237] a call that waits for approval has no result, a denied or failed one has a failure', async () => {
    const [tree] = await read(
      'm.json',
      list(
        { type: 'step-start' },
        tool('approval-requested', { approval: { id: 'x' } }),
        tool('output-denied', { approval: { id: 'y', approved: false, reason: 'no dice' } }),
        tool('output-error', { errorText: 'broken' }),
      ),
    );
    const results = tree?.nodes.filter(({ message }) => message.role === 'tool');
    expect(results?.map(({ meta }) => meta?.isError === true)).toEqual([true, true]);
    expect(
      tree?.nodes.flatMap(({ message }) => message.content.filter(({ type }) => type === 'tool-use')),
    ).toHaveLength(3);
  });
});

describe('request logs', () => {
  it('[I237] padding, pings and a last chunk with usage alone change nothing in a streamed reply', async () => {
    const chunk = (delta: object, finish: string | null = null) => ({
      id: 'c1',
      object: 'chat.completion.chunk',
      created: 1_767_323_045,
      model: 'm-x',
      choices: [{ index: 0, delta, finish_reason: finish }],
      obfuscation: 'xxxxxxxx',
    });
    const usage = {
      id: 'c1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm-x',
      choices: [],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    };
    const events = [
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Le' }),
      chunk({ content: 'ek' }),
      chunk({}, 'stop'),
      usage,
    ];
    const response = [
      ': ping',
      '',
      ...events.flatMap((event) => [`data: ${json(event)}`, '']),
      'data: [DONE]',
      '',
    ].join('\n');
    const call = { request: { model: 'm-x', messages: [{ role: 'user', content: 'Soup?' }], stream: true }, response };
    const [tree] = await read('log.jsonl', jsonl(call));
    expect(tree?.nodes.map(({ message }) => message.content)).toEqual([
      [{ type: 'text', text: 'Soup?' }],
      [{ type: 'text', text: 'Leek' }],
    ]);
  });
});
