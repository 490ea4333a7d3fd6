import { run } from '@coppice/core';
import { createTestClock } from '@coppice/core/testing';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { messageKit } from '../../kit.ts';
import { sha256Hex } from '../../sha256.ts';
import {
  exportStoredTrees,
  importIntoStore,
  readStoredTree,
  runFormatConformance,
  toImportInput,
} from '../conformance.ts';
import { encodeUtf8 } from '../decode.ts';
import { wrapBytesAsFile } from '../input.ts';
import { chatgpt } from './index.ts';

type Fields = { readonly [key: string]: unknown };

function message(id: string, role: string, content: unknown, rest: Fields = {}): Fields {
  return {
    id,
    author: { role, name: null, metadata: {} },
    create_time: 1_760_000_000.123456,
    update_time: null,
    content: typeof content === 'string' ? { content_type: 'text', parts: [content] } : content,
    status: 'finished_successfully',
    end_turn: role === 'assistant' ? true : null,
    weight: 1,
    metadata: role === 'assistant' ? { model_slug: 'm-x', finish_details: { type: 'stop', stop_tokens: [1] } } : {},
    recipient: 'all',
    ...rest,
  };
}

const node = (id: string, parent: string | null, children: string[], said: Fields | null) => ({
  id,
  message: said,
  parent,
  children,
});

function conversation(id: string, nodes: readonly { readonly id: string }[], rest: Fields = {}): Fields {
  return {
    title: 'Tea',
    create_time: 1.5,
    update_time: 9,
    mapping: Object.fromEntries(nodes.map((one) => [one.id, one])),
    moderation_results: [],
    current_node: 'a2',
    plugin_ids: null,
    conversation_id: id,
    conversation_template_id: null,
    gizmo_id: null,
    is_archived: false,
    safe_urls: [],
    default_model_slug: 'm-x',
    id,
    ...rest,
  };
}

const hidden = message('s', 'system', '', {
  create_time: null,
  end_turn: true,
  weight: 0,
  metadata: { is_visually_hidden_from_conversation: true },
});
const { metadata: _, ...bare } = message('u', 'user', 'How long?');

// The mapping is not in tree order, the question has no metadata, and the second answer is older than the first.
const tea = [
  node('a2', 'u', [], message('a2', 'assistant', '5 min', { create_time: 1 })),
  node('a1', 'u', [], message('a1', 'assistant', '3 min \ue200cite\ue202turn0\ue201')),
  node('u', 's', ['a1', 'a2'], bare),
  node('s', 'r', ['u'], hidden),
  node('r', null, ['s'], null),
];

const tools = [
  node('r', null, ['c'], null),
  node(
    'c',
    'r',
    ['u'],
    message(
      'c',
      'user',
      { content_type: 'user_editable_context', user_profile: 'p', user_instructions: 'i' },
      { weight: 1, metadata: { is_user_system_message: true } },
    ),
  ),
  node('u', 'c', ['t'], message('u', 'user', 'Plot it.')),
  node(
    't',
    'u',
    ['k'],
    message('t', 'assistant', {
      content_type: 'thoughts',
      thoughts: [
        {
          summary: 'Plan',
          content: 'First, load. Then draw the picture that was asked for.',
          chunks: [],
          finished: true,
        },
      ],
    }),
  ),
  node(
    'k',
    't',
    ['rc'],
    message(
      'k',
      'assistant',
      { content_type: 'code', language: 'python', text: 'plot()' },
      { recipient: 'python', end_turn: false },
    ),
  ),
  node(
    'rc',
    'k',
    ['o'],
    message('rc', 'assistant', { content_type: 'reasoning_recap', content: 'Thought for 3 seconds' }),
  ),
  node(
    'o',
    'rc',
    ['o2'],
    message(
      'o',
      'tool',
      { content_type: 'execution_output', text: 'ok' },
      { author: { role: 'tool', name: 'python', metadata: {} }, weight: 0 },
    ),
  ),
  node(
    'o2',
    'o',
    ['a2'],
    message(
      'o2',
      'tool',
      {
        content_type: 'multimodal_text',
        parts: [
          {
            content_type: 'image_asset_pointer',
            asset_pointer: 'file-service://file-abc',
            size_bytes: 3,
            width: 1,
            height: 1,
            fovea: null,
            metadata: { dalle: null },
          },
        ],
      },
      { author: { role: 'tool', name: 'python', metadata: {} } },
    ),
  ),
  node('a2', 'o2', [], message('a2', 'assistant', 'Here it is.', { status: 'in_progress' })),
];

