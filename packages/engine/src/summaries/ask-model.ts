/** Asks a model a single question, outside of any conversation. */
import { textMessage, textOf } from '@coppice/core';
import { maskKeys } from '../config/mask-keys.ts';
import { listConfiguredKeys } from '../config/secret.ts';
import { createLinkedController, TurnStopReason } from '../generate/stop.ts';
import { collectReply } from '../providers/accumulate-reply.ts';
import type { Clock } from '../providers/contract.ts';
import type { Model } from '../providers/index.ts';
import type { SummaryQuestion } from './prompts.ts';

/** The limits of one question, and the signal that stops it. */
export interface AskModelOptions {
  readonly maxTokens: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** The model's answer, or why it is not usable. A failed call may cost something too. */
export type ModelAnswer = (
  | { readonly type: 'said'; readonly text: string }
  /** The text that arrived before the failure; it is charged too. */
  | { readonly type: 'failed'; readonly code: string; readonly text: string }
) & {
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
  readonly cost: number | null;
};

const nothingUsed = { usage: null, cost: null };

/** Asks a model. Never rejects: a failure, a timeout and an empty answer are results too. */
export async function askModel(model: Model, question: SummaryQuestion, asking: AskModelOptions): Promise<ModelAnswer> {
  const { clock, timeoutMs, signal } = asking;
  const { controller, unlink } = createLinkedController(signal);
  const over = new AbortController();
  clock.wait(timeoutMs, over.signal).then(() => controller.abort(new TurnStopReason('deadline')), ignoreCancel);
  try {
    const stream = model.stream(
      {
        systemPrompt: question.system,
        messages: [textMessage('user', question.prompt)],
        maxTokens: computeAnswerLimit(model, asking.maxTokens),
      },
      { signal: controller.signal },
    );
    const { message, usage, last } = await collectReply(stream);
    const spent =
      usage === null
        ? nothingUsed
        : {
            usage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens },
            cost: model.cost(usage)?.total ?? null,
          };
    const whole = message === null ? '' : maskKeys(textOf(message), listConfiguredKeys());
    if (last?.type === 'error')
      return {
        type: 'failed',
        code: controller.signal.aborted ? 'provider/timeout' : last.code,
        text: whole,
        ...spent,
      };
    const text = answerText(whole);
    if (text === '') return { type: 'failed', code: 'generate/empty', text: whole, ...spent };
    if (last?.finishReason === 'content-filter' || last?.finishReason === 'refusal')
      return { type: 'failed', code: 'provider/content-filter', text: whole, ...spent };
    return { type: 'said', text, ...spent };
  } catch {
    // The provider threw although its contract forbids that; this function must not reject.
    return { type: 'failed', code: 'provider/internal', text: '', ...nothingUsed };
  } finally {
    over.abort();
    unlink();
  }
}

function ignoreCancel(): void {
  // The wait was cancelled because the answer arrived in time.
}

/**
 * Returns the reply limit for an answer of `wanted` tokens. For a reasoning model it is higher, because its reasoning
 * counts too and would otherwise use up the limit before any text.
 */
export function computeAnswerLimit({ info }: Model, wanted: number): number {
  const needed = info.capabilities.thinking && info.known ? wanted * 4 : wanted;
  return Math.max(1, Math.min(needed, info.maxOut, Math.floor(info.window / 2)));
}

// Removes the reasoning that local models put at the beginning of their text.
function answerText(text: string): string {
  return text.replace(/^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/i, '').trim();
}
