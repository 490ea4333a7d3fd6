import {
  createResponsesReader,
  hasEmbeddedBytes,
  hasWebUrl,
  isImageBlock,
  isThinkingBlock,
  isToolCall,
  readWholeOpenAiResponse,
  responsesOutputTokenRange,
  toResponsesBody,
} from '@coppice/content/wires';
import {
  bearerKeyHeader,
  chatCompletionParameters,
  chatCompletionSupport,
  streamChatCompletion,
} from '../chat-completions.ts';
import { defineProvider } from '../define.ts';
import { listServerModels } from '../list-models.ts';
import { streamOverHttp } from '../stream-over-http.ts';
import { isReasoningModel, toOpenAiBody } from './to-wire.ts';

/** OpenAI's models, through the Responses API for models that reason and chat completions for the others. */
export const openai = defineProvider({
  name: 'openai',
  label: 'OpenAI',
  keyNames: ['OPENAI_API_KEY'],
  keyUrl: 'https://platform.openai.com/api-keys',
  baseUrl: 'https://api.openai.com/v1',
  defaultModel: 'gpt-5.4-mini',
  supports: {
    blocks: ['text', 'thinking', 'tool-use', 'image', 'file'],
    ...chatCompletionSupport,
  },
  parameters: chatCompletionParameters,
  // Reasoning models reject a temperature.
  parametersOf: (model) =>
    isReasoningModel(model) ? { maxTokens: responsesOutputTokenRange } : chatCompletionParameters,
  takes(block, role, model) {
    if (isThinkingBlock(block))
      return (
        isReasoningModel(model) &&
        block.provider === 'openai' &&
        block.signature !== undefined &&
        block.redacted !== undefined
      );
    if (isToolCall(block)) return role === 'assistant';
    if (role !== 'user') return false;
    return isImageBlock(block)
      ? hasWebUrl(block) || hasEmbeddedBytes(block, /^image\/(?:png|jpe?g|webp|gif)/)
      : hasEmbeddedBytes(block, /^application\/pdf/);
  },
  adjust(request, changed) {
    // Only reasoning models accept the option `thinking`.
    if (request.thinking === undefined || isReasoningModel(request.model)) return request;
    changed('thinking', request.thinking.effort);
    return { ...request, thinking: undefined };
  },
  async *stream(request, call) {
    if (!isReasoningModel(request.model))
      return yield* streamChatCompletion(call, (streaming) => toOpenAiBody(request, streaming));
    const streaming = call.streaming ?? true;
    yield* streamOverHttp(
      {
        path: '/responses',
        body: toResponsesBody(request, streaming),
        streaming,
        framing: 'sse',
        keyHeader: bearerKeyHeader,
        reader: createResponsesReader,
        whole: readWholeOpenAiResponse,
      },
      call,
    );
  },
  listModels: (call) => listServerModels(call, { path: '/models', keyHeader: bearerKeyHeader }),
});
