import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { applyOrThrow } from './apply.ts';
import { nodeId } from './ids.ts';
import { treeFromJson, treeToJson } from './json.ts';
import { path } from './path.ts';
import { arbitraryCommands, propertyParameters, propertyTimeoutMs } from './testing/arbitraries.ts';
import { buildNewNode, buildTree, testRootId } from './testing/build-tree.ts';
import { undoableState } from './testing/expect-steps.ts';
import { ReferenceStore } from './testing/reference-store.ts';
import { runCommands } from './testing/run-commands.ts';
import { allNodes, findNode } from './tree.ts';

const runs = propertyParameters(100, process.env);
vi.setConfig({ testTimeout: propertyTimeoutMs(process.env) });
const overWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const tree = applyOrThrow(buildTree('a\n  b\n    c*\n  d'), [
  { type: 'remove', nodeId: nodeId('d') },
  {
    type: 'bookmark',
    nodeId: nodeId('a'),
    after: { nodeId: nodeId('a'), title: '', createdAt: 1, updatedAt: 2 },
    before: null,
  },
  { type: 'attributes', after: { title: 'T', metadata: { deep: [1, null] } }, before: { title: null, metadata: null } },
]).tree;

describe('a tree as JSON', () => {
  test('[T39] survives the round trip, removed nodes, bookmarks and attributes included', () => {
    const back = treeFromJson(overWire(treeToJson(tree)));
    expect(back).toMatchObject({ ok: true });
    if (!back.ok) return;
    expect(treeToJson(back.value)).toEqual(treeToJson(tree));
    expect(allNodes(back.value)).toEqual(allNodes(tree));
    expect(back.value.size).toBe(tree.size);
  });

  test('[T39] survives the round trip after any commands', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCommands(), async (commands) => {
        const store = new ReferenceStore();
        const turns = runCommands(store, commands);
        for (let next = await turns.next(); !next.done; next = await turns.next());
        for (const one of store.trees.values()) {
          const back = treeFromJson(overWire(treeToJson(one)));
          if (!back.ok) throw new Error(back.refusal.message);
          expect(undoableState(back.value)).toEqual(undoableState(one));
          expect(overWire(treeToJson(back.value))).toEqual(overWire(treeToJson(one)));
        }
      }),
      runs,
    );
  });

  test('[T40] keeps __proto__ an ordinary key, as an id, a metadata field and an attribute', () => {
    const proto = (value: unknown) => Object.fromEntries([['__proto__', value]]);
    const grown = applyOrThrow(tree, [
      {
        type: 'insert',
        node: buildNewNode(
          '__proto__',
          { id: nodeId('c'), kind: 'message', matchParent: testRootId },
          { meta: proto('note') },
        ),
      },
      { type: 'attributes', after: proto({ polluted: true }), before: proto(null) },
    ]).tree;
    const back = treeFromJson(overWire(treeToJson(grown)));
    if (!back.ok) throw new Error(back.refusal.message);
    expect(path(back.value, { to: '__proto__' })).toMatchObject({ ok: true, value: [{}, {}, {}, { id: '__proto__' }] });
    expect(Object.entries(findNode(back.value, '__proto__')?.meta ?? {})).toEqual([['__proto__', 'note']]);
    expect(Object.hasOwn(back.value.attributes, '__proto__')).toBe(true);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

const json = overWire(treeToJson(tree)) as Record<string, unknown> & { nodes: Record<string, unknown>[] };
const bent = (change: Record<string, unknown>) => ({ ...json, ...change });
const bentNode = (index: number, change: Record<string, unknown>) =>
  bent({ nodes: json.nodes.map((node, at) => (at === index ? { ...node, ...change } : node)) });

describe('JSON that is no tree', () => {
  test.each<readonly [string, unknown, string, RegExp]>([
    ['null', null, 'tree/invalid', /format/],
    ['a list', [], 'tree/invalid', /format/],
    ['a text', 'tree', 'tree/invalid', /format/],
    ['another format', bent({ format: 'other' }), 'tree/invalid', /format/],
    ['a newer version', bent({ formatVersion: 2 }), 'store/newer', /version 2/],
    ['no version', bent({ formatVersion: undefined }), 'store/newer', /version undefined/],
    ['an empty id', bent({ id: '' }), 'tree/invalid', /\bid must be/],
    ['a number as owner', bent({ owner: 3 }), 'tree/invalid', /owner must be a text/],
    ['a fraction as version', bent({ version: 1.5 }), 'tree/invalid', /version must be a whole number/],
    ['a version below one', bent({ version: 0 }), 'tree/invalid', /version/],
    ['a text as time', bent({ createdAt: 'now' }), 'tree/invalid', /createdAt must be a number/],
    ['a list as attributes', bent({ attributes: [] }), 'tree/invalid', /attributes must be an object/],
    ['a number as title', bent({ attributes: { title: 1 } }), 'tree/invalid', /title must be a text/],
    ['an object as nodes', bent({ nodes: {} }), 'tree/invalid', /nodes must be a list/],
    ['a null node', bent({ nodes: [null] }), 'tree/invalid', /nodes\[0\] must be an object/],
    ['no bookmarks', bent({ bookmarks: undefined }), 'tree/invalid', /bookmarks must be a list/],
    ['a bad bookmark', bent({ bookmarks: [{ nodeId: 'a' }] }), 'tree/invalid', /title must be a text/],
    ['an unknown kind', bentNode(1, { kind: 'leaf' }), 'tree/invalid', /kind must be one of/],
    ['an unknown status', bentNode(1, { status: 'done' }), 'tree/invalid', /status must be one of/],
    ['a bad place', bentNode(1, { position: '!' }), 'tree/invalid', /position must be an order key/],
    ['a negative group', bentNode(1, { groupId: -1 }), 'tree/invalid', /groupId/],
    ['tags that are no list', bentNode(1, { meta: { tags: 'x' } }), 'tree/invalid', /tags must be a list of texts/],
    ['a message without content', bentNode(1, { message: { role: 'user' } }), 'message/invalid', /content/],
    [
      'a message of no one',
      bentNode(1, { message: { role: 'root', content: [{ type: 'x' }] } }),
      'message/invalid',
      /role/,
    ],
    ['aliases that are none', bentNode(1, { aliases: [{}] }), 'tree/invalid', /matchParent/],
    ['a marker that is none', bentNode(1, { marker: 3 }), 'tree/invalid', /marker must be an object/],
    ['a circle', bentNode(1, { parentId: 'b' }), 'tree/invalid', /I06|match-parent/],
    ['a missing parent', bentNode(2, { parentId: 'x' }), 'tree/invalid', /I03/],
    ['two roots', bentNode(1, { parentId: null, kind: 'root', message: null }), 'tree/invalid', /I01/],
    ['a pointer into nothing', bent({ activeNodeId: 'x' }), 'tree/invalid', /I08/],
    ['no pointer', bent({ activeNodeId: null }), 'tree/invalid', /I10/],
    ['an inherited field', Object.create({ ...json, format: 'coppice/tree' }), 'tree/invalid', /./],
  ])('[T41] such as %s is refused, naming what is wrong', (_what, value, code, words) => {
    expect(treeFromJson(value)).toMatchObject({
      ok: false,
      refusal: { code, message: expect.stringMatching(words) },
    });
  });

  test('[T41] is refused without an exception, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(json)), (value, key) => {
        expect(treeFromJson(value).ok).toBe(false);
        const result = treeFromJson(bent({ [key]: value }));
        if (!result.ok) expect(result.refusal.message).not.toBe('');
      }),
      runs,
    );
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(json.nodes[1] ?? {})), (value, key) => {
        const result = treeFromJson(bentNode(1, { [key]: value }));
        if (!result.ok) expect(result.refusal.message).not.toBe('');
      }),
      runs,
    );
  });
});
