/** OpenAI Responses, which OpenAI's reasoning models require: converts a request to the body. Pure. */
import { type Block, isText, type Message } from '@coppice/core';
import {
  createToolCallIdMapper,
  formatToolCallArguments,
  isFileBlock,
  isImageBlock,
  isThinkingBlock,
  isToolCall,
  toWireText,
} from './block-guards.ts';
import type { ProviderRequest } from './contract.ts';

/** A part of a user message. */
export type ResponsesPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; filename: string; file_data: string };

/** An item of a request's input. */
export type ResponsesItem =
  | { type: 'message'; role: 'user' | 'developer'; content: ResponsesPart[] }
  | { role: 'assistant'; content: string }
  | { type: 'reasoning'; id: string; encrypted_content: string; summary: { type: 'summary_text'; text: string }[] }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string };

/** The body of a Responses request. */
export interface ResponsesBody {
  model: string;
  input: ResponsesItem[];
  stream: boolean;
  /** The provider must not store the response, because the history is in the tree. */
  store: false;
  include: 'reasoning.encrypted_content'[];
  max_output_tokens?: number;
  instructions?: string;
  temperature?: number;
  top_p?: number;
  reasoning?: { effort: 'low' | 'medium' | 'high'; summary: 'auto' };
  tools?: {
    type: 'function';
    name: string;
    description: string;
    parameters: Record<string, unknown>;
    strict: false;
  }[];
  tool_choice?: 'auto' | 'none' | 'required' | { type: 'function'; name: string };
}

/** The lowest output limit that the provider accepts, in tokens. */
const fewestTokens = 16;

/** The range of output limits that the provider accepts, in tokens. */
export const responsesOutputTokenRange = { min: fewestTokens, max: Number.MAX_SAFE_INTEGER } as const;

/** Builds the body of a request. The caller has already lowered unsupported blocks. */
export function toResponsesBody(request: ProviderRequest, streaming: boolean): ResponsesBody {
  const { systemPrompt, temperature, topP, thinking, tools, toolChoice } = request;
  const safe = createToolCallIdMapper(request.messages);
  return {
    model: request.model,
    input: request.messages.flatMap((message) => toItems(message, safe)),
    stream: streaming,
    store: false,
    include: ['reasoning.encrypted_content'],
    ...(request.maxTokens === undefined ? {} : { max_output_tokens: Math.max(fewestTokens, request.maxTokens) }),
    ...(systemPrompt === undefined ? {} : { instructions: systemPrompt }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(thinking === undefined ? {} : { reasoning: { effort: thinking.effort, summary: 'auto' } }),
    ...(tools === undefined
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            name,
            description,
            parameters: { ...parameters },
            strict: false as const,
          })),
        }),
    ...(toolChoice === undefined
      ? {}
      : { tool_choice: typeof toolChoice === 'string' ? toolChoice : { type: 'function', name: toolChoice.name } }),
  };
}

function toItems(message: Message, safe: (id: string) => string): ResponsesItem[] {
  switch (message.role) {
    case 'tool':
      return [{ type: 'function_call_output', call_id: safe(message.tool_call_id ?? ''), output: toWireText(message) }];
    case 'assistant':
      return replyItems(message.content, safe);
    default: {
      const role = message.role === 'system' ? 'developer' : 'user';
      return [{ type: 'message', role, content: message.content.flatMap(toPart) }];
    }
  }
}

function toPart(block: Block): ResponsesPart[] {
  if (isText(block)) return [{ type: 'input_text', text: block.text }];
  if (isImageBlock(block)) {
    if (block.source.type === 'url') return [{ type: 'input_image', image_url: block.source.url, detail: 'auto' }];
    if (block.source.type !== 'base64') return [];
    const url = `data:${block.mediaType ?? 'image/png'};base64,${block.source.data}`;
    return [{ type: 'input_image', image_url: url, detail: 'auto' }];
  }
  if (!isFileBlock(block) || block.source.type !== 'base64') return [];
  const data = `data:${block.mediaType};base64,${block.source.data}`;
  return [{ type: 'input_file', filename: block.name, file_data: data }];
}

function replyItems(content: readonly Block[], safe: (id: string) => string): ResponsesItem[] {
  const items: ResponsesItem[] = [];
  for (const block of content) {
    if (isText(block)) items.push({ role: 'assistant', content: block.text });
    else if (isToolCall(block))
      items.push({
        type: 'function_call',
        call_id: safe(block.id),
        name: block.name,
        arguments: formatToolCallArguments(block),
      });
    else if (isThinkingBlock(block) && block.signature !== undefined && block.redacted !== undefined) {
      const summary = block.thinking === '' ? [] : [{ type: 'summary_text' as const, text: block.thinking }];
      items.push({ type: 'reasoning', id: block.signature, encrypted_content: block.redacted, summary });
    }
  }
  return items;
}
