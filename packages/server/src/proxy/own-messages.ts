/** Our own answers in the words of Anthropic's messages. */
import type { Json, JsonObject } from '@coppice/core';
import { parseObject } from './exchange.ts';
import { type AnswerHead, type Gathered, named, type Part, type WireWriter } from './own-wire.ts';

const finishes = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-use': 'tool_use',
  'content-filter': 'refusal',
  refusal: 'refusal',
  other: 'end_turn',
} as const;

function blockOf(part: Part): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'thinking':
      if (part.redacted !== undefined && part.text === '') return { type: 'redacted_thinking', data: part.redacted };
      return { type: 'thinking', thinking: part.text, signature: part.signature ?? '' };
    case 'call':
      return { type: 'tool_use', id: part.id, name: part.name, input: parseObject(part.json) ?? {} };
    case 'image':
      return { type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } };
  }
}

/** A block as it begins: what grows is empty. */
function emptyBlock(part: Part): JsonObject {
  if (part.type === 'text') return { type: 'text', text: '' };
  if (part.type === 'call') return { ...blockOf(part), input: {} };
  return part.type === 'thinking' ? { type: 'thinking', thinking: '', signature: '' } : blockOf(part);
}

function deltaOf(part: Part, by: string): JsonObject {
  if (part.type === 'call') return { type: 'input_json_delta', partial_json: by };
  return part.type === 'thinking' ? { type: 'thinking_delta', thinking: by } : { type: 'text_delta', text: by };
}

/** The writer of this wire. */
export function messagesWriter({ id, model }: AnswerHead): WireWriter {
  const base = { id: `msg_${id}`, type: 'message', role: 'assistant', model };
  const usageOf = ({ usage }: Gathered): JsonObject => ({ input_tokens: usage.input, output_tokens: usage.output });
  const begun = new Set<number>();
  const begin = (part: Part, index: number) => {
    begun.add(index);
    return named('content_block_start', { index, content_block: emptyBlock(part) });
  };
  return {
    whole(answer) {
      const content: Json[] = answer.parts.map(blockOf);
      return { ...base, content, stop_reason: finishes[answer.finish], stop_sequence: null, usage: usageOf(answer) };
    },
    begin() {
      const usage = { input_tokens: 0, output_tokens: 0 };
      return named('message_start', {
        message: { ...base, content: [], stop_reason: null, stop_sequence: null, usage },
      });
    },
    change(change) {
      const { part, at: index } = change;
      // Thinking that cannot be read is known to be so only once it is through.
      if (change.type === 'begun') return part.type === 'thinking' ? '' : begin(part, index);
      if (change.type === 'grown') {
        const start = begun.has(index) ? '' : begin(part, index);
        return `${start}${named('content_block_delta', { index, delta: deltaOf(part, change.by) })}`;
      }
      const stop = named('content_block_stop', { index });
      if (part.type !== 'thinking') return stop;
      if (!begun.has(index)) return `${named('content_block_start', { index, content_block: blockOf(part) })}${stop}`;
      const signature = { type: 'signature_delta', signature: part.signature ?? '' };
      return `${named('content_block_delta', { index, delta: signature })}${stop}`;
    },
    end(answer) {
      const delta = { stop_reason: finishes[answer.finish], stop_sequence: null };
      return `${named('message_delta', { delta, usage: usageOf(answer) })}${named('message_stop', {})}`;
    },
    failed: (message) => named('error', { error: { type: 'api_error', message } }),
  };
}
