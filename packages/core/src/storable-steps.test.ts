import { describe, expect, test } from 'vitest';
import { treeId as asTreeId } from './ids.ts';
import type { Block, JsonObject, Message, MessageKit } from './message.ts';
import type { NodeMeta, TreeAttributes } from './node.ts';
import type { Command } from './plan/index.ts';
import type { Patch } from './steps/types.ts';
import { assistant, TestTree, testUuid, user } from './testing/index.ts';

function nested(levels: number): object {
  let value: object = {};
  for (let level = 1; level < levels; level++) value = { value };
  return value;
}

function containingItself(): object {
  const value: { self?: object } = {};
  value.self = { again: [value] };
  return value;
}

// A message kit without checks, so that only the check of the store is tested.
let keys = 0;
const kit: MessageKit = { key: () => `${++keys}`, text: () => '', tokens: () => 1 };

const noJson: readonly (readonly [string, unknown])[] = [
  ['a bigint', 1n],
  ['a function', () => 1],
  ['a symbol in a list', [Symbol('s')]],
  ['a date', new Date(0)],
  ['a map below', { deep: new Map() }],
  ['a value that contains itself', containingItself()],
  ['NaN', Number.NaN],
  ['an infinite number below', { deep: [{ value: Number.POSITIVE_INFINITY }] }],
  ['undefined in a list', ['a', undefined]],
  ['a hole in a list below', { deep: [Object.assign(new Array(2), { 0: 'a' })] }],
  ['NaN beside many values', [...Array.from({ length: 3000 }, (_, index) => index), Number.NaN]],
  ['undefined beside many values', { deep: [...Array.from({ length: 3000 }, (_, index) => index), undefined] }],
  ['100,000 levels', nested(100_000)],
  ['1,001 levels', nested(1001)],
];

