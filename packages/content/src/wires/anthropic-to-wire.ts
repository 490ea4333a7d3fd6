/** Anthropic Messages: converts a request to the body. Pure. */
import { type Block, isText, type JsonObject, type Message } from '@coppice/core';
import { createToolCallIdMapper, isFileBlock, isImageBlock, isThinkingBlock, isToolCall } from './block-guards.ts';
import type { ProviderRequest, ReportParameterChange, ThinkingOptions, ToolChoice } from './contract.ts';

/** The media types of images that Anthropic accepts. */
export type AnthropicImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

/** Text and images, which are also allowed in a tool result. */
export type AnthropicVisibleBlock =
  | { type: 'text'; text: string }
  | {
      type: 'image';
      source: { type: 'base64'; media_type: AnthropicImageType; data: string } | { type: 'url'; url: string };
    };

/** A content block of a request body. */
export type AnthropicBlock =
  | AnthropicVisibleBlock
  | { type: 'document'; source: { type: 'base64'; media_type: 'application/pdf'; data: string }; title: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: JsonObject }
  | { type: 'tool_result'; tool_use_id: string; content: AnthropicVisibleBlock[] };

/** A message of a request body. */
export interface AnthropicMessage {
  role: 'user' | 'assistant';
  content: AnthropicBlock[];
}

/** The body of a request to Anthropic's Messages API. */
export interface AnthropicBody {
  model: string;
  max_tokens: number;
  messages: AnthropicMessage[];
  stream: boolean;
  system?: string;
  tools?: { name: string; description: string; input_schema: { type: 'object'; [key: string]: unknown } }[];
  tool_choice?: { type: 'auto' } | { type: 'none' } | { type: 'any' } | { type: 'tool'; name: string };
  thinking?: { type: 'enabled'; budget_tokens: number } | { type: 'adaptive'; display: 'summarized' };
  output_config?: { effort: 'low' | 'medium' | 'high' };
  temperature?: number;
  top_p?: number;
  stop_sequences?: string[];
  cache_control?: { type: 'ephemeral' };
}

const budgets = { low: 2048, medium: 8192, high: 16_384 } as const;
const smallestBudget = 1024;

/**
 * Whether the model accepts a thinking budget (Claude up to 4.5). Later models reject a budget and accept an effort.
 */
export function takesThinkingBudget(model: string): boolean {
  return /claude-(?:[123]|instant|(?:opus|sonnet|haiku)-(?:3|4(?:-[0-5])?(?!-?\d)|4-\d{8})|(?:opus|sonnet|haiku)-4-[0-5]-)/.test(
    `${model}-`,
  );
}

/** Anthropic requires a maximum length; every model supports at least this length. */
const requiredLength = 4_096;

function ignoreChange(): void {
  // The change was already reported when the request was prepared.
}

/** Removes parameters that Anthropic does not accept together. Calling it again changes nothing. */
export function adjustRequestForAnthropic(request: ProviderRequest, changed: ReportParameterChange): ProviderRequest {
  const { maxTokens = requiredLength, thinking, temperature, topP, toolChoice } = request;
  const wanted = toThinking(thinking, request.model, maxTokens);
  const thinks = wanted !== undefined;
  if (thinking !== undefined && !thinks) changed('thinking', thinking.effort);
  // With thinking, only the default temperature is allowed, and no tool may be forced.
  if (thinks && temperature !== undefined) changed('temperature', temperature);
  const warmth = thinks ? undefined : temperature;
  // Several models reject temperature and top_p together. The temperature is kept, because users set it explicitly.
  const share = thinks || warmth !== undefined ? undefined : topP;
  if (topP !== undefined && share === undefined) changed('topP', topP);
  const isForced = toolChoice !== undefined && toolChoice !== 'auto' && toolChoice !== 'none';
  if (thinks && isForced) changed('toolChoice', typeof toolChoice === 'string' ? toolChoice : toolChoice.name, 'auto');
  return {
    ...request,
    thinking: thinks ? thinking : undefined,
    temperature: warmth,
    topP: share,
    toolChoice: thinks && isForced ? 'auto' : toolChoice,
  };
}

/** Builds the body of a request. The caller has already lowered unsupported blocks. */
export function toAnthropicBody(request: ProviderRequest, streaming: boolean): AnthropicBody {
  const {
    systemPrompt,
    tools,
    toolChoice,
    stop,
    temperature,
    topP,
    maxTokens = requiredLength,
  } = adjustRequestForAnthropic(request, ignoreChange);
  const thinking = toThinking(request.thinking, request.model, maxTokens);
  const thinks = thinking !== undefined;
  return {
    model: request.model,
    max_tokens: maxTokens,
    messages: toAnthropicMessages(request.messages),
    stream: streaming,
    // Each turn sends the conversation again; the cache makes the earlier part ten times cheaper.
    cache_control: { type: 'ephemeral' },
    ...(systemPrompt === undefined || systemPrompt.trim() === '' ? {} : { system: systemPrompt }),
    ...(tools === undefined
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            name,
            description,
            input_schema: { ...parameters, type: 'object' as const },
          })),
        }),
    ...(toolChoice === undefined ? {} : { tool_choice: toChoice(toolChoice, thinks) }),
    ...(thinking ?? {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(stop === undefined ? {} : { stop_sequences: stop.filter((text) => text.trim() !== '') }),
  };
}

