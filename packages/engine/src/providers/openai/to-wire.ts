/** How OpenAI is asked: which of its two interfaces a model needs, and in which dialect. Pure. */
import { type ChatBody, type ChatDialect, toChatBody } from '@coppice/content/wires';
import type { ProviderRequest } from '../contract.ts';

const dialect: ChatDialect = {
  lengthField: 'max_completion_tokens',
  systemRole: 'system',
  textParts: true,
  reasoningDetails: false,
};

/**
 * Whether a model reasons. Those are asked by Responses, the only interface that gives their reasoning back to be sent
 * again; some of them have no other. The `chat` models beside them do not reason.
 */
export function isReasoningModel(model: string): boolean {
  const name = model.replace(/^ft:/, '');
  return /^(?:o[1-9]|gpt-(?:[5-9]|\d\d)|gpt-oss|codex-|computer-use)/.test(name) && !/(?:^|-)chat(?:-|$)/.test(name);
}

/** The body of a chat completion. */
export function toOpenaiChat(request: ProviderRequest, streaming: boolean): ChatBody {
  return toChatBody(request, dialect, streaming);
}
