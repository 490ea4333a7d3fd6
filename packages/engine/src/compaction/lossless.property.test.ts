import { messageKit } from '@coppice/content';
import {
  isAppError,
  type Message,
  type NodeId,
  type RunContext,
  readPath,
  run,
  type Store,
  type ToolUseBlock,
  textMessage,
  textOf,
  treeId,
} from '@coppice/core';
import { contextOf, pairTools, readContextPath } from '@coppice/core/context';
import { openStore } from '@coppice/stores';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newId } from '../new-id.ts';
import type { Summarizer, SummarizerRequest } from '../summaries/contract.ts';
import { extractSummary } from '../summaries/extract.ts';
import { createCompactor } from './compactor.ts';

/** A random change of a chat: a message, tool calls, or a compaction. */
type ChatEvent =
  | { readonly type: 'say'; readonly role: 'user' | 'assistant' | 'system'; readonly words: number }
  | { readonly type: 'call'; readonly results: readonly number[]; readonly answered: number }
  | { readonly type: 'compact'; readonly keep: number };

const chatEvent: fc.Arbitrary<ChatEvent> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('say' as const),
      role: fc.constantFrom('user' as const, 'assistant' as const, 'system' as const),
      words: fc.integer({ min: 1, max: 60 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('call' as const),
      results: fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 3 }),
      // Some calls were interrupted before they returned a result.
      answered: fc.integer({ min: 0, max: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('compact' as const), keep: fc.integer({ min: 0, max: 400 }) }),
  },
);

/** A summarizer that records its inputs. */
function recorder(): Summarizer & { readonly inputs: SummarizerRequest[] } {
  const inputs: SummarizerRequest[] = [];
  return {
    inputs,
    async compaction(request) {
      inputs.push(request);
      const text = extractSummary({ messages: request.messages, previous: request.previous ?? null, maxTokens: 200 });
      return { text: `${inputs.length}: ${text}`, source: { type: 'extract', reason: 'no-model' } };
    },
    branch: () => Promise.reject(new Error('No branch is left here.')),
    title: () => Promise.resolve(null),
  };
}

function messagesOf(one: Exclude<ChatEvent, { type: 'compact' }>, mark: () => string): Message[] {
  if (one.type === 'say') return [textMessage(one.role, `${mark()} ${'word '.repeat(one.words)}`)];
  const calls = one.results.map(
    (_, at): ToolUseBlock => ({ type: 'tool-use', id: `c${at}`, name: 'tool', parameters: { mark: mark() } }),
  );
  // Ids start again in every reply, as with models that number their calls.
  return [
    { role: 'assistant', content: calls },
    ...one.results.slice(0, one.answered).map((words, at) => ({
      ...textMessage('tool', `${mark()} ${'word '.repeat(words)}`),
      tool_call_id: `c${at}`,
    })),
  ];
}

async function readContextAt(store: Store, id: ReturnType<typeof treeId>, to: NodeId) {
  return store.read(id, function* () {
    return contextOf(yield* readContextPath(to), { kit: messageKit, systemPrompt: 'Be brief.' });
  });
}

test('[Y28] any number of compactions loses no message and separates no call from its result', async () => {
  const store = await openStore('memory:');
  const context: RunContext = { actor: 'me', now: () => 1, newId: () => newId(), kit: messageKit };
  await fc.assert(
    fc.asyncProperty(fc.array(chatEvent, { minLength: 4, maxLength: 24 }), async (acts) => {
      const id = treeId(newId());
      await run(store, { type: 'create', treeId: id, attributes: { systemPrompt: 'Be brief.' } }, context);
      const summarizer = recorder();
      const compactor = createCompactor({ store, summarizer });
      const marks: string[] = [];
      const mark = () => {
        marks.push(`mark-${marks.length};`);
        return marks.at(-1) ?? '';
      };
      let last = '';
      for (const one of acts) {
        if (one.type !== 'compact') {
          const messages = messagesOf(one, mark).map((message) => ({ message }));
          await run(store, { type: 'append', treeId: id, messages, merge: false }, context);
          continue;
        }
        const calls = summarizer.inputs.length;
        const made = await compactor.compact({ treeId: id, keep: one.keep }).catch((thrown: unknown) => {
          if (!isAppError(thrown) || thrown.code !== 'context/nothing-to-compact') throw thrown;
          return null;
        });
        expect(summarizer.inputs.length).toBe(made === null ? calls : calls + 1);
        if (made === null) continue;
        // The earlier summary is passed to the summarizer in full.
        expect(summarizer.inputs.at(-1)?.previous ?? '').toBe(last);
        last = made.summary;
        const found = await readContextAt(store, id, made.nodeId);
        const path = await store.read(id, () => readPath({ to: made.nodeId }));
        const said = path.filter((node) => node.kind === 'message');
        const kept = found.entries.slice(2);
        expect(found.entries.slice(0, 2).map((entry) => entry.kind)).toEqual(['system-prompt', 'summary']);
        expect(textOf(found.entries[1]?.message ?? textMessage('user', ''))).toContain(made.summary);
        expect(kept.map((entry) => entry.nodeId)).toEqual(said.slice(said.length - kept.length).map((node) => node.id));
        expect(made.summarised).toBeGreaterThan(0);
        const all = pairTools(said.flatMap((node) => node.message ?? []));
        const from = said.length - kept.length;
        for (const [calling, pairs] of all.calls)
          for (const { result } of pairs) if (result !== null) expect(calling >= from).toBe(result >= from);
        const read = JSON.stringify([
          summarizer.inputs.map(({ messages, turnPrefix }) => [messages, turnPrefix]),
          kept,
        ]);
        for (const each of marks) expect(read).toContain(each);
      }
    }),
  );
  await store.close();
});
