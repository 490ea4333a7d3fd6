import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Context, clampReplyTokens, contextOf, estimateContextTokens, parseUsage } from './context.ts';
import { nodeId, treeId } from './ids.ts';
import type { JsonObject } from './message.ts';
import type { NodeMeta } from './node.ts';
import { buildPath, compactionLink, countingKit, type PathLink, textLink } from './testing/chain.ts';

function withUsage(usage: JsonObject): NodeMeta {
  return { source: { type: 'model', usage } };
}

function context(...links: readonly PathLink[]): Context {
  return contextOf(buildPath(...links), { kit: countingKit });
}

describe('usage', () => {
  test.each<[string, JsonObject, [number, number, number]]>([
    ['ours', { inputTokens: 10, outputTokens: 5, totalTokens: 15 }, [10, 5, 15]],
    ['ours without a total', { inputTokens: 10, outputTokens: 5 }, [10, 5, 15]],
    ['prompt and completion', { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }, [9, 4, 13]],
    ['input and output', { input_tokens: 9, output_tokens: 4 }, [9, 4, 13]],
    [
      'input beside a cache',
      { input_tokens: 3, cache_read_input_tokens: 900, cache_creation_input_tokens: 90, output_tokens: 7 },
      [993, 7, 1000],
    ],
    ['a total with reasoning in it', { prompt_tokens: 9, completion_tokens: 4, total_tokens: 50 }, [9, 4, 50]],
    ['a total alone', { total_tokens: 50 }, [50, 0, 50]],
    ['a total that is too small', { input_tokens: 9, output_tokens: 4, total_tokens: 1 }, [9, 4, 13]],
  ])('[X19] is read as %s', (_, usage, [inputTokens, outputTokens, totalTokens]) => {
    expect(parseUsage({ meta: withUsage(usage) })).toEqual({ inputTokens, outputTokens, totalTokens });
  });

  test.each<[string, NodeMeta]>([
    ['no source', {}],
    ['no usage', { source: { type: 'user' } }],
    ['null', { source: { usage: null } }],
    ['a list', { source: { usage: [1, 2] } }],
    ['the reply alone', withUsage({ output_tokens: 4 })],
    ['no numbers', withUsage({ input_tokens: '9', output_tokens: -1 })],
    ['what every object has', withUsage({ constructor: 1 })],
  ])('[X19] is absent where there is %s', (_, meta) => {
    expect(parseUsage({ meta })).toBeUndefined();
  });
});

describe('the estimate', () => {
  const reply = textLink('a', 'assistant', 'reply', withUsage({ inputTokens: 1000, outputTokens: 200 }));

  test('[X20] is the usage reported with the last reply plus 1.1 times the newer entries', () => {
    const { estimate } = context(textLink('u', 'user', 'x'.repeat(5000)), reply, textLink('v', 'user', 'x'.repeat(95)));
    expect(estimate).toEqual({ tokens: 1200 + 105, reported: 1200, newer: 95 });
  });

  test('[X20] is the reported usage if nothing is newer, and 1.1 times all if nothing was reported', () => {
    expect(context(reply).estimate.tokens).toBe(1200);
    expect(context(textLink('u', 'user', 'x'.repeat(10))).estimate).toEqual({ tokens: 11, reported: null, newer: 10 });
    expect(estimateContextTokens([])).toEqual({ tokens: 0, reported: null, newer: 0 });
  });

  test('[X20] uses the last of several reports', () => {
    const later = textLink('b', 'assistant', 'reply', withUsage({ total_tokens: 7 }));
    expect(context(reply, later, textLink('v', 'user', '1234567890')).estimate.tokens).toBe(7 + 11);
  });

  test('[X21] a compaction makes earlier reports stale', () => {
    const { estimate, tokens } = context(reply, compactionLink('c', 's', 'a'), textLink('v', 'user', 'new'));
    expect(estimate).toEqual({ tokens: Math.ceil(tokens * 1.1), reported: null, newer: tokens });
  });

  test('[X21] usage reported after a compaction counts', () => {
    const links = [textLink('u', 'user', 'old'), compactionLink('c', 's', 'u'), reply];
    expect(context(...links).estimate.reported).toBe(1200);
  });

  test.each<[string, PathLink]>([
    ['was cut short', { ...reply, status: 'interrupted' }],
    ['failed', { ...reply, status: 'error' }],
    ['was stopped', { ...reply, status: 'aborted' }],
    ['is being written', { ...reply, status: 'pending' }],
    ['is the user’s', { ...reply, message: { ...reply.message, role: 'user' } }],
    [
      'was picked from elsewhere',
      { ...reply, meta: { ...reply.meta, pickedFrom: { treeId: treeId('t'), nodeId: nodeId('p') } } },
    ],
    ['was excluded', { ...reply, meta: { ...reply.meta, excluded: true } }],
    ['says zero', { ...reply, meta: withUsage({ inputTokens: 0, outputTokens: 0 }) }],
  ])('[X21] usage reported with a message that %s does not count', (_, link) => {
    expect(context(link, textLink('v', 'user', 'x')).estimate.reported).toBeNull();
  });
});

