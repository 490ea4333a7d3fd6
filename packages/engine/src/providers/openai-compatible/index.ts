import { hasAddress, hasBytes, isCall, isImage } from '../blocks.ts';
import { defineProvider } from '../define.ts';
import { listModelIds } from '../list-models.ts';
import { overHttp } from '../over-http.ts';
import { chatReader, chatWhole } from './from-wire.ts';
import { toCompatibleBody } from './to-wire.ts';

const keyHeader = { name: 'authorization', prefix: 'Bearer ' } as const;

/** Any server that speaks chat completions. The configuration names each with its base URL; a key is sent if there is one. */
export const openaiCompatible = defineProvider({
  name: 'openai-compatible',
  label: 'OpenAI-compatible server',
  keyNames: [],
  keyRequired: false,
  baseUrl: null,
  supports: {
    blocks: ['text', 'tool-use', 'image'],
    tools: true,
    toolChoice: true,
    thinking: true,
    images: true,
    systemInPlace: true,
    seed: true,
    streaming: true,
  },
  parameters: {
    temperature: { min: 0, max: 2 },
    topP: { min: 0, max: 1 },
    stop: { most: 4 },
    seed: { min: -(2 ** 53 - 1), max: 2 ** 53 - 1 },
  },
  takes(block, role) {
    if (isCall(block)) return role === 'assistant';
    return role === 'user' && isImage(block) && (hasAddress(block) || hasBytes(block, /^image\//));
  },
  async *stream(request, call) {
    const streaming = call.streaming ?? true;
    const body = toCompatibleBody(request, streaming);
    const path = '/chat/completions';
    yield* overHttp({ path, body, streaming, framing: 'sse', keyHeader, reader: chatReader, whole: chatWhole }, call);
  },
  listModels: (call) => listModelIds(call, { path: '/models', keyHeader }),
});
