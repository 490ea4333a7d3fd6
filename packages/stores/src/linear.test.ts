import { messageKit } from '@coppice/content';
import { isUuid, type StoredLinearConversation, treeId } from '@coppice/core';
import { assistant, testUuid, user } from '@coppice/core/testing';
import { checkTree, path, treeToJson } from '@coppice/core/tree';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { buildLinearTree, deriveId } from './linear.ts';

const record: StoredLinearConversation = {
  treeId: treeId(testUuid(1)),
  createdAt: 1000,
  messages: [
    { message: user('a'), id: 'not one of ours' },
    { message: user(' ') },
    { message: assistant('b'), id: testUuid(7) },
  ],
};

it('[K142] the same list gives the same tree, with blank messages named and foreign ids replaced', () => {
  const { tree, applied, blank } = buildLinearTree(record, 'local');
  expect(treeToJson(buildLinearTree(record, 'local', messageKit).tree)).toEqual(treeToJson(tree));
  expect(blank).toEqual([1]);
  expect(checkTree(tree)).toEqual([]);
  expect(applied.commit.version).toBe(1);
  const found = path(tree, { to: tree.activeNodeId ?? '' });
  expect(found.ok && found.value.map((node) => [node.text, isUuid(node.id)])).toEqual([
    ['a', true],
    ['b', true],
  ]);
  expect(tree.activeNodeId).toBe(testUuid(7));
});

it('[K143] derived ids are UUIDs, equal for equal parts and different for different ones', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string(), fc.integer())),
      fc.array(fc.oneof(fc.string(), fc.integer())),
      (a, b) => {
        expect(isUuid(deriveId(...a))).toBe(true);
        expect(deriveId(...a) === deriveId(...b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      },
    ),
  );
});
