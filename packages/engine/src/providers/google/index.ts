import {
  createGoogleReader,
  getCountMember,
  getMember,
  getTextMember,
  hasEmbeddedBytes,
  isSignedBy,
  isThinkingBlock,
  isToolCall,
  listOrNone,
  readWholeGoogleAnswer,
  toGoogleBody,
} from '@coppice/content/wires';
import type { ListedModel } from '../contract.ts';
import { defineProvider } from '../define.ts';
import { getJson } from '../list-models.ts';
import { streamOverHttp } from '../stream-over-http.ts';

// The key is sent in a header instead of `?key=`, because URLs are logged.
const keyHeader = { name: 'x-goog-api-key', prefix: '' } as const;

/** Gemini, through Google's generateContent API. */
export const google = defineProvider({
  name: 'google',
  label: 'Google',
  keyNames: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  keyUrl: 'https://aistudio.google.com/apikey',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  defaultModel: 'gemini-3.5-flash',
  supports: {
    blocks: ['text', 'thinking', 'tool-use', 'image', 'file'],
    tools: true,
    toolChoice: true,
    thinking: true,
    images: true,
    systemInPlace: false,
    seed: true,
    streaming: true,
  },
  parameters: {
    temperature: { min: 0, max: 2 },
    topP: { min: 0, max: 1 },
    stop: { most: 5 },
    seed: { min: -(2 ** 31), max: 2 ** 31 - 1 },
  },
  takes(block, role) {
    if (isThinkingBlock(block))
      return role === 'assistant' && isSignedBy(block, 'google') && block.provider === 'google';
    if (isToolCall(block)) return role === 'assistant';
    return (
      role !== 'tool' &&
      hasEmbeddedBytes(block, /^(?:image\/(?:png|jpe?g|webp|heic|heif|gif)|application\/pdf|audio\/|video\/)/)
    );
  },
  async *stream(request, call) {
    const streaming = call.streaming ?? true;
    const model = encodeURIComponent(request.model.replace(/^models\//, ''));
    yield* streamOverHttp(
      {
        path: `/models/${model}:${streaming ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
        body: toGoogleBody(request),
        streaming,
        framing: 'sse',
        keyHeader,
        reader: createGoogleReader,
        whole: readWholeGoogleAnswer,
      },
      call,
    );
  },
  async listModels(call) {
    const body = await getJson(call, { path: '/models?pageSize=1000', keyHeader });
    const models: ListedModel[] = [];
    for (const each of listOrNone(getMember(body, 'models'))) {
      const id = getTextMember(each, 'name')?.replace(/^models\//, '');
      if (id === undefined || !listOrNone(getMember(each, 'supportedGenerationMethods')).includes('generateContent'))
        continue;
      const label = getTextMember(each, 'displayName');
      const [window, maxOut] = [getCountMember(each, 'inputTokenLimit'), getCountMember(each, 'outputTokenLimit')];
      models.push({
        id,
        ...(label === undefined ? {} : { label }),
        ...(window === undefined ? {} : { window }),
        ...(maxOut === undefined ? {} : { maxOut }),
      });
    }
    return models;
  },
});
