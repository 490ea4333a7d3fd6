/** Fits a request to a provider: its parameters to the limits, its messages to the supported blocks and roles. */
import { blockDefinitionOf } from '@coppice/content';
import { type Block, isBlank, type Json, type Message, type Role } from '@coppice/core';
import { buildStrayResultMessage, convertSystemToUserMessage } from '@coppice/core/context';
import type { NumberRange, ParameterLimits, ProviderNotice, ProviderRequest, ProviderSupport } from './contract.ts';

/** The features of the provider, and a callback for each conversion. */
export interface SimplificationOptions {
  readonly supports: ProviderSupport;
  /** Returns whether a block of a supported type can be sent unchanged. */
  takes(block: Block, role: Role): boolean;
  /** Called for each block that is sent in another form. */
  onSimplified(block: Block, role: Role): void;
}

const noText: Block & { readonly text: string } = { type: 'text', text: '(no text)' };

/**
 * Converts messages for a provider. Unsupported blocks are replaced by simpler ones. If the provider has no tools, tool
 * results become user messages; if it accepts no system messages between others, these become user messages too. A
 * message without remaining content is left out, except a tool result, because its call needs a result. Messages that
 * need no change stay the same objects.
 */
export function simplifyMessages(messages: readonly Message[], options: SimplificationOptions): readonly Message[] {
  const { supports } = options;
  const native = new Set(supports.blocks);
  const simplified: Message[] = [];
  for (const message of messages) {
    const content = simplifyBlocks(message, native, options);
    if (message.role === 'tool') {
      const result = content.length === 0 ? { ...message, content: [noText] } : { ...message, content };
      simplified.push(
        supports.tools ? (content === message.content ? message : result) : buildStrayResultMessage(result),
      );
    } else if (content === message.content || content.length > 0) {
      const next = content === message.content ? message : { ...message, content };
      if (next !== message && isBlank(next)) continue;
      simplified.push(next.role === 'system' && !supports.systemInPlace ? convertSystemToUserMessage(next) : next);
    }
  }
  return simplified;
}

function simplifyBlocks(
  message: Message,
  native: ReadonlySet<string>,
  options: SimplificationOptions,
): readonly Block[] {
  const { role, content } = message;
  const isSentUnchanged = (block: Block) =>
    block.type === 'text' || (native.has(block.type) && options.takes(block, role));
  if (content.every(isSentUnchanged)) return content;
  const blocks: Block[] = [];
  for (const block of content) {
    if (isSentUnchanged(block)) blocks.push(block);
    else {
      options.onSimplified(block, role);
      for (const other of blockDefinitionOf(block).lower(block)) blocks.push(other);
    }
  }
  return blocks;
}

/**
 * Limits all parameters of a request to the provider's ranges and removes unsupported ones. They are not refused,
 * because several models may answer one request and the limit of one must not fail the whole turn.
 */
export function clampParameters(
  request: ProviderRequest,
  limits: ParameterLimits,
  supports: ProviderSupport,
  tell: (notice: ProviderNotice) => void,
): ProviderRequest {
  const changed = (name: string, asked: Json, sent?: Json) => {
    tell({ type: 'parameter-changed', name, asked, ...(sent === undefined ? {} : { sent }) });
  };
  const number = (name: string, asked: number | undefined, range: NumberRange | undefined): number | undefined => {
    if (asked === undefined) return undefined;
    if (range === undefined || Number.isNaN(asked)) {
      changed(name, Number.isFinite(asked) ? asked : String(asked));
      return undefined;
    }
    const sent = Math.min(range.max, Math.max(range.min, asked));
    if (sent !== asked) changed(name, Number.isFinite(asked) ? asked : String(asked), sent);
    return sent;
  };
  const tools = request.tools === undefined || request.tools.length === 0 ? undefined : request.tools;
  if (tools !== undefined && !supports.tools)
    changed(
      'tools',
      tools.map((tool) => tool.name),
    );
  const offered = supports.tools ? tools : undefined;
  // Providers reject a tool choice in a request without tools.
  const choice = offered === undefined || !supports.toolChoice ? undefined : request.toolChoice;
  if (offered !== undefined && choice === undefined && request.toolChoice !== undefined)
    changed('toolChoice', typeof request.toolChoice === 'string' ? request.toolChoice : request.toolChoice.name);
  if (request.thinking !== undefined && !supports.thinking) changed('thinking', request.thinking.effort);
  return {
    model: request.model,
    systemPrompt: request.systemPrompt === '' ? undefined : request.systemPrompt,
    messages: request.messages,
    tools: offered,
    toolChoice: choice,
    maxTokens: wholeTokens(request.maxTokens, limits.maxTokens, changed),
    temperature: number('temperature', request.temperature, limits.temperature),
    topP: number('topP', request.topP, limits.topP),
    stop: clampStops(request.stop, limits.stop?.most ?? 0, changed),
    seed: number('seed', request.seed, limits.seed),
    thinking: supports.thinking ? request.thinking : undefined,
  };
}

type ClampNotice = (name: string, asked: Json, sent?: Json) => void;

function wholeTokens(
  asked: number | undefined,
  range: NumberRange | undefined,
  changed: ClampNotice,
): number | undefined {
  if (asked === undefined) return undefined;
  const whole = Number.isNaN(asked) ? 1 : Math.max(1, Math.floor(Math.min(asked, Number.MAX_SAFE_INTEGER)));
  const sent = range === undefined ? whole : Math.min(range.max, Math.max(range.min, whole));
  if (sent !== whole) changed('maxTokens', whole, sent);
  return sent;
}

function clampStops(
  stop: readonly string[] | undefined,
  most: number,
  changed: ClampNotice,
): readonly string[] | undefined {
  const stopTexts = stop?.filter((text) => text !== '') ?? [];
  if (stopTexts.length === 0) return undefined;
  const sent = stopTexts.slice(0, most);
  if (sent.length < stopTexts.length) changed('stop', stopTexts, sent.length === 0 ? undefined : sent);
  return sent.length === 0 ? undefined : sent;
}
