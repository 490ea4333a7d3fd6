import type { Json } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { safeValidateUIMessages } from 'ai';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readBranch, storeMessages } from './store-messages.ts';
import { openChatTree } from './testing/chat-tree.ts';
import type { UiMessageJson } from './ui-nodes.ts';

const text = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('', ' ', '5', '{"a":1}', '"quoted"', 'null'));
const json = fc.jsonValue({ maxDepth: 2 }).map((value): Json => JSON.parse(JSON.stringify(value)));
const metadata = fc.option(fc.constant({ anthropic: { signature: 'c2ln' } }), { nil: undefined });
const url = fc.constantFrom(
  'data:image/png;base64,AAAA',
  'data:text/plain,x',
  'https://example.org/a.png',
  'data:;base64,',
);
const mediaType = fc.constantFrom('image/png', 'image', 'application/pdf', 'text/plain');
const state = fc.option(fc.constantFrom('streaming', 'done'), { nil: undefined });
const call = { input: json, providerExecuted: fc.option(fc.boolean(), { nil: undefined }) };
const toolStates = fc.oneof(
  fc.record({ ...call, state: fc.constant('input-available') }),
  fc.record({ ...call, state: fc.constant('output-available'), output: json }),
  fc.record({ ...call, state: fc.constant('output-error'), errorText: text }),
  fc.record({ ...call, state: fc.constant('approval-requested'), approval: fc.constant({ id: 'p' }) }),
  fc.record({
    ...call,
    state: fc.constant('approval-responded'),
    approval: fc.constant({ id: 'p', approved: true, reason: 'yes' }),
  }),
  fc.record({ ...call, state: fc.constant('output-denied'), approval: fc.constant({ id: 'p', approved: false }) }),
);

const spoken = fc.oneof(
  fc.record({ type: fc.constant('text'), text, state, providerMetadata: metadata }),
  fc.record({ type: fc.constant('reasoning'), text, state, providerMetadata: metadata }),
  fc.record({ type: fc.constant('file'), url, mediaType, filename: fc.option(text, { nil: undefined }) }),
  fc.record({ type: fc.constant('source-url'), sourceId: text, url, title: fc.option(text, { nil: undefined }) }),
  fc.record({ type: fc.constant('source-document'), sourceId: text, mediaType, title: text }),
  fc.record({ type: fc.constant('data-note'), id: fc.option(text, { nil: undefined }), data: json }),
  fc.constant({ type: 'step-start' }),
);
const tool = fc.oneof(
  toolStates.map((state) => ({ type: 'tool-roll', ...state })),
  toolStates.map((state) => ({ type: 'dynamic-tool', toolName: 'toss', ...state })),
);

/** Only a reply may call tools, and each call has a unique id. */
const replyParts = fc
  .array(fc.oneof(spoken, tool), { maxLength: 8 })
  .map((parts) => parts.map((part, at) => ('input' in part ? { ...part, toolCallId: `c${at}` } : part)));

const message = fc
  .oneof(
    fc.record({
      role: fc.constantFrom('user', 'system'),
      parts: fc.array(spoken, { maxLength: 5 }),
      metadata: fc.option(json, { nil: undefined }),
    }),
    fc.record({ role: fc.constant('assistant'), parts: replyParts, metadata: fc.option(json, { nil: undefined }) }),
  )
  // JSON removes undefined fields, as HTTP does.
  .map((value) => JSON.parse(JSON.stringify(value)));

const chat = fc
  .array(message, { minLength: 1, maxLength: 5 })
  .map((list): UiMessageJson[] => list.map((each, at) => ({ ...each, id: `m${at}` })));

test('[AS1] messages are read back from a tree exactly as they were posted, and posting them again adds nothing', async () => {
  const store = await openStore('memory:');
  await fc.assert(
    fc.asyncProperty(chat, async (messages) => {
      const tree = await openChatTree(store);
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
  const valid = fc.sample(chat, { numRuns: 50, seed: 1 }).map(async (messages) => {
    const filled = messages.filter(({ parts }) => parts.length > 0);
    return filled.length === 0 || (await safeValidateUIMessages({ messages: filled })).success;
  });
  expect((await Promise.all(valid)).filter((each) => each).length).toBeGreaterThan(40);
});

test('[AS1] a reply stored step by step equals one stored at once', async () => {
  const store = await openStore('memory:');
  await fc.assert(
    fc.asyncProperty(
      replyParts.filter((parts) => parts.length > 0),
      async (parts) => {
        const whole: UiMessageJson = JSON.parse(JSON.stringify({ id: 'a', role: 'assistant', parts }));
        const tree = await openChatTree(store);
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
