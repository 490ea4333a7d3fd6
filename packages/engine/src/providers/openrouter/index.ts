import { hasEmbeddedBytes, hasWebUrl, isImageBlock, isThinkingBlock, isToolCall } from '@coppice/content/wires';
import {
  bearerKeyHeader,
  chatCompletionParameters,
  chatCompletionSupport,
  streamChatCompletion,
} from '../chat-completions.ts';
import { defineProvider } from '../define.ts';
import { getJson, listServerModels } from '../list-models.ts';
import { toOpenRouterBody } from './to-wire.ts';

const headers = { 'x-title': 'Coppice' } as const;

/** Models of many vendors with one key. Their names contain a slash, as in `openrouter/meta/llama-4`. */
export const openrouter = defineProvider({
  name: 'openrouter',
  label: 'OpenRouter',
  keyNames: ['OPENROUTER_API_KEY'],
  keyUrl: 'https://openrouter.ai/settings/keys',
  baseUrl: 'https://openrouter.ai/api/v1',
  defaultModel: 'openrouter/auto',
  supports: {
    blocks: ['text', 'thinking', 'tool-use', 'image', 'file'],
    ...chatCompletionSupport,
  },
  parameters: chatCompletionParameters,
  takes(block, role) {
    if (isThinkingBlock(block))
      return role === 'assistant' && block.provider === 'openrouter' && block.signature !== undefined;
    if (isToolCall(block)) return role === 'assistant';
    if (role !== 'user') return false;
    return isImageBlock(block)
      ? hasWebUrl(block) || hasEmbeddedBytes(block, /^image\//)
      : hasEmbeddedBytes(block, /^application\/pdf/);
  },
  stream: (request, call) => streamChatCompletion(call, (streaming) => toOpenRouterBody(request, streaming), headers),
  listModels: (call) => listServerModels(call, { path: '/models', keyHeader: bearerKeyHeader, headers }),
  checkKey: (call) => getJson(call, { path: '/key', keyHeader: bearerKeyHeader, headers }),
});
