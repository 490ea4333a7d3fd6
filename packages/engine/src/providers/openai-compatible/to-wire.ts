/** How a server of the OpenAI kind is asked: chat completions, as plain as they can be. Pure. */
import { type ChatBody, type ChatDialect, toChatBody } from '@coppice/content/wires';
import type { ProviderRequest } from '../contract.ts';

// `max_tokens` is the older word, and the only one that all of them know.
const dialect: ChatDialect = {
  lengthField: 'max_tokens',
  systemRole: 'system',
  textParts: false,
  reasoningDetails: false,
};

/** A chat completion, with the wish for reasoning that several servers take. */
export interface CompatibleBody extends ChatBody {
  reasoning_effort?: 'low' | 'medium' | 'high';
}

/** The body of a request. */
export function toCompatibleBody(request: ProviderRequest, streaming: boolean): CompatibleBody {
  const { thinking } = request;
  return {
    ...toChatBody(request, dialect, streaming),
    ...(thinking === undefined ? {} : { reasoning_effort: thinking.effort }),
  };
}
