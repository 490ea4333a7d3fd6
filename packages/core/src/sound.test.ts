import { describe, expect, test } from 'vitest';
import type { Block, Message, MessageKit } from './message.ts';
import type { NodeMeta, TreeAttributes } from './node.ts';
import type { Patch } from './steps/types.ts';
import { Bed, user } from './testing/index.ts';

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

// A kit that looks at nothing: the store's own check is what stands behind it.
let keys = 0;
const kit: MessageKit = { key: () => `${++keys}`, text: () => '', tokens: () => 1 };

const noJson: readonly (readonly [string, unknown])[] = [
  ['a bigint', 1n],
  ['a function', () => 1],
  ['a symbol in a list', [Symbol('s')]],
  ['a date', new Date(0)],
  ['a map below', { deep: new Map() }],
  ['a value that contains itself', containingItself()],
  ['100,000 levels', nested(100_000)],
  ['1,001 levels', nested(1001)],
];

describe('what is kept', () => {
  test.each([
    '{"title":5}',
    '{"autoTitle":[]}',
    '{"tags":"x"}',
    '{"tags":[1]}',
    '{"customData":"x"}',
    '{"customData":[]}',
    '{"source":"model"}',
    '{"excluded":"yes"}',
  ])('[N20] notes of another type than theirs are refused, before and after: %s', async (json) => {
    const bed = await Bed.make();
    const [id] = await bed.grow(['a']);
    const set: Patch<NodeMeta> = JSON.parse(json);
    const meta: NodeMeta = JSON.parse(json);
    const before = bed.tree;
    const { treeId } = bed;
    expect(await bed.refusal({ type: 'annotate', treeId, nodeId: id ?? bed.rootId, set })).toBe('command/invalid');
    expect(await bed.refusal({ type: 'append', treeId, messages: [{ message: user('b'), meta }] })).toBe(
      'command/invalid',
    );
    expect(bed.tree).toBe(before);
  });

  test.each([
    '{"title":1}',
    '{"systemPrompt":42}',
    '{"project":7}',
    '{"folder":{}}',
    '{"pinned":"yes"}',
    '{"metadata":[]}',
  ])('[N20] attributes of another type than theirs make no tree: %s', async (json) => {
    const bed = new Bed();
    const attributes: TreeAttributes = JSON.parse(json);
    expect(await bed.refusal({ type: 'create', treeId: bed.treeId, attributes })).toBe('command/invalid');
    expect(bed.reference?.tree(bed.treeId)).toBeUndefined();
  });

  test('[N20] times that are no numbers are refused', async () => {
    const bed = await Bed.make();
    const messages = [{ message: user('a'), createdAt: Number.NaN }];
    expect(await bed.refusal({ type: 'append', treeId: bed.treeId, messages })).toBe('command/invalid');
  });

  test.each(noJson)('[N20] %s is kept in no note, attribute or message', async (_, value) => {
    const bed = await Bed.make();
    const [id] = await bed.grow(['a']);
    const { treeId, tree } = bed;
    const block: Block & { readonly value: unknown } = { type: 'odd', value };
    const message: Message = { role: 'user', content: [block] };
    const nodeId = id ?? bed.rootId;
    expect(await bed.refusal({ type: 'annotate', treeId, nodeId, set: { value } })).toBe('command/invalid');
    expect(await bed.refusal({ type: 'attributes', treeId, set: { value } })).toBe('command/invalid');
    expect(await bed.refusal({ type: 'append', treeId, merge: false, messages: [{ message }] }, { kit })).toBe(
      'message/invalid',
    );
    expect(await bed.refusal({ type: 'edit', treeId, nodeId, content: [block] }, { kit })).toBe('message/invalid');
    expect(bed.tree).toBe(tree);
  });
});
