/** Encodes answers of local models for OpenAI's Responses API. */
import type { JsonObject } from '@coppice/core';
import {
  type AnswerDraft,
  type AnswerMetadata,
  type AnswerPart,
  encodeNamedEvent,
  type WireWriter,
} from './local-wire.ts';

export function createResponsesWriter({ id, created, model }: AnswerMetadata): WireWriter {
  const base = { id: `resp_${id}`, object: 'response', created_at: created, model };
  const rest = { instructions: null, metadata: {}, parallel_tool_calls: true, tool_choice: 'auto', tools: [] };
  let sequence = 0;
  const event = (type: string, value: object) => encodeNamedEvent(type, { sequence_number: sequence++, ...value });
  const itemId = (part: AnswerPart, at: number) =>
    `${{ text: 'msg', thinking: 'rs', call: 'fc', image: 'ig' }[part.type]}_${id}-${at}`;

  const itemOf = (part: AnswerPart, at: number, done: boolean): JsonObject => {
    const status = done ? 'completed' : 'in_progress';
    const head = { id: itemId(part, at), status };
    switch (part.type) {
      case 'text': {
        const content = done ? [{ type: 'output_text', text: part.text, annotations: [], logprobs: [] }] : [];
        return { ...head, type: 'message', role: 'assistant', content };
      }
      case 'thinking':
        return {
          ...head,
          type: 'reasoning',
          summary: done && part.text !== '' ? [{ type: 'summary_text', text: part.text }] : [],
          ...(part.signature === undefined ? {} : { encrypted_content: part.signature }),
        };
      case 'call': {
        const json = done ? part.json : '';
        return { ...head, type: 'function_call', call_id: part.id, name: part.name, arguments: json };
      }
      case 'image':
        return {
          ...head,
          type: 'image_generation_call',
          result: done ? part.data : null,
          output_format: part.mediaType.replace(/^image\//, ''),
        };
    }
  };

  const responseOf = (answer: AnswerDraft, error: JsonObject | null = null): JsonObject => {
    const { input, output } = answer.usage;
    const cut =
      answer.finish === 'length' ? 'max_output_tokens' : answer.finish === 'content-filter' ? 'content_filter' : null;
    return {
      ...base,
      ...rest,
      status: error !== null ? 'failed' : cut === null ? 'completed' : 'incomplete',
      error,
      incomplete_details: cut === null ? null : { reason: cut },
      output: answer.parts.map((part, at) => itemOf(part, at, true)),
      usage: {
        input_tokens: input,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: input + output,
      },
    };
  };

  const begun = (part: AnswerPart, at: number): string => {
    const where = { item_id: itemId(part, at), output_index: at };
    const added = event('response.output_item.added', { output_index: at, item: itemOf(part, at, false) });
    if (part.type === 'text') {
      const empty = { type: 'output_text', text: '', annotations: [], logprobs: [] };
      return `${added}${event('response.content_part.added', { ...where, content_index: 0, part: empty })}`;
    }
    if (part.type !== 'thinking') return added;
    const empty = { type: 'summary_text', text: '' };
    return `${added}${event('response.reasoning_summary_part.added', { ...where, summary_index: 0, part: empty })}`;
  };

  const grown = (part: AnswerPart, at: number, delta: string): string => {
    const where = { item_id: itemId(part, at), output_index: at, delta };
    if (part.type === 'text') return event('response.output_text.delta', { ...where, content_index: 0, logprobs: [] });
    if (part.type === 'call') return event('response.function_call_arguments.delta', where);
    return event('response.reasoning_summary_text.delta', { ...where, summary_index: 0 });
  };

  const done = (part: AnswerPart, at: number): string => {
    const where = { item_id: itemId(part, at), output_index: at };
    const through = () => event('response.output_item.done', { output_index: at, item: itemOf(part, at, true) });
    if (part.type === 'text') {
      const { text } = part;
      const whole = { type: 'output_text', text, annotations: [], logprobs: [] };
      const doneEvent = event('response.output_text.done', { ...where, content_index: 0, text, logprobs: [] });
      return `${doneEvent}${event('response.content_part.done', { ...where, content_index: 0, part: whole })}${through()}`;
    }
    if (part.type === 'thinking') {
      const { text } = part;
      const doneEvent = event('response.reasoning_summary_text.done', { ...where, summary_index: 0, text });
      const whole = { ...where, summary_index: 0, part: { type: 'summary_text', text } };
      return `${doneEvent}${event('response.reasoning_summary_part.done', whole)}${through()}`;
    }
    if (part.type !== 'call') return through();
    const { name, json } = part;
    return `${event('response.function_call_arguments.done', { ...where, name, arguments: json })}${through()}`;
  };

  return {
    whole: (answer) => responseOf(answer),
    begin() {
      const response = { ...base, ...rest, status: 'in_progress', error: null, incomplete_details: null, output: [] };
      return `${event('response.created', { response })}${event('response.in_progress', { response })}`;
    },
    change: (change) =>
      change.type === 'begun'
        ? begun(change.part, change.at)
        : change.type === 'grown'
          ? grown(change.part, change.at, change.by)
          : done(change.part, change.at),
    end(answer) {
      const response = responseOf(answer);
      return event(response['status'] === 'incomplete' ? 'response.incomplete' : 'response.completed', { response });
    },
    failed: (message) => {
      const nothing: AnswerDraft = { parts: [], finish: 'other', usage: { input: 0, output: 0 } };
      return event('response.failed', { response: responseOf(nothing, { code: 'server_error', message }) });
    },
  };
}
