/** Chooses between OpenAI's two APIs and builds the request, without I/O. */
import { type ChatCompletionBody, type ChatCompletionDialect, toChatCompletionBody } from '@coppice/content/wires';
import type { ProviderRequest } from '../contract.ts';

const dialect: ChatCompletionDialect = {
  lengthField: 'max_completion_tokens',
  systemRole: 'system',
  textParts: true,
  reasoningDetails: false,
};

/**
 * Returns whether a model reasons. Reasoning models use the Responses API, because only that returns the reasoning in a
 * form that can be sent back. The `chat` variants of these models do not reason.
 */
export function isReasoningModel(model: string): boolean {
  const name = model.replace(/^ft:/, '');
  return /^(?:o[1-9]|gpt-(?:[5-9]|\d\d)|gpt-oss|codex-|computer-use)/.test(name) && !/(?:^|-)chat(?:-|$)/.test(name);
}

export function toOpenAiBody(request: ProviderRequest, streaming: boolean): ChatCompletionBody {
  return toChatCompletionBody(request, dialect, streaming);
}
