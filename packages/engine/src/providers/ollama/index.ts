import { getMember, getTextMember, hasEmbeddedBytes, isToolCall, listOrNone } from '@coppice/content/wires';
import { bearerKeyHeader } from '../chat-completions.ts';
import type { ListedModel } from '../contract.ts';
import { defineProvider } from '../define.ts';
import { getJson, isChatModel } from '../list-models.ts';
import { findOllamaContextWindow } from '../read-window.ts';
import { streamOverHttp } from '../stream-over-http.ts';
import { createOllamaReader, readOllamaResponse } from './from-wire.ts';
import { toOllamaBody } from './to-wire.ts';

/**
 * Local or remote models that Ollama serves. Uses its native API, because the OpenAI-compatible one truncates to 4,096
 * tokens by default.
 */
export const ollama = defineProvider({
  name: 'ollama',
  label: 'Ollama',
  keyNames: ['OLLAMA_API_KEY'],
  keyRequired: false,
  baseUrl: 'http://127.0.0.1:11434',
  supports: {
    blocks: ['text', 'tool-use', 'image'],
    tools: true,
    toolChoice: false,
    thinking: true,
    images: true,
    systemInPlace: true,
    seed: true,
    streaming: true,
  },
  parameters: {
    temperature: { min: 0, max: 2 },
    topP: { min: 0, max: 1 },
    stop: { most: 16 },
    seed: { min: 0, max: 2 ** 31 - 1 },
  },
  takes: (block, role) => isToolCall(block) || (role === 'user' && hasEmbeddedBytes(block, /^image\//)),
  async *stream(request, call) {
    const streaming = call.streaming ?? true;
    yield* streamOverHttp(
      {
        path: '/api/chat',
        body: toOllamaBody(request, streaming),
        streaming,
        framing: 'lines',
        keyHeader: bearerKeyHeader,
        reader: createOllamaReader,
        whole: readOllamaResponse,
      },
      call,
    );
  },
  async listModels(call) {
    const body = await getJson(call, { path: '/api/tags', keyHeader: bearerKeyHeader });
    const models: ListedModel[] = [];
    for (const each of listOrNone(getMember(body, 'models'))) {
      const id = getTextMember(each, 'model') ?? getTextMember(each, 'name');
      if (id !== undefined && isChatModel(id)) models.push({ id });
    }
    return models;
  },
  async describeModel(model, call) {
    const shown = await getJson(call, { path: '/api/show', keyHeader: bearerKeyHeader, body: { model } });
    const window = findOllamaContextWindow(shown);
    return window === undefined || window === 0 ? null : { id: model, window };
  },
});
