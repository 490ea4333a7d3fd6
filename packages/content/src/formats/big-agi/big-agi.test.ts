import { expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { bigAgi } from './index.ts';

let clock = 1730000000000;
const fragment = (ft: string, part: object, rest: object = {}) => ({ ft, fId: `f${clock}`, part, ...rest });
const message = (id: string, role: string, fragments: readonly object[], rest: object = {}) => ({
  id,
  role,
  fragments,
  created: clock++,
  ...rest,
});
const messages = [
  message('m1', 'user', [
    fragment('content', { pt: 'text', text: 'Hello' }),
    fragment('attachment', { pt: 'doc', data: { idt: 'text', text: 'abc' }, ref: 'a.txt', l1Title: 'a.txt' }),
    fragment('attachment', { pt: 'image_ref', dataRef: { reftype: 'dblob' }, altText: 'a.png' }),
  ]),
  message(
    'm2',
    'assistant',
    [
      fragment('void', { pt: 'ma', aText: 'Hm.', textSignature: 'c2ln' }),
      fragment('content', {
        pt: 'tool_invocation',
        id: 'k1',
        invocation: { type: 'function_call', name: 'f', args: '{"a":1}' },
      }),
      fragment('content', {
        pt: 'tool_response',
        id: 'k1',
        error: false,
        response: { type: 'function_call', name: 'f', result: 'ok' },
      }),
      fragment('content', { pt: 'text', text: 'Hi there' }),
    ],
    { generator: { mgt: 'named', name: 'gpt-4o', metrics: { TIn: 3, TOut: 2 } } },
  ),
];
const chat = (list: readonly object[]) => ({
  id: 'c',
  messages: list,
  systemPurposeId: 'Generic',
  userTitle: 'AGI chat',
  created: 1730000000000,
  updated: 1730000000000,
});
const old = {
  id: 'o',
  systemPurposeId: 'Generic',
  autoTitle: 'Old',
  messages: [
    { id: 'x', role: 'user', text: 'Old?', sender: 'You', created: 1 },
    { id: 'y', role: 'assistant', text: 'Yes', originLLM: 'gpt-4', created: 2 },
  ],
};
const today = chat([
  message('m1', 'user', [
    fragment('content', { pt: 'text', text: 'Which?' }),
    fragment('attachment', {
      pt: 'reference',
      rt: 'zync',
      zType: 'asset',
      assetType: 'image',
      zRefSummary: { pt: 'text', text: 'A leaf' },
    }),
  ]),
  message('m2', 'assistant', [
    fragment('void', { pt: 'ma', aType: 'reasoning', aText: '', redactedData: ['aGlkZGVu'] }),
    fragment(
      'void',
      { pt: 'ma', aType: 'reasoning', aText: 'So.' },
      { vendorState: { openai: { reasoningItem: { id: 'rs_1', encryptedContent: 'ZW5j' } } } },
    ),
    fragment('content', { pt: 'text', text: 'Oak.' }),
    fragment('content', { pt: 'hosted_resource', resource: { via: 'anthropic', fileId: 'file_1' } }),
    fragment('void', {
      pt: 'annotations',
      annotations: [{ type: 'citation', url: 'https://example.com', title: 'E' }],
    }),
  ]),
]);
const odd = chat([message('m1', 'oracle', [fragment('content', { pt: 'scent', text: 'Hm' })])]);

/**
 * A backup of the browser's storage. The settings before the chats are longer than the sample that the detection reads.
 */
const flashBackup = (name: object) => ({
  ...name,
  metadata: { version: '1.2', application: 'Big-AGI', backupType: 'full' },
  storage: {
    localStorage: {
      'app-models': { state: { sources: [{ setup: { oaiKey: 'sk-canary-flash' } }] } },
      long: 'x'.repeat(400_000),
    },
    indexedDB: {
      'keyval-store': {
        keyval: [
          { key: 'app-chats', value: { state: { conversations: [chat(messages), old], activeId: 'c' }, version: 4 } },
        ],
      },
    },
  },
});

runFormatConformance(bigAgi, [
  {
    name: 'a flash backup',
    files: {
      'flash.json': JSON.stringify(
        flashBackup({ schema: 'vnd.agi.flash-backup', schemaVersion: 102_000, tenantSlug: 'x' }),
      ),
    },
    trees: 2,
    nodes: 6,
    findings: [],
  },
  {
    name: 'reasoning, tools, attachments',
    files: {
      'all.json': JSON.stringify({
        conversations: [chat(messages)],
        folders: { folders: [{ id: 'f1', title: 'Woods', conversationIds: ['c'] }], enableFolders: true },
      }),
    },
    trees: 1,
    nodes: 4,
    findings: [],
    newer: {
      'all.json': JSON.stringify({
        conversations: [
          chat([...messages, message('m3', 'user', [fragment('content', { pt: 'text', text: 'Thanks' })])]),
        ],
      }),
    },
  },
  {
    name: 'one conversation of an early version',
    files: { 'one.json': JSON.stringify(old) },
    trees: 1,
    nodes: 2,
    findings: [],
    thread: ['Old?', 'Yes'],
  },
  {
    name: 'assets, hidden reasoning, files at a provider and citations',
    files: { 'today.json': JSON.stringify(today) },
    trees: 1,
    nodes: 2,
    findings: [],
  },
  {
    name: 'a role and a part that are not known',
    files: { 'odd.json': JSON.stringify(odd) },
    trees: 1,
    nodes: 1,
    findings: ['import/unknown-type'],
  },
]);

it('[I223] keeps models, usage, reasoning, tools and attached texts', async () => {
  const { trees } = await importIntoStore(
    toImportInput({ 'a.json': JSON.stringify({ conversations: [chat(messages)] }) }),
  );
  expect(trees[0]?.title).toBe('AGI chat');
  expect(trees[0]?.nodes[0]?.message.content.map((block) => block.type)).toEqual(['text', 'file', 'big-agi-image']);
  expect(trees[0]?.nodes[1]?.message.content).toMatchObject([
    { type: 'thinking', signature: 'c2ln' },
    { type: 'tool-use', parameters: { a: 1 } },
  ]);
  expect(trees[0]?.nodes[3]?.meta?.source).toEqual({
    type: 'model',
    model_name: 'gpt-4o',
    usage: { input_tokens: 3, output_tokens: 2 },
  });
});

it('[I223] reads the chats of a flash backup of either name, and nothing else of it', async () => {
  for (const name of [{ schema: 'vnd.agi.flash-backup' }, { _t: 'agi.flash-backup', _v: 102_000 }]) {
    const { trees } = await importIntoStore(toImportInput({ 'flash.json': JSON.stringify(flashBackup(name)) }));
    expect(trees.map(({ title }) => title)).toEqual(['AGI chat', 'Old']);
    expect(JSON.stringify(trees)).not.toContain('canary');
  }
});

it('[I223] keeps hidden reasoning with its signature, and names the parts missing from the export', async () => {
  const { trees } = await importIntoStore(toImportInput({ 'a.json': JSON.stringify(today) }));
  expect(trees[0]?.nodes[0]?.message?.content).toMatchObject([
    { text: 'Which?' },
    { type: 'big-agi-image', text: '[A leaf]' },
  ]);
  expect(trees[0]?.nodes[1]?.message?.content).toMatchObject([
    { type: 'thinking', thinking: '', redacted: 'aGlkZGVu' },
    { type: 'thinking', thinking: 'So.', signature: 'rs_1', redacted: 'ZW5j' },
    { type: 'text', text: 'Oak.' },
    { type: 'big-agi-file', text: '[file_1]' },
    { type: 'big-agi-annotations' },
  ]);
});
