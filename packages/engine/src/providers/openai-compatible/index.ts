import { hasEmbeddedBytes, hasWebUrl, isImageBlock, isToolCall } from '@coppice/content/wires';
import {
  bearerKeyHeader,
  chatCompletionParameters,
  chatCompletionSupport,
  streamChatCompletion,
} from '../chat-completions.ts';
import { defineProvider } from '../define.ts';
import { listServerModels } from '../list-models.ts';
import { describeLocalModel } from '../read-window.ts';
import { toOpenAiCompatibleBody } from './to-wire.ts';

/**
 * Any server with a chat completions API. The configuration gives each server a name and a base URL; a key is optional.
 */
export const openaiCompatible = defineProvider({
  name: 'openai-compatible',
  label: 'OpenAI-compatible server',
  keyNames: [],
  keyRequired: false,
  baseUrl: null,
  supports: {
    blocks: ['text', 'tool-use', 'image'],
    ...chatCompletionSupport,
  },
  parameters: chatCompletionParameters,
  takes(block, role) {
    if (isToolCall(block)) return role === 'assistant';
    return role === 'user' && isImageBlock(block) && (hasWebUrl(block) || hasEmbeddedBytes(block, /^image\//));
  },
  stream: (request, call) => streamChatCompletion(call, (streaming) => toOpenAiCompatibleBody(request, streaming)),
  listModels: (call) => listServerModels(call, { path: '/models', keyHeader: bearerKeyHeader }),
  describeModel: describeLocalModel,
});
