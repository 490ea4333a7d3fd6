import { hasAddress, hasBytes, isCall, isImage, isThinking } from '../blocks.ts';
import { defineProvider } from '../define.ts';
import { listModelIds } from '../list-models.ts';
import { overHttp } from '../over-http.ts';
import { chatReader, chatWhole, responsesReader, responsesWhole } from './from-wire.ts';
import { toResponsesBody } from './responses-to-wire.ts';
import { isReasoningModel, toOpenaiChat } from './to-wire.ts';

const keyHeader = { name: 'authorization', prefix: 'Bearer ' } as const;
const parameters = {
  temperature: { min: 0, max: 2 },
  topP: { min: 0, max: 1 },
  stop: { most: 4 },
  seed: { min: -(2 ** 53 - 1), max: 2 ** 53 - 1 },
} as const;

/** GPT and the o-series: chat completions, and Responses for models that reason. */
export const openai = defineProvider({
  name: 'openai',
  label: 'OpenAI',
  keyNames: ['OPENAI_API_KEY'],
  baseUrl: 'https://api.openai.com/v1',
  defaultModel: 'gpt-5.4-mini',
  supports: {
    blocks: ['text', 'thinking', 'tool-use', 'image', 'file'],
    tools: true,
    toolChoice: true,
    thinking: true,
    images: true,
    systemInPlace: true,
    seed: true,
    streaming: true,
  },
  parameters,
  // Models that reason choose their own temperature and refuse to be told one.
  parametersOf: (model) => (isReasoningModel(model) ? {} : parameters),
  takes(block, role, model) {
    if (isThinking(block))
      return (
        isReasoningModel(model) &&
        block.provider === 'openai' &&
        block.signature !== undefined &&
        block.redacted !== undefined
      );
    if (isCall(block)) return role === 'assistant';
    if (role !== 'user') return false;
    return isImage(block)
      ? hasAddress(block) || hasBytes(block, /^image\/(?:png|jpe?g|webp|gif)/)
      : hasBytes(block, /^application\/pdf/);
  },
  async *stream(request, call) {
    const streaming = call.streaming ?? true;
    const common = { streaming, framing: 'sse', keyHeader } as const;
    if (isReasoningModel(request.model)) {
      const body = toResponsesBody(request, streaming);
      yield* overHttp({ ...common, path: '/responses', body, reader: responsesReader, whole: responsesWhole }, call);
    } else {
      const body = toOpenaiChat(request, streaming);
      yield* overHttp({ ...common, path: '/chat/completions', body, reader: chatReader, whole: chatWhole }, call);
    }
  },
  listModels: (call) => listModelIds(call, { path: '/models', keyHeader }),
});
