import { randomUUID } from 'node:crypto';
import { messageKit } from '@coppice/content';
import { run, textMessage, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { describe, expect, it } from 'vitest';
import { formatBranchUsage, formatDollars, formatTokenCount, readBranchUsage } from './branch-usage.ts';

describe('the usage of a branch', () => {
  it('[O96] is shown with its cost, and unknown parts are left out', () => {
    const usage = { replies: 2, input: 1200, output: 30, cost: 0.0123, context: 800 };
    expect(formatBranchUsage(usage)).toBe('2 replies on this branch: 1,200 tokens sent, 30 received; cost $0.0123.');
    expect(formatBranchUsage({ ...usage, replies: 1, input: 0, output: 0, cost: null })).toBe(
      '1 reply on this branch: the provider reported no tokens; the price is not known.',
    );
    expect(formatDollars(2)).toBe('$2.00');
    expect([999, 1_500, 128_000, 1_000_000].map(formatTokenCount)).toEqual(['999', '1.5k', '128k', '1.0M']);
  });

  it('[O96] is that of the whole branch, also of a long one whose beginning is not shown', async () => {
    const store = await openStore('memory:');
    const act = { actor: 'me', kit: messageKit, now: Date.now, newId: () => randomUUID() };
    const id = treeId(randomUUID());
    await run(store, { type: 'create', treeId: id }, act);
    const messages = Array.from({ length: 600 }, (_, at) => [
      { message: textMessage('user', `Question ${at}`) },
      {
        message: textMessage('assistant', `Answer ${at}`),
        meta: {
          source: {
            type: 'model',
            usage: { inputTokens: at, outputTokens: 1 },
            // The first reply has no known price.
            ...(at === 0 ? {} : { cost: { total: 0.5 } }),
          },
        },
      },
    ]).flat();
    const { added } = (await run(store, { type: 'append', treeId: id, messages }, act)).result;
    const last = added.at(-1);
    if (last === undefined) throw new Error('Nothing was added.');
    expect(await readBranchUsage(store, id, last)).toEqual({
      replies: 600,
      input: (599 * 600) / 2,
      output: 600,
      cost: 299.5,
      context: 600,
    });
    await store.close();
  });
});
