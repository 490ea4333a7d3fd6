/** Builds chat completions requests with OpenRouter's extensions, without I/O. */
import { type ChatBody, type ChatDialect, toChatBody } from '@coppice/content/wires';
import type { ProviderRequest } from '../contract.ts';

const dialect: ChatDialect = {
  lengthField: 'max_tokens',
  systemRole: 'system',
  textParts: true,
  reasoningDetails: true,
};

/** A chat completions body with OpenRouter's extensions. */
export interface OpenRouterBody extends ChatBody {
  usage: { include: true };
  reasoning?: { effort: 'low' | 'medium' | 'high' } | { max_tokens: number };
}

export function toOpenRouterBody(request: ProviderRequest, streaming: boolean): OpenRouterBody {
  const { thinking } = request;
  const budget = thinking?.budgetTokens;
  return {
    ...toChatBody(request, dialect, streaming),
    usage: { include: true },
    ...(thinking === undefined
      ? {}
      : { reasoning: budget === undefined ? { effort: thinking.effort } : { max_tokens: Math.floor(budget) } }),
  };
}
