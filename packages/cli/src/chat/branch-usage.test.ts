import { describe, expect, it } from 'vitest';
import { formatBranchUsage, formatDollars, formatTokenCount } from './branch-usage.ts';

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
});
