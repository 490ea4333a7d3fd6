import { nodeId, treeId } from '@coppice/core';
import { expect, test } from 'vitest';
import { createClient } from './client.ts';
import { createObservable } from './observable.ts';
import { TreeReplies } from './replies.ts';
import { emptyTreeState, type OpenTreeState } from './tree-state.ts';

// A short interval, because on an idle machine the expected events arrive within milliseconds.
const waitOptions = { interval: 5 };

const id = nodeId('00000000-0000-4000-8000-000000000001');

function setUp() {
  const store = createObservable<OpenTreeState>(emptyTreeState);
  let updateCount = 0;
  store.subscribe(() => updateCount++);
  const replies = new TreeReplies(
    createClient(),
    treeId('00000000-0000-4000-8000-000000000002'),
    store,
    () => undefined,
  );
  return { store, replies, updateCount: () => updateCount, text: () => store.getState().live.get(id)?.text };
}

test('[CL3] pieces that arrive in a burst are drawn together, and none is lost', async () => {
  const { replies, updateCount, text } = setUp();
  const pieces = Array.from({ length: 500 }, (_, index) => `${index} `);
  let offset = 0;
  for (const piece of pieces) {
    replies.addText(id, offset, piece);
    offset += piece.length;
  }
  await expect.poll(() => text(), waitOptions).toBe(pieces.join(''));
  expect(updateCount()).toBeLessThan(5);
  replies.close();
});

test('[CL3] updates of a reply between two frames are kept, and a finished reply is not drawn again', async () => {
  const { store, replies, text } = setUp();
  replies.addText(id, 0, 'One');
  replies.setActOfReplies([id], 'act');
  replies.addText(id, 3, ' two');
  await expect.poll(() => text(), waitOptions).toBe('One two');
  expect(store.getState().live.get(id)?.actId).toBe('act');
  replies.updateReply(id, (reply) => ({ ...reply, thinking: 'Hm' }));
  replies.addText(id, 7, ' three');
  replies.updateReply(id, (reply) => ({ ...reply, thinking: 'Hm.' }));
  expect(store.getState().live.get(id)).toMatchObject({ text: 'One two three', thinking: 'Hm.' });
  replies.addText(id, 13, ' four');
  replies.removeReply(id);
  await new Promise((resolve) => setTimeout(resolve, 40));
  expect(text()).toBe(undefined);
  replies.close();
});