const odd = [
  node('r', null, ['u', 'ghost'], null),
  node('u', 'r', ['q'], message('u', 'user', 'One')),
  node('q', 'u', [], message('q', 'assistant', { content_type: 'hologram', rays: 7 })),
  node('lost', 'nobody', [], message('lost', 'user', 'Lost')),
  node('x', 'y', ['y'], message('x', 'user', 'X')),
  node('y', 'x', ['x'], message('y', 'assistant', 'Y')),
  node('z', 'z', ['z'], message('z', 'user', 'Z')),
];

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);

const shards = {
  'conversations-000.json': JSON.stringify([conversation('c1', tea)]),
  'conversations-001.json': JSON.stringify([
    conversation('c2', tools),
    { id: 'folder', title: 'A folder without mapping' },
  ]),
  'export_manifest.json': JSON.stringify({ version: 1, files: ['conversations-000.json', 'conversations-001.json'] }),
  'user.json': JSON.stringify({ id: 'user-1' }),
};

const zipped = zipSync({
  'conversations.json': encodeUtf8(JSON.stringify([conversation('c2', tools)])),
  'file-abc-picture.png': png,
  'chat.html': encodeUtf8('<html></html>'),
  'user.json': encodeUtf8('{}'),
});

const more = node('u3', 'a2', [], message('u3', 'user', 'Thanks.'));
const newer = [...tea.filter((one) => one.id !== 'a2'), { ...tea[0], id: 'a2', children: ['u3'] }, more];

runFormatConformance(chatgpt, [
  {
    name: 'branches, a hidden system node, a mapping out of order',
    files: { 'conversations.json': JSON.stringify([conversation('c1', tea)]) },
    trees: 1,
    nodes: 4,
    findings: [],
    thread: ['How long?', '5 min'],
    roundTrip: true,
    newer: { 'conversations.json': JSON.stringify([conversation('c1', newer, { current_node: 'u3' })]) },
  },
  {
    name: 'tools, thoughts, a recap, custom instructions',
    files: { 'conversations.json': JSON.stringify([conversation('c2', tools)]) },
    trees: 1,
    nodes: 8,
    findings: [],
    roundTrip: true,
  },
  {
    name: 'messages with no root above them, and no message at all',
    files: {
      'conversations.json': JSON.stringify([
        conversation(
          'c8',
          ['x1', 'x2'].map((id) =>
            node(id, null, [], {
              id,
              author: { role: 'user' },
              create_time: id === 'x1' ? 1 : 2,
              content: { content_type: 'text', parts: [id] },
            }),
          ),
          { current_node: 'x2' },
        ),
        conversation('c9', [], { current_node: null }),
      ]),
    },
    trees: 2,
    nodes: 2,
    findings: ['import/several-roots'],
    roundTrip: true,
  },
  {
    name: 'a conversation by itself, without title and current node',
    files: { 'c1.json': JSON.stringify(conversation('c1', tea, { title: null, current_node: null })) },
    trees: 1,
    nodes: 4,
    findings: [],
    thread: ['How long?', '5 min'],
  },
  {
    name: 'a list under a key',
    files: { 'all.json': JSON.stringify({ conversations: [conversation('c1', tea)] }) },
    trees: 1,
    nodes: 4,
    findings: [],
  },
  {
    name: 'shards with a manifest and a folder record',
    files: shards,
    trees: 2,
    nodes: 12,
    findings: ['import/skipped'],
  },
  { name: 'an archive with a picture', files: { 'export.zip': zipped }, trees: 1, nodes: 8, findings: [] },
  {
    name: 'orphans, circles, a node that is its own parent, wrong children, an unknown type',
    files: { 'conversations.json': JSON.stringify([conversation('c3', odd)]) },
    trees: 1,
    nodes: 6,
    findings: [
      'import/orphan',
      'import/cycle',
      'import/self-parent',
      'import/children-mismatch',
      'import/active-missing',
      'import/unknown-type',
    ],
  },
]);

