/** Builds chat completions requests without extensions, for OpenAI-compatible servers. */
import { type ChatCompletionBody, type ChatCompletionDialect, toChatCompletionBody } from '@coppice/content/wires';
import type { ProviderRequest } from '../contract.ts';

// `max_tokens` is the older name, and the only one that all servers support.
const dialect: ChatCompletionDialect = {
  lengthField: 'max_tokens',
  systemRole: 'system',
  textParts: false,
  reasoningDetails: false,
};

/** A chat completions body with the reasoning option that several servers accept. */
export interface OpenAiCompatibleBody extends ChatCompletionBody {
  reasoning_effort?: 'low' | 'medium' | 'high';
}

export function toOpenAiCompatibleBody(request: ProviderRequest, streaming: boolean): OpenAiCompatibleBody {
  const { thinking } = request;
  return {
    ...toChatCompletionBody(request, dialect, streaming),
    ...(thinking === undefined ? {} : { reasoning_effort: thinking.effort }),
  };
}
