/** A single question to a model, outside of any conversation. */
import { textMessage, textOf } from '@coppice/core';
import { replaceKeys } from '../config/mask-keys.ts';
import { listConfiguredKeys } from '../config/secret.ts';
import { createLinkedController, TurnStopReason } from '../generate/stop.ts';
import { collectReply } from '../providers/accumulate-reply.ts';
import type { Clock } from '../providers/contract.ts';
import type { Model } from '../providers/index.ts';
import type { SummaryQuestion } from './prompts.ts';

/** Options of a question. */
export interface ModelQuestion {
  readonly maxTokens: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** The model's answer, or why there is no usable one; both may have cost something. */
export type ModelAnswer = (
  | { readonly type: 'said'; readonly text: string }
  /** `text` is what arrived before the failure; it was charged too. */
  | { readonly type: 'failed'; readonly code: string; readonly text: string }
) & {
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
  readonly cost: number | null;
};

const nothingUsed = { usage: null, cost: null };

/** Asks a model. Never rejects: a failure, a timeout and an empty answer are results too. */
export async function askModel(model: Model, question: SummaryQuestion, asking: ModelQuestion): Promise<ModelAnswer> {
  const { clock, timeoutMs, signal } = asking;
  const { controller, unlink } = createLinkedController(signal);
  const over = new AbortController();
  clock.wait(timeoutMs, over.signal).then(() => controller.abort(new TurnStopReason('deadline')), ignoreCancel);
  try {
    const stream = model.stream(
      {
        systemPrompt: question.system,
        messages: [textMessage('user', question.prompt)],
        maxTokens: computeReplySpace(model, asking.maxTokens),
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
    const whole = message === null ? '' : replaceKeys(textOf(message), listConfiguredKeys());
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
    // A provider that throws violates its contract; this function still keeps its own.
    return { type: 'failed', code: 'provider/internal', text: '', ...nothingUsed };
  } finally {
    over.abort();
    unlink();
  }
}

function ignoreCancel(): void {
  // The answer arrived in time.
}

/**
 * Computes the reply limit for a text of so many tokens. A reasoning model counts its reasoning towards the limit, and
 * would be cut off before it writes any text.
 */
export function computeReplySpace({ info }: Model, wanted: number): number {
  const needed = info.capabilities.thinking && info.known ? wanted * 4 : wanted;
  return Math.max(1, Math.min(needed, info.maxOut, Math.floor(info.window / 2)));
}

// Local models include their reasoning in the text.
function answerText(text: string): string {
  return text.replace(/^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/i, '').trim();
}
