/** Chooses between OpenAI's two APIs and builds the request. Pure. */
import { type ChatBody, type ChatDialect, toChatBody } from '@coppice/content/wires';
import type { ProviderRequest } from '../contract.ts';

const dialect: ChatDialect = {
  lengthField: 'max_completion_tokens',
  systemRole: 'system',
  textParts: true,
  reasoningDetails: false,
};

/**
 * Whether a model reasons. Reasoning models use the Responses API, the only one that returns their reasoning so that
 * it can be sent back; some support no other. Their `chat` variants do not reason.
 */
export function isReasoningModel(model: string): boolean {
  const name = model.replace(/^ft:/, '');
  return /^(?:o[1-9]|gpt-(?:[5-9]|\d\d)|gpt-oss|codex-|computer-use)/.test(name) && !/(?:^|-)chat(?:-|$)/.test(name);
}

/** The body of a chat completion. */
export function toOpenaiChat(request: ProviderRequest, streaming: boolean): ChatBody {
  return toChatBody(request, dialect, streaming);
}
