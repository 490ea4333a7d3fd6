/** What all providers with a chat completions API share. */
import { createChatCompletionReader, readWholeChatCompletion } from '@coppice/content/wires';
import type { ProviderCall, ProviderEvent } from './contract.ts';
import { streamOverHttp } from './stream-over-http.ts';

/** The header in which a chat completions API expects the key. */
export const bearerKeyHeader = { name: 'authorization', prefix: 'Bearer ' } as const;

/** The features that providers with a chat completions API support; each provider adds its block types. */
export const chatCompletionSupport = {
  tools: true,
  toolChoice: true,
  thinking: true,
  images: true,
  systemInPlace: true,
  seed: true,
  streaming: true,
} as const;

/** The ranges of the parameters that a chat completions API accepts. */
export const chatCompletionParameters = {
  temperature: { min: 0, max: 2 },
  topP: { min: 0, max: 1 },
  stop: { most: 4 },
  seed: { min: -(2 ** 53 - 1), max: 2 ** 53 - 1 },
} as const;

/** Calls a chat completions API. `body` builds the request from whether the reply is streamed. */
export async function* streamChatCompletion(
  call: ProviderCall,
  body: (streaming: boolean) => object,
  headers?: Readonly<Record<string, string>>,
): AsyncGenerator<ProviderEvent, void, void> {
  const streaming = call.streaming ?? true;
  yield* streamOverHttp(
    {
      path: '/chat/completions',
      body: body(streaming),
      streaming,
      framing: 'sse',
      keyHeader: bearerKeyHeader,
      headers,
      reader: createChatCompletionReader,
      whole: readWholeChatCompletion,
    },
    call,
  );
}
