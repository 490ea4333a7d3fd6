import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { nodeId } from '../ids.ts';
import { textMessage } from '../message.ts';
import { propertyParameters, propertyTimeoutMs } from '../testing/arbitraries.ts';
import { buildNewNode } from '../testing/build-tree.ts';
import { parseStep, parseSteps, stepsToJson } from './index.ts';
import type { Step } from './types.ts';

const runs = propertyParameters(500, process.env);
vi.setConfig({ testTimeout: propertyTimeoutMs(process.env) });
const asWritten = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const a = nodeId('a');
const place = { parentId: nodeId('p'), position: 'a0', groupId: 0, matchParent: nodeId('p') };
const content = {
  message: textMessage('user', 'x'),
  status: 'success',
  key: 'k',
  text: 'x',
  tokens: 1,
  aliases: [{ matchParent: nodeId('p'), key: 'old' }],
} as const;
const mark = { nodeId: a, title: 't', createdAt: 1, updatedAt: 2 };
const marker = {
  firstKept: a,
  tokensBefore: 9,
  from: a,
  mergedFrom: { treeId: 't', nodeId: 'n' },
  details: { any: [1, { thing: null }] },
};
const compaction = { kind: 'compaction', key: null, marker: JSON.parse(JSON.stringify(marker)) } as const;

const steps: readonly Step[] = [
  {
    type: 'insert',
    node: buildNewNode(
      'x',
      { id: a, kind: 'message', matchParent: a },
      { meta: { title: 'T', tags: ['x'], excluded: true, any: { thing: 1 } } },
    ),
  },
  { type: 'insert', node: buildNewNode('y', { id: a, kind: 'message', matchParent: a }, compaction) },
  { type: 'remove', nodeId: a },
  { type: 'restore', nodeId: a, version: 3 },
  { type: 'restore', nodeId: a, version: 3, position: 'a5' },
  { type: 'move', nodeId: a, to: place, from: { ...place, position: 'a1' } },
  { type: 'replace', nodeId: a, after: content, before: { ...content, key: null, status: 'pending' }, since: 1 },
  {
    type: 'annotate',
    nodeId: a,
    after: { title: null, customData: { x: 1 } },
    before: { title: 'x', customData: null },
  },
  { type: 'regroup', nodeId: a, after: 1, before: 0 },
  { type: 'select', after: null, before: a },
  { type: 'bookmark', nodeId: a, after: mark, before: null },
  { type: 'attributes', after: { pinned: true, title: null }, before: { pinned: null, title: 'x' } },
];

const json = JSON.parse(JSON.stringify(steps)) as Record<string, unknown>[];

