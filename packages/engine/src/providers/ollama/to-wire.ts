/** Converts a request to the body of Ollama's chat API, without I/O. */

import { estimateMessageTokens, estimateTokens } from '@coppice/content';
import { indexToolCallNames, isImageBlock, isThinkingBlock, isToolCall, toWireText } from '@coppice/content/wires';
import { isText, type Json, type JsonObject, type Message } from '@coppice/core';
import type { ProviderRequest } from '../contract.ts';

/** A message as Ollama's API expects it. */
interface OllamaMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  images?: string[];
  thinking?: string;
  tool_calls?: { function: { name: string; arguments: JsonObject } }[];
  tool_name?: string;
}

/** The JSON body of a chat request to Ollama. */
export interface OllamaBody {
  model: string;
  messages: OllamaMessage[];
  stream: boolean;
  think?: boolean | 'low' | 'medium' | 'high';
  tools?: { type: 'function'; function: { name: string; description: string; parameters: JsonObject } }[];
  options: Record<string, Json>;
}

/** Builds the body. Expects that unsupported blocks have been lowered. */
export function toOllamaBody(request: ProviderRequest, streaming: boolean): OllamaBody {
  const { tools, temperature, topP, stop, seed, thinking, systemPrompt } = request;
  const names = indexToolCallNames(request.messages);
  const messages = request.messages.map((message) => toMessage(message, names));
  return {
    model: request.model,
    messages: systemPrompt === undefined ? messages : [{ role: 'system', content: systemPrompt }, ...messages],
    stream: streaming,
    // Only gpt-oss accepts levels; other thinking models accept true or false, and a model without thinking rejects
    // true.
    ...(thinking === undefined ? {} : { think: /gpt-oss/.test(request.model) ? thinking.effort : true }),
    ...(tools === undefined
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            function: { name, description, parameters },
          })),
        }),
    options: {
      ...(request.maxTokens === undefined ? {} : { num_predict: request.maxTokens }),
      num_ctx: chooseOllamaContextWindow(request),
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { top_p: topP }),
      ...(stop === undefined ? {} : { stop }),
      ...(seed === undefined ? {} : { seed: Math.trunc(seed) }),
    },
  };
}

/**
 * Returns the context window to request. By default Ollama uses 4,096 tokens and silently drops older messages. The
 * size is a power of two, because every change of it reloads the model. Ollama limits it to the model's maximum.
 */
export function chooseOllamaContextWindow(request: ProviderRequest): number {
  let tokens = estimateTokens(request.systemPrompt ?? '') + Math.min(request.maxTokens ?? 8192, 8192);
  for (const message of request.messages) tokens += estimateMessageTokens(message);
  for (const tool of request.tools ?? []) tokens += estimateTokens(JSON.stringify(tool));
  let window = 4096;
  while (window < tokens * 1.1 && window < 2 ** 20) window *= 2;
  return window;
}

function toMessage(message: Message, names: ReadonlyMap<string, string>): OllamaMessage {
  const { role, content } = message;
  if (role === 'tool') {
    const name = names.get(message.tool_call_id ?? '');
    return { role, content: toWireText(message), ...(name === undefined ? {} : { tool_name: name }) };
  }
  const images: string[] = [];
  const calls: NonNullable<OllamaMessage['tool_calls']> = [];
  const texts: string[] = [];
  let thinking = '';
  for (const block of content) {
    if (isText(block)) texts.push(block.text);
    else if (isImageBlock(block) && block.source.type === 'base64') images.push(block.source.data);
    else if (isToolCall(block)) calls.push({ function: { name: block.name, arguments: block.parameters } });
    else if (isThinkingBlock(block)) thinking += block.thinking;
  }
  return {
    role,
    content: texts.join(role === 'assistant' ? '' : '\n'),
    ...(images.length === 0 ? {} : { images }),
    ...(thinking === '' ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}
