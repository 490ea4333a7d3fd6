import { openStore } from '@coppice/stores';
import { safeValidateUIMessages } from 'ai';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readBranch, storeMessages } from './store-messages.ts';
import { arbitraryChatMessages, arbitraryReplyParts } from './testing/arbitrary-messages.ts';
import { createEmptyChatTree } from './testing/chat-tree.ts';
import type { UiMessageJson } from './ui-nodes.ts';

test('[AS1] messages are read back from a tree exactly as they were posted, and posting them again adds nothing', async () => {
  const store = await openStore('memory:');
  await fc.assert(
    fc.asyncProperty(arbitraryChatMessages, async (messages) => {
      const tree = await createEmptyChatTree(store);
      const first = await storeMessages(tree, messages, { below: null, actId: tree.newId(), select: 'always' });
      expect((await readBranch(tree)).messages).toEqual(messages);
      const again = await storeMessages(tree, messages, { below: null, actId: tree.newId(), select: 'always' });
      expect(again).toEqual({ end: first.end, changed: false });
    }),
    { numRuns: 150, seed: 20 },
  );
  await store.close();
});

test('[AS1] the messages of the property test are valid messages of the AI SDK', async () => {
  const valid = fc.sample(arbitraryChatMessages, { numRuns: 100, seed: 1 }).flat();
  const checked = await Promise.all(
    valid.map(async (each) => each.parts.length > 0 && (await safeValidateUIMessages({ messages: [each] })).success),
  );
  // The previous major version does not know all parts.
  expect(checked.filter((each) => each).length).toBeGreaterThan(checked.length / 4);
});

test('[AS1] a reply stored step by step equals one stored at once', async () => {
  const store = await openStore('memory:');
  await fc.assert(
    fc.asyncProperty(
      arbitraryReplyParts.filter((parts) => parts.length > 0),
      async (parts) => {
        const whole: UiMessageJson = JSON.parse(JSON.stringify({ id: 'a', role: 'assistant', parts }));
        const tree = await createEmptyChatTree(store);
        for (const [at, { type }] of [...whole.parts.entries(), [whole.parts.length, { type: 'step-start' }] as const])
          if (type === 'step-start' && at > 0)
            await storeMessages(tree, [{ ...whole, parts: whole.parts.slice(0, at) }], {
              below: null,
              actId: tree.newId(),
              select: 'always',
            });
        expect((await readBranch(tree)).messages).toEqual([whole]);
      },
    ),
    { numRuns: 100, seed: 21 },
  );
  await store.close();
});