describe('ChatGPT exports', () => {
  const read = async (nodes: typeof tea) =>
    (await importIntoStore(toImportInput({ 'conversations.json': JSON.stringify([conversation('c', nodes)]) })))
      .trees[0];

  it('[I13] keep tool steps as calls and results paired by their chain, thoughts as reasoning, hidden nodes as markers', async () => {
    const tree = await read(tools);
    const of = (id: string) => tree?.nodes.find((one) => one.externalId === id);
    expect(of('k')?.message.content).toEqual([
      { type: 'tool-use', id: 'call-k', name: 'python', parameters: { input: 'plot()', language: 'python' } },
    ]);
    expect(of('o')?.message).toMatchObject({ role: 'tool', content: [{ type: 'text', text: 'ok' }] });
    expect(of('t')?.message.content).toMatchObject([{ type: 'thinking', summary: 'Plan' }]);
    expect([of('c')?.kind, of('rc')?.kind, of('a2')?.status]).toEqual(['injected', 'state', 'interrupted']);
    expect(of('a2')?.meta?.source).toMatchObject({ type: 'model', model_name: 'm-x' });
    expect((await read(tea))?.nodes.find((one) => one.externalId === 's')?.kind).toBe('state');
  });

  it('[I14] find pictures in the archive by the ids in their file names', async () => {
    const { trees } = await importIntoStore({ files: [wrapBytesAsFile('export.zip', zipped)] });
    const hash = sha256Hex(png);
    expect(trees[0]?.nodes.find((one) => one.externalId === 'o2')?.message.content).toEqual([
      { type: 'image', mediaType: 'image/png', source: { type: 'blob', hash, size: 7 } },
    ]);
    const [blob] = trees[0]?.blobs ?? [];
    expect([blob?.hash, await blob?.read()]).toEqual([hash, png]);
  });

  it.each(['file_7.png', 'file_7-sanitized.png', 'audio/photo-file_7.png', 'file_7'])(
    '[I14] find a file wherever its id is in its name: %s',
    async (name) => {
      const asset = { content_type: 'image_asset_pointer', asset_pointer: 'sediment://file_7#p_0' };
      const message = { author: { role: 'user' }, content: { content_type: 'multimodal_text', parts: [asset] } };
      const file = JSON.stringify([{ id: 'c', mapping: { a: { id: 'a', parent: null, message } } }]);
      const { trees } = await importIntoStore(
        toImportInput({ 'conversations.json': file, [name]: png, 'file_70.png': 'other' }),
      );
      expect(trees[0]?.blobs?.map(({ hash }) => hash)).toEqual([sha256Hex(png)]);
    },
  );

  it('[I246] keep the sound, the video and the pictures of a voice chat, and report missing files', async () => {
    const part = {
      content_type: 'real_time_user_audio_video_asset_pointer',
      audio_asset_pointer: { content_type: 'audio_asset_pointer', asset_pointer: 'sediment://file_1', format: 'wav' },
      video_container_asset_pointer: null,
      frames_asset_pointers: ['sediment://file_2', { asset_pointer: 'sediment://file_3' }],
    };
    const message = { author: { role: 'user' }, content: { content_type: 'multimodal_text', parts: [part] } };
    const file = JSON.stringify([{ id: 'c', mapping: { a: { id: 'a', parent: null, message } } }]);
    const { trees } = await importIntoStore(toImportInput({ 'conversations.json': file, 'file_2.png': png }));
    expect(trees[0]?.nodes[0]?.message?.content).toMatchObject([
      { type: 'chatgpt-audio_asset_pointer', asset_pointer: 'sediment://file_1' },
      { type: 'image', source: { hash: sha256Hex(png) } },
      { asset_pointer: 'sediment://file_3' },
    ]);
    const missing = trees[0]?.findings.filter(({ code }) => code === 'import/attachment-missing');
    expect(missing?.map(({ message: text }) => /file_\d/.exec(text)?.[0])).toEqual(['file_1', 'file_3']);
  });

  it('[I15] keep sibling order, times to the microsecond and private-use marks', async () => {
    const stored = await importIntoStore(toImportInput({ 'c.json': JSON.stringify([conversation('c1', tea)]) }));
    const { files } = await exportStoredTrees(stored, chatgpt);
    const [back] = JSON.parse([...files.values()].join(''));
    expect(back.mapping.u.children).toEqual(['a1', 'a2']);
    expect(back.mapping.a1.message.create_time).toBe(1_760_000_000.123456);
    expect(back.mapping.a1.message.content.parts[0]).toContain('\ue200cite');
    const [id] = stored.ids;
    if (id === undefined) throw new Error('There is no tree.');
    expect(readStoredTree(stored, id).attributes.title).toBe('Tea');
  });

  it('[I15] make the root current if no message is left, never a removed message', async () => {
    const stored = await importIntoStore(toImportInput({ 'c.json': JSON.stringify([conversation('c1', tea)]) }));
    const [id] = stored.ids;
    if (id === undefined) throw new Error('There is no tree.');
    const act = { actor: 'me', kit: messageKit, ...createTestClock(9) };
    await run(stored.store, { type: 'clear', treeId: id }, act);
    const { files } = await exportStoredTrees(stored, chatgpt);
    const [back] = JSON.parse([...files.values()].join(''));
    expect(Object.keys(back.mapping)).toEqual([back.current_node]);
  });

  it('[I144] may have one conversation per line, or be pretty-printed', async () => {
    const one = (id: string) => ({
      id,
      current_node: 'a',
      mapping: { a: { id: 'a', parent: null, message: { author: { role: 'user' }, content: { parts: [id] } } } },
      safe_urls: [{}],
      blocked_urls: [{}],
    });
    const lines = `${JSON.stringify(one('x'))}\n${JSON.stringify(one('y'))}\n`;
    const { trees, findings } = await importIntoStore(toImportInput({ 'a.jsonl': lines }));
    expect(trees.map((tree) => [tree.externalId, tree.place])).toEqual([
      ['x', 'a.jsonl:1'],
      ['y', 'a.jsonl:2'],
    ]);
    expect(findings).toEqual([]);
    const set = await importIntoStore(toImportInput({ 'a.json': JSON.stringify(one('x'), null, 2) }));
    expect(set.trees.map((tree) => tree.place)).toEqual(['a.json']);
  });
});

