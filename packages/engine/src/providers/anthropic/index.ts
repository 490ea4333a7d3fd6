import {
  adjustRequestForAnthropic,
  createAnthropicReader,
  hasWebUrl,
  isFileBlock,
  isImageBlock,
  isSignedBy,
  isThinkingBlock,
  isToolCall,
  readWholeAnthropicMessage,
  toAnthropicBody,
  toSupportedImageType,
} from '@coppice/content/wires';
import { defineProvider } from '../define.ts';
import { listServerModels } from '../list-models.ts';
import { streamOverHttp } from '../stream-over-http.ts';

const keyHeader = { name: 'x-api-key', prefix: '' } as const;
const headers = { 'anthropic-version': '2023-06-01' } as const;

/** Claude, through Anthropic's Messages API. Thinking blocks are sent back only with their signature. */
export const anthropic = defineProvider({
  name: 'anthropic',
  label: 'Anthropic',
  keyNames: ['ANTHROPIC_API_KEY'],
  keyUrl: 'https://console.anthropic.com/settings/keys',
  baseUrl: 'https://api.anthropic.com/v1',
  defaultModel: 'claude-sonnet-5',
  supports: {
    blocks: ['text', 'thinking', 'tool-use', 'image', 'file'],
    tools: true,
    toolChoice: true,
    thinking: true,
    images: true,
    systemInPlace: false,
    seed: false,
    streaming: true,
  },
  parameters: { temperature: { min: 0, max: 1 }, topP: { min: 0, max: 1 }, stop: { most: 64 } },
  adjust: adjustRequestForAnthropic,
  takes(block, role) {
    if (isThinkingBlock(block)) return role === 'assistant' && isSignedBy(block, 'anthropic');
    if (isToolCall(block)) return role === 'assistant';
    if (isImageBlock(block))
      return (
        role !== 'assistant' &&
        (hasWebUrl(block) || (block.source.type === 'base64' && toSupportedImageType(block.mediaType) !== undefined))
      );
    return (
      isFileBlock(block) && role === 'user' && block.source.type === 'base64' && block.mediaType === 'application/pdf'
    );
  },
  async *stream(request, call) {
    const streaming = call.streaming ?? true;
    yield* streamOverHttp(
      {
        path: '/messages',
        body: toAnthropicBody(request, streaming),
        streaming,
        framing: 'sse',
        keyHeader,
        headers,
        reader: createAnthropicReader,
        whole: readWholeAnthropicMessage,
      },
      call,
    );
  },
  listModels: (call) => listServerModels(call, { path: '/models?limit=1000', keyHeader, headers }),
});