describe('the longest reply', () => {
  test('[X22] is the smallest of the requested, possible and remaining length', () => {
    expect(clampReplyTokens({ asked: 500, maxOut: 4096, window: 100_000, estimate: 2000 }).maxTokens).toBe(500);
    expect(clampReplyTokens({ asked: 9000, maxOut: 4096, window: 100_000, estimate: 2000 }).maxTokens).toBe(4096);
    expect(clampReplyTokens({ asked: 9000, maxOut: 4096, window: 5000, estimate: 2000.5 }).maxTokens).toBe(2999);
    expect(clampReplyTokens({ maxOut: 4096, window: 100_000, estimate: 0 }).maxTokens).toBe(4096);
    expect(clampReplyTokens({ asked: 10, maxOut: 4096, window: 100, estimate: 5000 }).maxTokens).toBe(1);
    expect(clampReplyTokens({ asked: 0, maxOut: 4096, window: 100, estimate: 0 }).maxTokens).toBe(1);
  });

  test('[X22] is a whole number from 1 to each of the three bounds', () => {
    const size = fc.double({ min: 1, max: 1e7, noNaN: true });
    fc.assert(
      fc.property(size, size, size, fc.double({ min: 0, max: 1e7, noNaN: true }), (asked, maxOut, window, estimate) => {
        const { maxTokens: given } = clampReplyTokens({ asked, maxOut, window, estimate });
        expect(Number.isInteger(given)).toBe(true);
        expect(given).toBeGreaterThanOrEqual(1);
        expect(given).toBeLessThanOrEqual(asked);
        expect(given).toBeLessThanOrEqual(maxOut);
        expect(given).toBeLessThanOrEqual(Math.max(1, window - estimate));
        const bound = Math.min(asked, maxOut, Math.max(1, window - estimate));
        expect(bound - given).toBeLessThan(1);
      }),
    );
  });

  test('[X23] of an unknown model uses 8192 and 8192', () => {
    expect(clampReplyTokens({ estimate: 0 }).maxTokens).toBe(8192);
    expect(clampReplyTokens({ asked: 100_000, estimate: 192 }).maxTokens).toBe(8000);
    expect(clampReplyTokens({ window: 100_000, estimate: 0 }).maxTokens).toBe(8192);
    expect(
      clampReplyTokens({ asked: Number.NaN, maxOut: Number.NaN, window: Number.NaN, estimate: 92 }).maxTokens,
    ).toBe(8100);
    expect(clampReplyTokens({ estimate: 9000 })).toEqual({ maxTokens: 1, room: 'short' });
  });

  test.each<[string, Parameters<typeof clampReplyTokens>[0], 'ok' | 'short']>([
    ['255 are left of more', { asked: 1000, maxOut: 4096, window: 1000, estimate: 745 }, 'short'],
    ['256 are left', { asked: 1000, maxOut: 4096, window: 1000, estimate: 744 }, 'ok'],
    ['nothing is left', { maxOut: 4096, window: 1000, estimate: 2000 }, 'short'],
    ['no more was asked for', { asked: 100, maxOut: 4096, window: 1000, estimate: 500 }, 'ok'],
    ['fewer are left than the few asked for', { asked: 100, maxOut: 4096, window: 1000, estimate: 950 }, 'short'],
    ['the model never gives more', { asked: 1000, maxOut: 100, window: 1000, estimate: 0 }, 'ok'],
    ['one was asked for and none is left', { asked: 1, maxOut: 100, window: 1000, estimate: 1000 }, 'ok'],
  ])('[X24] the context fits when %s', (_, space, expected) => {
    expect(clampReplyTokens(space).room).toBe(expected);
  });
});
