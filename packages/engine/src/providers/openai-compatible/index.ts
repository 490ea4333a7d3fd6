import { hasEmbeddedBytes, hasWebUrl, isImage, isToolCall } from '@coppice/content/wires';
import { bearerKeyHeader, chatParameters, chatSupport, streamChatCompletion } from '../chat-completions.ts';
import { defineProvider } from '../define.ts';
import { listServerModels } from '../list-models.ts';
import { describeLocalModel } from '../read-window.ts';
import { toCompatibleBody } from './to-wire.ts';

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
    ...chatSupport,
  },
  parameters: chatParameters,
  takes(block, role) {
    if (isToolCall(block)) return role === 'assistant';
    return role === 'user' && isImage(block) && (hasWebUrl(block) || hasEmbeddedBytes(block, /^image\//));
  },
  stream: (request, call) => streamChatCompletion(call, (streaming) => toCompatibleBody(request, streaming)),
  listModels: (call) => listServerModels(call, { path: '/models', keyHeader: bearerKeyHeader }),
  describeModel: describeLocalModel,
});
