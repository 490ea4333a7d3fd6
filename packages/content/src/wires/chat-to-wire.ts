/** OpenAI Chat Completions, which many servers implement: converts a request to the body. Pure. */
import { type Block, isText, type JsonObject, type Message } from '@coppice/core';
import {
  createToolCallIdMapper,
  formatToolCallArguments,
  isFileBlock,
  isImageBlock,
  isThinkingBlock,
  isToolCall,
  toWireText,
} from './block-guards.ts';
import type { ProviderRequest, ToolChoice } from './contract.ts';

/** A part of a user message. */
export type ChatCompletionPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; file: { filename: string; file_data: string } };

/** A call in an assistant message; its arguments are JSON text. */
export interface ChatCompletionCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** A message of a request body. */
export type ChatCompletionMessage =
  | { role: 'system' | 'developer'; content: string }
  | { role: 'user'; content: string | ChatCompletionPart[] }
  | { role: 'assistant'; content: string | null; tool_calls?: ChatCompletionCall[]; reasoning_details?: JsonObject[] }
  | { role: 'tool'; tool_call_id: string; content: string };

/** The body of a Chat Completions request. */
export interface ChatCompletionBody {
  model: string;
  messages: ChatCompletionMessage[];
  stream: boolean;
  stream_options?: { include_usage: boolean };
  max_tokens?: number;
  max_completion_tokens?: number;
  temperature?: number;
  top_p?: number;
  stop?: string[];
  seed?: number;
  tools?: { type: 'function'; function: { name: string; description: string; parameters: Record<string, unknown> } }[];
  tool_choice?: 'auto' | 'none' | 'required' | { type: 'function'; function: { name: string } };
}

/** How a server that implements Chat Completions differs from others. */
export interface ChatCompletionDialect {
  /** The name of the field for the maximum length. */
  readonly lengthField: 'max_tokens' | 'max_completion_tokens';
  readonly systemRole: 'system' | 'developer';
  /** Whether text in several blocks is sent as parts; many servers accept parts only with images. */
  readonly textParts: boolean;
  /** Whether signed reasoning is sent back, in OpenRouter's form. */
  readonly reasoningDetails: boolean;
}

/** Builds the body of a request. The caller has already lowered blocks that the dialect does not support. */
export function toChatCompletionBody(
  request: ProviderRequest,
  dialect: ChatCompletionDialect,
  streaming: boolean,
): ChatCompletionBody {
  const safe = createToolCallIdMapper(request.messages);
  const messages: ChatCompletionMessage[] = [];
  if (request.systemPrompt !== undefined) messages.push({ role: dialect.systemRole, content: request.systemPrompt });
  for (const message of request.messages) messages.push(toChatMessage(message, dialect, safe));
  const { tools, toolChoice, temperature, topP, stop, seed } = request;
  return {
    model: request.model,
    messages,
    stream: streaming,
    ...(streaming ? { stream_options: { include_usage: true } } : {}),
    ...(request.maxTokens === undefined ? {} : { [dialect.lengthField]: request.maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(stop === undefined ? {} : { stop: [...stop] }),
    ...(seed === undefined ? {} : { seed: Math.trunc(seed) }),
    ...(tools === undefined
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            function: { name, description, parameters: { ...parameters } },
          })),
        }),
    ...(toolChoice === undefined ? {} : { tool_choice: toChatChoice(toolChoice) }),
  };
}

function toChatChoice(choice: ToolChoice): NonNullable<ChatCompletionBody['tool_choice']> {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } };
}

function toChatMessage(
  message: Message,
  dialect: ChatCompletionDialect,
  safe: (id: string) => string,
): ChatCompletionMessage {
  switch (message.role) {
    case 'system':
      return { role: dialect.systemRole, content: toWireText(message) };
    case 'tool':
      return { role: 'tool', tool_call_id: safe(message.tool_call_id ?? ''), content: toWireText(message) };
    case 'user':
      return { role: 'user', content: userContent(message.content, dialect) };
    case 'assistant':
      return assistantMessage(message.content, dialect, safe);
  }
}

function userContent(content: readonly Block[], dialect: ChatCompletionDialect): string | ChatCompletionPart[] {
  const [only] = content;
  if (content.length === 1 && only !== undefined && isText(only)) return only.text;
  if (!dialect.textParts && content.every(isText)) return content.map((block) => block.text).join('\n');
  const parts: ChatCompletionPart[] = [];
  for (const block of content) {
    if (isText(block)) parts.push({ type: 'text', text: block.text });
    else if (isImageBlock(block)) parts.push({ type: 'image_url', image_url: { url: imageUrl(block) } });
    else if (isFileBlock(block) && block.source.type === 'base64')
      parts.push({
        type: 'file',
        file: { filename: block.name, file_data: `data:${block.mediaType};base64,${block.source.data}` },
      });
  }
  return parts;
}

function imageUrl(block: Block): string {
  if (!isImageBlock(block)) return '';
  if (block.source.type === 'url') return block.source.url;
  return block.source.type === 'base64' ? `data:${block.mediaType ?? 'image/png'};base64,${block.source.data}` : '';
}

function assistantMessage(
  content: readonly Block[],
  dialect: ChatCompletionDialect,
  safe: (id: string) => string,
): ChatCompletionMessage {
  const calls: ChatCompletionCall[] = [];
  const details: JsonObject[] = [];
  let text = '';
  for (const block of content) {
    if (isText(block)) text += block.text;
    else if (isToolCall(block))
      calls.push({
        id: safe(block.id),
        type: 'function',
        function: { name: block.name, arguments: formatToolCallArguments(block) },
      });
    else if (isThinkingBlock(block) && dialect.reasoningDetails)
      for (const each of detailsOf(block.signature)) details.push(each);
  }
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
  };
}

// Parses a signature that `chat-from-wire.ts` wrote, which is a list. Signatures of other providers are not lists and
// are ignored.
function detailsOf(signature: string | undefined): JsonObject[] {
  if (signature === undefined || !signature.startsWith('[')) return [];
  try {
    const details: unknown = JSON.parse(signature);
    return Array.isArray(details) ? details : [];
  } catch {
    return [];
  }
}
