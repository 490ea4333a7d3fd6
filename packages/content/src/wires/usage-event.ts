import type { JsonObject } from '@coppice/core';
import type { UsageEvent } from './contract.ts';

/** A usage event with what is known; counts that the provider did not give are left out. */
export function usageEvent(
  raw: JsonObject,
  counts: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cacheReadTokens?: number | undefined;
    readonly cacheWriteTokens?: number | undefined;
    readonly reasoningTokens?: number | undefined;
  },
): UsageEvent {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = counts;
  return {
    type: 'usage',
    inputTokens,
    outputTokens,
    ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    raw,
  };
}
