import { type Message, type NodeStatus, textMessage } from '@coppice/core';
import { expect, test } from 'vitest';
import { decideQueuedMessage, isReplyInProgress } from './queued-message.ts';

const call = { type: 'tool-use', id: 'call-1', name: 'look', parameters: {} };
const asking: Message = { role: 'assistant', content: [call] };
const reply = (status: NodeStatus, message: Message = textMessage('assistant', 'Hello.')) => ({
  role: message.role,
  status,
  message,
});

test('[B332] a message waits for the reply and its tools, and is kept in the composer if the reply fails', () => {
  expect(decideQueuedMessage(reply('pending'))).toBe('wait');
  expect(decideQueuedMessage(reply('success', asking))).toBe('wait');
  expect(decideQueuedMessage(reply('success', { ...textMessage('tool', 'Found.'), tool_call_id: 'call-1' }))).toBe(
    'wait',
  );
  expect(decideQueuedMessage(reply('success'))).toBe('send');
  expect(decideQueuedMessage(reply('aborted', asking))).toBe('send');
  expect(decideQueuedMessage(reply('error'))).toBe('keep');
  expect(decideQueuedMessage(reply('interrupted'))).toBe('keep');
});

test('[B332] a reply is in progress while it is pending or one of its own tools runs', () => {
  const none = new Map<string, unknown>();
  expect(isReplyInProgress(undefined, none)).toBe(false);
  expect(isReplyInProgress(reply('pending'), none)).toBe(true);
  expect(isReplyInProgress(reply('success'), new Map([['call-1', {}]]))).toBe(false);
  expect(isReplyInProgress(reply('success', asking), none)).toBe(false);
  expect(isReplyInProgress(reply('success', asking), new Map([['call-1', {}]]))).toBe(true);
});
