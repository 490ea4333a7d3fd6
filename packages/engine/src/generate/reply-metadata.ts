/** Builds the `source` metadata of a reply. */
import type { Json, JsonObject } from '@coppice/core';
import type { Cost } from '../catalogue/index.ts';
import type { FinishReason, ProviderUsage } from '../providers/contract.ts';
import type { TurnNotice } from './notices.ts';
import type { Prompt } from './prompt.ts';

function knownFields(entries: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(entries).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

/** Builds the source of a reply that starts: the model, and the parameters and tools as they are sent. */
export function buildStartedReplySource({ model, request, combination }: Prompt): JsonObject {
  const { temperature, topP, stop, seed, thinking, tools, maxTokens } = model.fit(request);
  return knownFields({
    type: 'model',
    provider: model.provider.name,
    model_name: model.model,
    parameters: knownFields({
      max_tokens: maxTokens,
      temperature,
      top_p: topP,
      stop,
      seed,
      thinking: thinking === undefined ? undefined : knownFields({ ...thinking }),
    }),
    tools: tools?.map((tool) => tool.name),
    combined_from: combination?.record,
  });
}

/** The facts about a reply that are known only at its end: usage, cost, times and notices. */
export interface ReplyFacts {
  readonly finishReason: FinishReason | null;
  readonly usage: Omit<ProviderUsage, 'raw'> | null;
  readonly cost: Cost | null;
  readonly startedAt: number;
  /** Milliseconds until the first event; null if there was none. */
  readonly firstMs: number | null;
  readonly totalMs: number;
  /** The model that was tried first, and the code of its error; null if no fallback was used. */
  readonly instead: { readonly model: string; readonly code: string } | null;
  /** Differences between the caller's options and the request that was sent. */
  readonly notices: readonly TurnNotice[];
}

/** Adds usage, cost, times and notices to the source of a reply that has ended. */
export function buildFinishedReplySource(prompt: Prompt, facts: ReplyFacts): JsonObject {
  const { finishReason, usage, cost, startedAt, firstMs, totalMs, instead, notices } = facts;
  return {
    ...buildStartedReplySource(prompt),
    ...knownFields({
      finish_reason: finishReason ?? undefined,
      usage: usage === null ? undefined : knownFields({ ...usage }),
      cost: cost === null ? undefined : knownFields({ ...cost }),
      timing: knownFields({ startedAt, firstMs: firstMs ?? undefined, totalMs }),
      notices: notices.length === 0 ? undefined : notices.map(({ code, data }) => ({ code, data })),
      instead_of: instead === null ? undefined : knownFields({ ...instead }),
    }),
  };
}
