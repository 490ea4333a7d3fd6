import { type Message, type Node, nodeId, textMessage } from '@coppice/core';
import { toolCallMessage, toolResultMessage } from '@coppice/core/testing';
import { expect, test } from 'vitest';
import { buildThreadRows, plainTextOf } from './rows.ts';

function chain(...messages: readonly Message[]): readonly Node[] {
  return messages.map((message, index) => ({
    id: nodeId(`n${index}`),
    parentId: nodeId(`n${index - 1}`),
    position: 'a',
    seq: index,
    kind: 'message',
    role: message.role,
    status: 'success',
    groupId: 0,
    createdAt: 0,
    matchParent: null,
    key: null,
    tokens: 1,
    addedIn: 1,
    contentIn: 1,
    removedIn: null,
    lastChildId: null,
    message,
    text: '',
    meta: {},
    marker: null,
    aliases: [],
  }));
}

test('[B9] tool results are shown with their calls; one whose call is missing is shown alone', () => {
  const call = toolCallMessage('c1', 'look');
  const rows = buildThreadRows(
    chain(
      textMessage('user', 'Hi'),
      call,
      toolResultMessage('c1', 'Found.'),
      textMessage('assistant', 'There.'),
      toolResultMessage('c9', 'Lost.'),
    ),
  );
  expect(rows.map((row) => row.node.id)).toEqual(['n0', 'n1', 'n3', 'n4']);
  expect(plainTextOf(rows[1]?.results.get('c1')?.message ?? null)).toBe('Found.');
  expect(rows[1]?.end).toBe('n2');
  expect(rows[2]?.goesOn).toBe(true);
});