describe('what a store accepts', () => {
  test.each([
    '{"title":5}',
    '{"autoTitle":[]}',
    '{"tags":"x"}',
    '{"tags":[1]}',
    '{"customData":"x"}',
    '{"customData":[]}',
    '{"source":"model"}',
    '{"excluded":"yes"}',
  ])('[N20] notes of the wrong type are refused, in the old and in the new value: %s', async (json) => {
    const fixture = await TestTree.make();
    const [id] = await fixture.addMessages(['a']);
    const set: Patch<NodeMeta> = JSON.parse(json);
    const meta: NodeMeta = JSON.parse(json);
    const before = fixture.tree;
    const { treeId } = fixture;
    expect(await fixture.refusal({ type: 'annotate', treeId, nodeId: id ?? fixture.rootId, set })).toBe(
      'command/invalid',
    );
    expect(await fixture.refusal({ type: 'append', treeId, messages: [{ message: user('b'), meta }] })).toBe(
      'command/invalid',
    );
    expect(fixture.tree).toBe(before);
  });

  test.each([
    '{"title":1}',
    '{"systemPrompt":42}',
    '{"project":7}',
    '{"folder":{}}',
    '{"pinned":"yes"}',
    '{"metadata":[]}',
  ])('[N20] attributes of the wrong type are refused in a new tree: %s', async (json) => {
    const fixture = new TestTree();
    const attributes: TreeAttributes = JSON.parse(json);
    expect(await fixture.refusal({ type: 'create', treeId: fixture.treeId, attributes })).toBe('command/invalid');
    expect(fixture.reference?.tree(fixture.treeId)).toBeUndefined();
  });

  test('[N20] times that are not numbers are refused', async () => {
    const fixture = await TestTree.make();
    const messages = [{ message: user('a'), createdAt: Number.NaN }];
    expect(await fixture.refusal({ type: 'append', treeId: fixture.treeId, messages })).toBe('command/invalid');
  });

  test.each([
    ['metadata that is no object', 'append', { messages: [{ message: user('b'), meta: 'x' }] }],
    ['metadata that is a list', 'append', { messages: [{ message: user('b'), meta: [] }] }],
    ['an unknown status', 'reply', { replies: [{ status: 'done' }] }],
    ['an unknown kind', 'mark', { kind: 'note', message: user('b') }],
    ['details that are no object', 'mark', { kind: 'state', message: user('b'), details: 'x' }],
    ['tokens are no number', 'compact', { summary: 's', tokensBefore: 'many' }],
    ['a marker names no id', 'import', { nodes: [{ marker: { from: 5 } }] }],
    ['a marker is no object', 'import', { nodes: [{ marker: 5 }] }],
    ['a marker has a part that no marker has', 'import', { nodes: [{ marker: { other: 5 } }] }],
    ['a marker names half an origin', 'import', { nodes: [{ marker: { mergedFrom: { treeId: testUuid(1) } } }] }],
    ['a bookmark has no time', 'import', { nodes: [{ bookmark: { title: 't', createdAt: 'then' } }] }],
  ])('[N20] a node is refused where %s', async (_, type, rest) => {
    const fixture = await TestTree.make();
    const [parentId] = await fixture.addMessages(['a']);
    const node = { id: testUuid(80), parentId: null, order: 1, message: user('b') };
    const nodes = 'nodes' in rest ? { nodes: rest.nodes.map((part) => ({ ...node, ...part })) } : {};
    const command: Command = JSON.parse(JSON.stringify({ type, treeId: fixture.treeId, parentId, ...rest, ...nodes }));
    const { tree } = fixture;
    expect(await fixture.refusal(command)).toBe('command/invalid');
    expect(fixture.tree).toBe(tree);
  });

  test('[N20] a group that is not a whole number is refused in a new tree', async () => {
    const fixture = new TestTree();
    const nodes = [{ id: testUuid(80), parentId: null, order: 1, message: user('b'), group: 0.5 }];
    expect(await fixture.refusal({ type: 'import', treeId: fixture.treeId, nodes })).toBe('command/invalid');
  });

  test('[N20] a reply with an unknown status or invalid metadata is refused', async () => {
    const fixture = await TestTree.make();
    const { result } = await fixture.run({
      type: 'reply',
      treeId: fixture.treeId,
      parentId: fixture.rootId,
      replies: [{}],
    });
    const { tree } = fixture;
    for (const wrong of [{ status: 'done' }, { status: 'success', meta: 'xy' }]) {
      const ended = {
        type: 'finish',
        treeId: fixture.treeId,
        nodeId: result.added[0],
        message: assistant('b'),
        ...wrong,
      };
      const command: Command = JSON.parse(JSON.stringify(ended));
      expect(await fixture.refusal(command)).toBe('command/invalid');
    }
    expect(fixture.tree).toBe(tree);
  });

  test('[N20] a date in metadata is refused', async () => {
    const fixture = await TestTree.make();
    const meta: NodeMeta = Object.setPrototypeOf({}, Date.prototype);
    const messages = [{ message: user('a'), meta }];
    expect(await fixture.refusal({ type: 'append', treeId: fixture.treeId, messages })).toBe('command/invalid');
  });

  test.each(noJson)('[N20] %s is refused in metadata, an attribute or a message', async (_, value) => {
    const fixture = await TestTree.make();
    const [id] = await fixture.addMessages(['a']);
    const { treeId, tree } = fixture;
    const block: Block & { readonly value: unknown } = { type: 'odd', value };
    const message: Message = { role: 'user', content: [block] };
    const nodeId = id ?? fixture.rootId;
    expect(await fixture.refusal({ type: 'annotate', treeId, nodeId, set: { value } })).toBe('command/invalid');
    expect(await fixture.refusal({ type: 'attributes', treeId, set: { value } })).toBe('command/invalid');
    const metadata: JsonObject = {};
    Object.assign(metadata, { value });
    const attributes: TreeAttributes = { metadata };
    const copy = asTreeId(testUuid(2));
    expect(await fixture.refusal({ type: 'attributes', treeId, set: attributes })).toBe('command/invalid');
    expect(await fixture.refusal({ type: 'create', treeId: copy, attributes })).toBe('command/invalid');
    expect(await fixture.refusal({ type: 'duplicate', treeId: copy, from: treeId, attributes })).toBe(
      'command/invalid',
    );
    expect(await fixture.refusal({ type: 'append', treeId, merge: false, messages: [{ message }] }, { kit })).toBe(
      'message/invalid',
    );
    expect(await fixture.refusal({ type: 'edit', treeId, nodeId, content: [block] }, { kit })).toBe('message/invalid');
    expect(fixture.tree).toBe(tree);
  });
});
