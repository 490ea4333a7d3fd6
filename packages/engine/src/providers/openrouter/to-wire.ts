/** Builds chat completions requests with OpenRouter's extensions, without I/O. */
import { type ChatCompletionBody, type ChatCompletionDialect, toChatCompletionBody } from '@coppice/content/wires';
import type { ProviderRequest } from '../contract.ts';

const dialect: ChatCompletionDialect = {
  lengthField: 'max_tokens',
  systemRole: 'system',
  textParts: true,
  reasoningDetails: true,
};

/** A chat completions body with OpenRouter's extensions. */
export interface OpenRouterBody extends ChatCompletionBody {
  usage: { include: true };
  reasoning?: { effort: 'low' | 'medium' | 'high' } | { max_tokens: number };
}

export function toOpenRouterBody(request: ProviderRequest, streaming: boolean): OpenRouterBody {
  const { thinking } = request;
  const budget = thinking?.budgetTokens;
  return {
    ...toChatCompletionBody(request, dialect, streaming),
    usage: { include: true },
    ...(thinking === undefined
      ? {}
      : { reasoning: budget === undefined ? { effort: thinking.effort } : { max_tokens: Math.floor(budget) } }),
  };
}