it('[I232] saved by a browser extension are read as conversations of ChatGPT', async () => {
  const node = (id: string, parent: string | undefined, children: readonly string[], said?: Fields) => ({
    id,
    parent,
    children,
    message: said,
  });
  const thoughts = { content_type: 'thoughts', thoughts: [{ summary: 'S', content: 'C' }] };
  const nodes = [
    node('a', undefined, ['b']),
    node('b', 'a', ['c'], message('b', 'user', 'Hello')),
    node('c', 'b', [], message('c', 'assistant', thoughts, { metadata: { model_slug: 'o3' } })),
  ];
  const mapping = Object.fromEntries(nodes.map((one) => [one.id, one]));
  const saved = {
    title: 'Single',
    create_time: 1.1,
    update_time: 2,
    mapping,
    moderation_results: [],
    current_node: 'c',
    conversation_id: 'xx',
    is_archived: false,
  };
  const { trees, findings } = await importIntoStore(toImportInput({ 'ChatGPT-Single.json': JSON.stringify(saved) }));
  expect(findings.filter((one) => one.severity !== 'note')).toEqual([]);
  expect(trees.map((tree) => [tree.externalId, tree.title, tree.nodes.length, tree.activeExternalId])).toEqual([
    ['xx', 'Single', 2, 'c'],
  ]);
});
