/** Encodes answers of local models as Anthropic messages. */
import type { Json, JsonObject } from '@coppice/core';
import { parseJsonObject } from './exchange.ts';
import {
  type AnswerDraft,
  type AnswerMetadata,
  type AnswerPart,
  encodeNamedEvent,
  type WireWriter,
} from './local-wire.ts';

const finishes = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-use': 'tool_use',
  'content-filter': 'refusal',
  refusal: 'refusal',
  other: 'end_turn',
} as const;

function messagesBlock(part: AnswerPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'thinking':
      if (part.redacted !== undefined && part.text === '') return { type: 'redacted_thinking', data: part.redacted };
      return { type: 'thinking', thinking: part.text, signature: part.signature ?? '' };
    case 'call':
      return { type: 'tool_use', id: part.id, name: part.name, input: parseJsonObject(part.json) ?? {} };
    case 'image':
      return { type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } };
  }
}

/** Returns a content block as it is announced, before its content arrives. */
function emptyBlock(part: AnswerPart): JsonObject {
  if (part.type === 'text') return { type: 'text', text: '' };
  if (part.type === 'call') return { ...messagesBlock(part), input: {} };
  return part.type === 'thinking' ? { type: 'thinking', thinking: '', signature: '' } : messagesBlock(part);
}

function deltaOf(part: AnswerPart, by: string): JsonObject {
  if (part.type === 'call') return { type: 'input_json_delta', partial_json: by };
  return part.type === 'thinking' ? { type: 'thinking_delta', thinking: by } : { type: 'text_delta', text: by };
}

export function createMessagesWriter({ id, model }: AnswerMetadata): WireWriter {
  const base = { id: `msg_${id}`, type: 'message', role: 'assistant', model };
  const usageOf = ({ usage }: AnswerDraft): JsonObject => ({ input_tokens: usage.input, output_tokens: usage.output });
  const begun = new Set<number>();
  const begin = (part: AnswerPart, index: number) => {
    begun.add(index);
    return encodeNamedEvent('content_block_start', { index, content_block: emptyBlock(part) });
  };
  return {
    whole(answer) {
      const content: Json[] = answer.parts.map(messagesBlock);
      return { ...base, content, stop_reason: finishes[answer.finish], stop_sequence: null, usage: usageOf(answer) };
    },
    begin() {
      const usage = { input_tokens: 0, output_tokens: 0 };
      return encodeNamedEvent('message_start', {
        message: { ...base, content: [], stop_reason: null, stop_sequence: null, usage },
      });
    },
    change(change) {
      const { part, at: index } = change;
      // Only the end of a thinking part shows whether it is redacted.
      if (change.type === 'begun') return part.type === 'thinking' ? '' : begin(part, index);
      if (change.type === 'grown') {
        const start = begun.has(index) ? '' : begin(part, index);
        return `${start}${encodeNamedEvent('content_block_delta', { index, delta: deltaOf(part, change.by) })}`;
      }
      const stop = encodeNamedEvent('content_block_stop', { index });
      if (part.type !== 'thinking') return stop;
      if (!begun.has(index))
        return `${encodeNamedEvent('content_block_start', { index, content_block: messagesBlock(part) })}${stop}`;
      const signature = { type: 'signature_delta', signature: part.signature ?? '' };
      return `${encodeNamedEvent('content_block_delta', { index, delta: signature })}${stop}`;
    },
    end(answer) {
      const delta = { stop_reason: finishes[answer.finish], stop_sequence: null };
      return `${encodeNamedEvent('message_delta', { delta, usage: usageOf(answer) })}${encodeNamedEvent('message_stop', {})}`;
    },
    failed: (message) => encodeNamedEvent('error', { error: { type: 'api_error', message } }),
  };
}
