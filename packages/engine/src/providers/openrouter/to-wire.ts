/** Builds chat completions with OpenRouter's extensions. Pure. */
import { type ChatBody, type ChatDialect, toChatBody } from '@coppice/content/wires';
import type { ProviderRequest } from '../contract.ts';

const dialect: ChatDialect = {
  lengthField: 'max_tokens',
  systemRole: 'system',
  textParts: true,
  reasoningDetails: true,
};

/** The extensions of OpenRouter. */
export interface OpenrouterBody extends ChatBody {
  usage: { include: true };
  reasoning?: { effort: 'low' | 'medium' | 'high' } | { max_tokens: number };
}

/** The body of a request. */
export function toOpenrouterBody(request: ProviderRequest, streaming: boolean): OpenrouterBody {
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
