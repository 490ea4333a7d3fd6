/** Messages, as Anthropic defined them: from stream events and bodies to our events. Pure. */
import type { Json, JsonObject } from '@coppice/core';
import type { FinishReason, ProviderEvent } from '../contract.ts';
import { fail } from '../errors.ts';
import { countMember, jsonListOf, jsonObjectOf, memberAt, textMember } from '../json.ts';
import type { WireReader } from '../stream-over-http.ts';
import { parseToolArguments } from '../tool-arguments.ts';
import { usageEvent } from '../usage.ts';

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool-use'],
  ['refusal', 'refusal'],
]);

interface OpenBlock {
  readonly type: string;
  signature: string;
  json: string;
  readonly input: JsonObject | undefined;
}

/** A reader for the stream of one message. Events and blocks that it does not know are passed over. */
export function anthropicReader(): WireReader {
  const open = new Map<number, OpenBlock>();
  const usage: Record<string, Json> = {};
  let counted = false;
  let finish: Json = null;
  let done = false;
  const count = (said: Json | undefined) => {
    for (const [key, value] of Object.entries(jsonObjectOf(said) ?? {})) {
      // Later figures are totals and replace earlier ones; null says nothing.
      if (value === null || key === '__proto__') continue;
      usage[key] = value;
      counted = true;
    }
  };
  const start = (index: number, block: Json): ProviderEvent[] => {
    const type = textMember(block, 'type') ?? '';
    open.set(index, {
      type,
      signature: textMember(block, 'signature') ?? '',
      json: '',
      input: jsonObjectOf(memberAt(block, 'input')),
    });
    if (type === 'text') return [{ type: 'text-delta', text: textMember(block, 'text') ?? '' }];
    if (type === 'thinking') return [{ type: 'thinking-delta', text: textMember(block, 'thinking') ?? '' }];
    if (type === 'redacted_thinking') return [{ type: 'thinking-end', redacted: textMember(block, 'data') ?? '' }];
    if (type !== 'tool_use') return [];
    return [
      { type: 'tool-use-start', index, id: textMember(block, 'id') ?? '', name: textMember(block, 'name') ?? '' },
    ];
  };
  const change = (index: number, delta: Json): ProviderEvent[] => {
    const block = open.get(index);
    switch (textMember(delta, 'type')) {
      case 'text_delta':
        return [{ type: 'text-delta', text: textMember(delta, 'text') ?? '' }];
      case 'thinking_delta':
        return [{ type: 'thinking-delta', text: textMember(delta, 'thinking') ?? '' }];
      case 'signature_delta':
        if (block !== undefined) block.signature += textMember(delta, 'signature') ?? '';
        return [];
      case 'input_json_delta': {
        const json = textMember(delta, 'partial_json') ?? '';
        if (block?.type !== 'tool_use') return [];
        block.json += json;
        return [{ type: 'tool-use-delta', index, json }];
      }
      default:
        return [];
    }
  };
  const stop = (index: number): ProviderEvent[] => {
    const block = open.get(index);
    open.delete(index);
    if (block?.type === 'thinking')
      return [{ type: 'thinking-end', ...(block.signature === '' ? {} : { signature: block.signature }) }];
    if (block?.type !== 'tool_use') return [];
    const whole =
      block.json === '' && block.input !== undefined ? { parameters: block.input } : parseToolArguments(block.json);
    return [{ type: 'tool-use-end', index, ...whole }];
  };
  return {
    get done() {
      return done;
    },
    read(data, name) {
      const index = countMember(data, 'index') ?? 0;
      switch (textMember(data, 'type') ?? name) {
        case 'message_start':
          count(memberAt(data, 'message', 'usage'));
          return [];
        case 'content_block_start':
          return start(index, memberAt(data, 'content_block') ?? null);
        case 'content_block_delta':
          return change(index, memberAt(data, 'delta') ?? null);
        case 'content_block_stop':
          return stop(index);
        case 'message_delta':
          finish = memberAt(data, 'delta', 'stop_reason') ?? finish;
          count(memberAt(data, 'usage'));
          return [];
        case 'message_stop':
          done = true;
          return [];
        default:
          // `ping`, and whatever is added to the protocol later.
          return null;
      }
    },
    end() {
      const out: ProviderEvent[] = counted ? [anthropicUsage(usage)] : [];
      if (finish === null && !done) return out;
      const known = typeof finish === 'string' ? finishReasons.get(finish) : undefined;
      out.push({ type: 'end', finishReason: known ?? 'other', raw: finish });
      return out;
    },
  };
}

function anthropicUsage(usage: JsonObject): ProviderEvent {
  const [read, written] = [
    countMember(usage, 'cache_read_input_tokens'),
    countMember(usage, 'cache_creation_input_tokens'),
  ];
  return usageEvent(usage, {
    // Its own figure leaves out what went through the cache, which in a long conversation is nearly everything.
    inputTokens: (countMember(usage, 'input_tokens') ?? 0) + (read ?? 0) + (written ?? 0),
    outputTokens: countMember(usage, 'output_tokens') ?? 0,
    cacheReadTokens: read,
    cacheWriteTokens: written,
    reasoningTokens: countMember(usage, 'output_tokens_details', 'thinking_tokens'),
  });
}

/** The events of a whole message: the same reader, fed with the stream that would have said it. */
export function anthropicWhole(body: Json): readonly ProviderEvent[] {
  if (textMember(body, 'type') !== 'message' || !Array.isArray(memberAt(body, 'content')))
    return fail('provider/bad-response', 'The answer is no message with content.', { excerpt: JSON.stringify(body) });
  const reader = anthropicReader();
  const events: ProviderEvent[] = [];
  const read = (data: Json) => {
    for (const event of reader.read(data, '') ?? []) events.push(event);
  };
  read({ type: 'message_start', message: { usage: memberAt(body, 'usage') ?? null } });
  for (const [index, block] of jsonListOf(memberAt(body, 'content')).entries()) {
    read({ type: 'content_block_start', index, content_block: block });
    const input = memberAt(block, 'input');
    if (textMember(block, 'type') === 'tool_use' && input !== undefined)
      read({
        type: 'content_block_delta',
        index,
        delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
      });
    read({ type: 'content_block_stop', index });
  }
  read({ type: 'message_delta', delta: { stop_reason: memberAt(body, 'stop_reason') ?? null } });
  read({ type: 'message_stop' });
  return [...events, ...reader.end()];
}
