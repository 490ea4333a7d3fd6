/** Anthropic Messages: converts stream events and bodies to wire events. Pure. */
import type { Json, JsonObject } from '@coppice/core';
import { type AnthropicBlockChange, type AnthropicBlockDraft, AnthropicEventCollector } from './anthropic-events.ts';
import type { FinishReason, WireReader, WireReplyEvent } from './contract.ts';
import { WireAnswerFailure } from './contract.ts';
import { parseToolArguments } from './tool-arguments.ts';
import { readUnknownFinishReason } from './unknown-finish.ts';
import { buildUsageEvent } from './usage-event.ts';
import { getCountMember, getMember, getTextMember, listOrNone, objectOrUndefined } from './wire-json.ts';

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool-use'],
  ['refusal', 'refusal'],
]);

/** Creates a reader for the stream of one message. Unknown events and blocks are skipped. */
export function createAnthropicReader(): WireReader {
  const events = new AnthropicEventCollector();
  let hasCalls = false;
  return {
    get done() {
      return events.done;
    },
    read(data, name) {
      const read = events.read(data, name)?.flatMap(eventsOf) ?? null;
      hasCalls ||= read?.some(({ type }) => type === 'tool-use-start') === true;
      return read;
    },
    end() {
      const { usage, stopReason, done } = events;
      const out: WireReplyEvent[] = usage === null ? [] : [anthropicUsage(usage)];
      if (stopReason === null && !done) return out;
      const known = typeof stopReason === 'string' ? finishReasons.get(stopReason) : undefined;
      out.push({ type: 'end', finishReason: known ?? readUnknownFinishReason(stopReason, hasCalls), raw: stopReason });
      return out;
    },
  };
}

function eventsOf({ what, block, piece }: AnthropicBlockChange): readonly WireReplyEvent[] {
  switch (what) {
    case 'begun':
      return beginningOf(block);
    case 'text':
      return [{ type: 'text-delta', text: piece }];
    case 'thinking':
      return [{ type: 'thinking-delta', text: piece }];
    case 'input':
      return block.type === 'tool_use' ? [{ type: 'tool-use-delta', index: block.index, json: piece }] : [];
    case 'ended':
      return endOf(block);
  }
}

function beginningOf({ index, type, fields }: AnthropicBlockDraft): readonly WireReplyEvent[] {
  if (type === 'text') return [{ type: 'text-delta', text: getTextMember(fields, 'text') ?? '' }];
  if (type === 'thinking') return [{ type: 'thinking-delta', text: getTextMember(fields, 'thinking') ?? '' }];
  if (type === 'redacted_thinking') return [{ type: 'thinking-end', redacted: getTextMember(fields, 'data') ?? '' }];
  if (type !== 'tool_use') return [];
  return [
    { type: 'tool-use-start', index, id: getTextMember(fields, 'id') ?? '', name: getTextMember(fields, 'name') ?? '' },
  ];
}

function endOf({ index, type, fields, json }: AnthropicBlockDraft): readonly WireReplyEvent[] {
  if (type === 'thinking') {
    const signature = getTextMember(fields, 'signature') ?? '';
    return [{ type: 'thinking-end', ...(signature === '' ? {} : { signature }) }];
  }
  if (type !== 'tool_use') return [];
  const input = objectOrUndefined(getMember(fields, 'input'));
  const whole = json === '' && input !== undefined ? { parameters: input } : parseToolArguments(json);
  return [{ type: 'tool-use-end', index, ...whole }];
}

function anthropicUsage(usage: JsonObject): WireReplyEvent {
  const [read, written] = [
    getCountMember(usage, 'cache_read_input_tokens'),
    getCountMember(usage, 'cache_creation_input_tokens'),
  ];
  return buildUsageEvent(usage, {
    // `input_tokens` excludes cached tokens, which are most tokens of a long conversation.
    inputTokens: (getCountMember(usage, 'input_tokens') ?? 0) + (read ?? 0) + (written ?? 0),
    outputTokens: getCountMember(usage, 'output_tokens') ?? 0,
    cacheReadTokens: read,
    cacheWriteTokens: written,
    reasoningTokens: getCountMember(usage, 'output_tokens_details', 'thinking_tokens'),
  });
}

/** Returns the events of a complete message: the same reader reads an equivalent stream. */
export function readWholeAnthropicMessage(body: Json): readonly WireReplyEvent[] {
  if (getTextMember(body, 'type') !== 'message' || !Array.isArray(getMember(body, 'content')))
    throw new WireAnswerFailure('The answer is not a message with content.', body);
  const reader = createAnthropicReader();
  const events: WireReplyEvent[] = [];
  const read = (data: Json) => {
    for (const event of reader.read(data, '') ?? []) events.push(event);
  };
  read({ type: 'message_start', message: { usage: getMember(body, 'usage') ?? null } });
  for (const [index, block] of listOrNone(getMember(body, 'content')).entries()) {
    read({ type: 'content_block_start', index, content_block: block });
    const input = getMember(block, 'input');
    if (getTextMember(block, 'type') === 'tool_use' && input !== undefined)
      read({
        type: 'content_block_delta',
        index,
        delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
      });
    read({ type: 'content_block_stop', index });
  }
  read({ type: 'message_delta', delta: { stop_reason: getMember(body, 'stop_reason') ?? null } });
  read({ type: 'message_stop' });
  return [...events, ...reader.end()];
}