function toThinking(
  wish: ThinkingOptions | undefined,
  model: string,
  maxTokens: number,
): Pick<AnthropicBody, 'thinking' | 'output_config'> | undefined {
  if (wish === undefined) return undefined;
  if (!takesThinkingBudget(model))
    return { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: wish.effort } };
  // At least half of the tokens are left for the answer. A reply too short for both gets no thinking.
  const budget = Math.min(wish.budgetTokens ?? budgets[wish.effort], Math.floor(maxTokens / 2));
  return budget < smallestBudget ? undefined : { thinking: { type: 'enabled', budget_tokens: Math.floor(budget) } };
}

function toChoice(choice: ToolChoice, thinks: boolean): NonNullable<AnthropicBody['tool_choice']> {
  if (choice === 'none') return { type: 'none' };
  if (choice === 'auto' || thinks) return { type: 'auto' };
  return choice === 'required' ? { type: 'any' } : { type: 'tool', name: choice.name };
}

/** Builds the messages of the body: two alternating roles, tool results first in the user message after the calls. */
function toAnthropicMessages(messages: readonly Message[]): AnthropicMessage[] {
  const safe = createToolCallIdMapper(messages);
  const out: AnthropicMessage[] = [];
  const add = (role: 'user' | 'assistant', blocks: AnthropicBlock[]) => {
    if (blocks.length === 0) return;
    const last = out.at(-1);
    if (last?.role === role) for (const block of blocks) last.content.push(block);
    else out.push({ role, content: blocks });
  };
  for (const message of messages) {
    if (message.role === 'tool')
      add('user', [
        {
          type: 'tool_result',
          tool_use_id: safe(message.tool_call_id ?? ''),
          content: message.content.flatMap(toShown),
        },
      ]);
    else if (message.role === 'assistant')
      add(
        'assistant',
        message.content.flatMap((block) => toReplyBlock(block, safe)),
      );
    else add('user', message.content.flatMap(toUserBlock));
  }
  if (out[0]?.role === 'assistant') out.unshift({ role: 'user', content: [{ type: 'text', text: opening }] });
  trimEnd(out.at(-1));
  return out;
}

// The first message must be a user message, but a tree may begin with a reply.
const opening = '(The conversation begins with a reply.)';

// Removes trailing white space from a reply that is to be continued; otherwise the request is rejected.
function trimEnd(last: AnthropicMessage | undefined): void {
  const block = last?.content.at(-1);
  if (last?.role === 'assistant' && block?.type === 'text') block.text = block.text.trimEnd();
}

function toShown(block: Block): AnthropicVisibleBlock[] {
  if (isText(block)) return block.text.trim() === '' ? [] : [{ type: 'text', text: block.text }];
  if (!isImageBlock(block)) return [];
  if (block.source.type === 'url') return [{ type: 'image', source: { type: 'url', url: block.source.url } }];
  const type = toSupportedImageType(block.mediaType);
  return block.source.type === 'base64' && type !== undefined
    ? [{ type: 'image', source: { type: 'base64', media_type: type, data: block.source.data } }]
    : [];
}

/** Returns the image type that Anthropic accepts for a media type; undefined for other types. */
export function toSupportedImageType(mediaType: string | undefined): AnthropicImageType | undefined {
  const [name = ''] = (mediaType ?? '').toLowerCase().split(';');
  if (name === 'image/jpg') return 'image/jpeg';
  return name === 'image/jpeg' || name === 'image/png' || name === 'image/gif' || name === 'image/webp'
    ? name
    : undefined;
}

function toUserBlock(block: Block): AnthropicBlock[] {
  if (!isFileBlock(block)) return toShown(block);
  return block.source.type === 'base64'
    ? [
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: block.source.data },
          title: block.name,
        },
      ]
    : [];
}

function toReplyBlock(block: Block, safe: (id: string) => string): AnthropicBlock[] {
  if (isThinkingBlock(block)) {
    const { thinking, signature, redacted } = block;
    if (redacted !== undefined) return [{ type: 'redacted_thinking', data: redacted }];
    return signature === undefined ? [] : [{ type: 'thinking', thinking, signature }];
  }
  if (isToolCall(block)) return [{ type: 'tool_use', id: safe(block.id), name: block.name, input: block.parameters }];
  return toShown(block);
}