describe('a step from outside', () => {
  test('[S3] of every kind is parsed as it was written', () => {
    expect(parseSteps(stepsToJson(steps))).toEqual({ ok: true, value: steps });
  });

  test('[S31] loses fields that its kind does not have', () => {
    expect(parseStep({ type: 'remove', nodeId: 'a', evil: true, __proto__: { nodeId: 'b' } })).toEqual({
      ok: true,
      value: { type: 'remove', nodeId: 'a' },
    });
  });

  test('[S31] keeps __proto__ in a patch an ordinary key', () => {
    const text = '{"type":"annotate","nodeId":"__proto__","after":{"__proto__":{"x":1}},"before":{"__proto__":null}}';
    const parsed = parseStep(JSON.parse(text));
    if (!parsed.ok || parsed.value.type !== 'annotate') throw new Error('It was refused.');
    expect(Object.entries(parsed.value.after)).toEqual([['__proto__', { x: 1 }]]);
    expect(Object.getPrototypeOf(parsed.value.after)).toBe(Object.prototype);
    expect(JSON.parse(JSON.stringify(parsed.value))).toEqual(JSON.parse(text));
  });

  test.each<readonly [string, unknown, RegExp]>([
    ['nothing', undefined, /one of the types/],
    ['a list', [], /one of the types/],
    ['an unknown type', { type: 'explode' }, /one of the types/],
    ['the type __proto__', JSON.parse('{"type":"__proto__"}'), /one of the types/],
    ['the type toString', { type: 'toString' }, /one of the types/],
    ['no node id', { type: 'remove' }, /nodeId must be a text/],
    ['an empty node id', { type: 'remove', nodeId: '' }, /nodeId must be an id/],
    [
      'an inherited node id',
      Object.assign(Object.create({ nodeId: 'a' }), { type: 'remove' }),
      /nodeId must be a text/,
    ],
    ['a version of zero', { type: 'restore', nodeId: 'a', version: 0 }, /version must be a whole number from 1/],
    ['a version as text', { type: 'restore', nodeId: 'a', version: '3' }, /version/],
    ['an endless version', { type: 'restore', nodeId: 'a', version: 1e300 }, /version/],
    ['a bad place', { type: 'restore', nodeId: 'a', version: 1, position: '../x' }, /position must be an order key/],
    ['a move to nowhere', { type: 'move', nodeId: 'a', from: place }, /to must be an object/],
    ['a group below zero', { type: 'regroup', nodeId: 'a', after: -1, before: 0 }, /after must be a whole number/],
    ['a patch that is a list', { type: 'annotate', nodeId: 'a', after: [], before: {} }, /after must be an object/],
    [
      'a title that is none',
      { type: 'annotate', nodeId: 'a', after: { title: 5 }, before: {} },
      /title must be a text/,
    ],
    [
      'tags that are none',
      { type: 'annotate', nodeId: 'a', after: { tags: [1] }, before: {} },
      /tags must be a list of texts/,
    ],
    ['an exclusion that is none', { type: 'annotate', nodeId: 'a', after: { excluded: 'no' }, before: {} }, /excluded/],
    ['an origin that is none', { type: 'annotate', nodeId: 'a', after: { copiedFrom: {} }, before: {} }, /treeId/],
    [
      'attributes that are none',
      { type: 'attributes', after: { pinned: 1 }, before: {} },
      /pinned must be true or false/,
    ],
    ['a lineage that is none', { type: 'attributes', after: { copiedFrom: { nodeId: 'x' } }, before: {} }, /treeId/],
    ['a bookmark without a title', { type: 'bookmark', nodeId: 'a', after: { nodeId: 'a' }, before: null }, /title/],
    ['a replace without content', { type: 'replace', nodeId: 'a', after: {}, before: content, since: 1 }, /message/],
    ['an insert without a node', { type: 'insert' }, /node must be an object/],
    [
      'a time without end',
      { type: 'bookmark', nodeId: 'a', after: { ...mark, createdAt: Number.POSITIVE_INFINITY }, before: null },
      /createdAt/,
    ],
  ])('[S32] with %s is refused, naming the field', (_what, value, words) => {
    const parsed = parseStep(value);
    expect(parsed.ok).toBe(false);
    if (!parsed.ok)
      expect(parsed.refusal).toMatchObject({
        code: expect.stringMatching(/^(?:step|message)\//),
        message: expect.stringMatching(words),
      });
  });

  test.each<readonly [string, unknown, string]>([
    ['without blocks', { role: 'user', content: [] }, 'message/blank'],
    ['without a role', { content: [{ type: 'text', text: 'x' }] }, 'message/invalid'],
    ['with a block without a type', { role: 'user', content: [{}] }, 'message/invalid'],
    ['with text that is none', { role: 'user', content: [{ type: 'text', text: 1 }] }, 'message/invalid'],
    [
      'with a user’s tool call',
      { role: 'user', content: [{ type: 'tool-use', id: 'k', name: 'n', parameters: {} }] },
      'message/invalid',
    ],
    ['with a tool call id on a user', { role: 'user', content: [{ type: 'x' }], tool_call_id: 'k' }, 'message/invalid'],
    ['of a tool without a call', { role: 'tool', content: [{ type: 'x' }] }, 'message/invalid'],
  ])('[S32] with a message %s is refused', (_what, message, code) => {
    const { node } = json[0] as { node: Record<string, unknown> };
    expect(parseStep({ type: 'insert', node: { ...node, message } })).toMatchObject({ ok: false, refusal: { code } });
  });

  test('[S33] in a list is named by its index, and the whole list is refused', () => {
    expect(parseSteps([json[2], json[3], { type: 'remove', nodeId: 7 }])).toMatchObject({
      ok: false,
      refusal: { code: 'step/invalid', data: { index: 2 } },
    });
    expect(parseSteps({ length: 0 })).toMatchObject({ ok: false, refusal: { code: 'step/invalid' } });
  });

  test('[S32] of any shape is parsed or refused without throwing', () => {
    fc.assert(
      // JSON writes negative zero as zero, so negative zero would not survive the round trip.
      fc.property(fc.nat(json.length - 1), fc.jsonValue().map(asWritten), fc.string(), (index, value, key) => {
        const step = json[index] ?? {};
        expect(parseStep(value).ok).toBe(false);
        for (const field of [key, ...Object.keys(step)]) {
          const parsed = parseStep({ ...step, [field]: value });
          if (parsed.ok) expect(parseStep(JSON.parse(JSON.stringify(parsed.value)))).toEqual(parsed);
          else expect(parsed.refusal.message).toMatch(/\.$/);
        }
      }),
      runs,
    );
  });
});
