/** Streams a text word by word like a model: with usage, stop texts, a reply limit and an end event. */

import { estimateMessageTokens, estimateTokens } from '@coppice/content';
import { buildUsageEvent } from '@coppice/content/wires';
import { systemClock } from '../clock.ts';
import type { FinishReason, ProviderCall, ProviderEvent, ProviderRequest, UsageEvent } from '../contract.ts';

/** Estimates the usage of a call, because offline models have no tokenizer. */
export function estimateUsage(request: ProviderRequest, outputTokens: number): UsageEvent {
  let inputTokens = estimateTokens(request.systemPrompt ?? '');
  for (const message of request.messages) inputTokens += estimateMessageTokens(message);
  return buildUsageEvent({ estimated: true }, { inputTokens, outputTokens });
}

/** Returns the text before the first stop text. */
function untilStop(text: string, stop: readonly string[]): string {
  let end = text.length;
  for (const each of stop) {
    const found = text.indexOf(each);
    if (found !== -1) end = Math.min(end, found);
  }
  return text.slice(0, end);
}

/**
 * Yields the text word by word. Each word counts as at least one token; the reply ends with `length` when the next word
 * does not fit.
 */
export async function* streamTextByWord(
  text: string,
  request: ProviderRequest,
  call: ProviderCall,
): AsyncGenerator<ProviderEvent, void, void> {
  const pace = call.paceMs ?? 0;
  const signal = call.signal ?? new AbortController().signal;
  let tokens = 0;
  let finishReason: FinishReason = 'stop';
  for (const [piece] of untilStop(text, request.stop ?? []).matchAll(/\s*\S+/g)) {
    const cost = Math.max(1, estimateTokens(piece));
    if (request.maxTokens !== undefined && tokens + cost > request.maxTokens) {
      finishReason = 'length';
      break;
    }
    tokens += cost;
    if (pace > 0) await (call.clock ?? systemClock).wait(pace, signal);
    yield { type: 'text-delta', text: piece };
  }
  yield estimateUsage(request, tokens);
  yield { type: 'end', finishReason, raw: finishReason };
}
