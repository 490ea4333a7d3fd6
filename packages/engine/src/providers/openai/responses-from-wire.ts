/** Responses, which OpenAI's reasoning models need: from stream events and bodies to our events. Pure. */
import type { Json, JsonObject } from '@coppice/core';
import { bodyFailure } from '../../http/failures.ts';
import type { FinishReason, ProviderEvent } from '../contract.ts';
import { fail } from '../errors.ts';
import { countMember, jsonListOf, jsonObjectOf, memberAt, textMember } from '../json.ts';
import type { WireReader } from '../stream-over-http.ts';
import { parseToolArguments } from '../tool-arguments.ts';
import { usageEvent } from '../usage.ts';

/** A call that the response itself calls incomplete, however whole its arguments look. */
const incompleteCall = { parameters: {}, malformed: 'The arguments were cut off.' } as const;

interface OpenItem {
  readonly type: string;
  json: string;
  said: boolean;
}

/** A reader for the stream of one response. Items are told apart by their place in the output. */
export function responsesReader(): WireReader {
  const open = new Map<number, OpenItem>();
  let response: JsonObject | undefined;
  let called = false;
  let refused = false;
  const said = (place: number) => {
    const item = open.get(place);
    if (item !== undefined) item.said = true;
  };
  const begin = (place: number, item: Json): ProviderEvent[] => {
    const type = textMember(item, 'type') ?? '';
    open.set(place, { type, json: '', said: false });
    if (type !== 'function_call') return [];
    called = true;
    return [
      {
        type: 'tool-use-start',
        index: place,
        id: textMember(item, 'call_id') ?? '',
        name: textMember(item, 'name') ?? '',
      },
    ];
  };
  const finish = (place: number, item: Json): ProviderEvent[] => {
    const out: ProviderEvent[] = open.has(place) ? [] : begin(place, item);
    const opened = open.get(place);
    if (opened === undefined) return out;
    open.delete(place);
    if (opened.type === 'function_call') {
      const json = opened.json === '' ? (textMember(item, 'arguments') ?? '') : opened.json;
      if (opened.json === '' && json !== '') out.push({ type: 'tool-use-delta', index: place, json });
      const read = parseToolArguments(json);
      const cut = textMember(item, 'status') === 'incomplete' && read.malformed === undefined;
      out.push({ type: 'tool-use-end', index: place, ...(cut ? incompleteCall : read) });
    } else if (opened.type === 'reasoning') {
      const summary = jsonListOf(memberAt(item, 'summary')).map((part) => textMember(part, 'text') ?? '');
      if (!opened.said && summary.length > 0) out.push({ type: 'thinking-delta', text: summary.join('\n\n') });
      const [id, proof] = [textMember(item, 'id'), textMember(item, 'encrypted_content')];
      // Both or none: reasoning goes back by its name and its encrypted form together.
      const proved = id !== undefined && proof !== undefined ? { signature: id, redacted: proof } : {};
      out.push({ type: 'thinking-end', ...proved });
    } else if (opened.type === 'message' && !opened.said) {
      for (const part of jsonListOf(memberAt(item, 'content'))) {
        const refusal = textMember(part, 'refusal');
        refused ||= refusal !== undefined;
        out.push({ type: 'text-delta', text: refusal ?? textMember(part, 'text') ?? '' });
      }
    } else if (opened.type === 'image_generation_call') {
      const data = textMember(item, 'result');
      const source = { type: 'base64', data: data ?? '' } as const;
      if (data !== undefined) out.push({ type: 'image', block: { type: 'image', mediaType: 'image/png', source } });
    }
    return out;
  };
  return {
    get done() {
      return response !== undefined;
    },
    read(data, name) {
      const place = countMember(data, 'output_index') ?? 0;
      const delta = textMember(data, 'delta') ?? '';
      switch (textMember(data, 'type') ?? name) {
        case 'response.output_item.added':
          return begin(place, memberAt(data, 'item') ?? null);
        case 'response.output_item.done':
          return finish(place, memberAt(data, 'item') ?? null);
        case 'response.output_text.delta':
          said(place);
          return [{ type: 'text-delta', text: delta }];
        case 'response.refusal.delta':
          said(place);
          refused = true;
          return [{ type: 'text-delta', text: delta }];
        case 'response.reasoning_summary_part.added': {
          const again = open.get(place)?.said === true;
          return again ? [{ type: 'thinking-delta', text: '\n\n' }] : [];
        }
        case 'response.reasoning_summary_text.delta':
        case 'response.reasoning_text.delta':
          said(place);
          return [{ type: 'thinking-delta', text: delta }];
        case 'response.function_call_arguments.delta': {
          const item = open.get(place);
          if (item !== undefined) item.json += delta;
          return [{ type: 'tool-use-delta', index: place, json: delta }];
        }
        case 'response.completed':
          response = jsonObjectOf(memberAt(data, 'response')) ?? {};
          return [];
        case 'response.incomplete':
          response = { ...jsonObjectOf(memberAt(data, 'response')), status: 'incomplete' };
          return [];
        case 'response.failed':
          return failedResponse(memberAt(data, 'response', 'error') ?? null, data);
        case 'error':
          return failedResponse(data, data);
        case 'response.created':
        case 'response.in_progress':
        case 'response.queued':
          return null;
        default:
          return [];
      }
    },
    end() {
      if (response === undefined) return [];
      const out: ProviderEvent[] = [];
      const usage = jsonObjectOf(memberAt(response, 'usage'));
      if (usage !== undefined) out.push(responsesUsage(usage));
      const why = textMember(response, 'incomplete_details', 'reason');
      out.push({
        type: 'end',
        finishReason: responsesFinish(why, textMember(response, 'status') === 'incomplete', called, refused),
        raw: why ?? memberAt(response, 'status') ?? null,
      });
      return out;
    },
  };
}

function failedResponse(error: Json, data: Json): never {
  const marks = [textMember(error, 'code') ?? '', textMember(error, 'type') ?? ''].filter((mark) => mark !== '');
  const message = textMember(error, 'message') ?? 'the response failed';
  throw bodyFailure('OpenAI', { message, marks }, JSON.stringify(data));
}

function responsesFinish(
  why: string | undefined,
  incomplete: boolean,
  called: boolean,
  refused: boolean,
): FinishReason {
  if (why === 'content_filter') return 'content-filter';
  // Whatever else a response is incomplete for, it was cut off.
  if (why === 'max_output_tokens' || incomplete) return 'length';
  if (why !== undefined) return 'other';
  if (refused) return 'refusal';
  return called ? 'tool-use' : 'stop';
}

function responsesUsage(usage: JsonObject): ProviderEvent {
  return usageEvent(usage, {
    inputTokens: countMember(usage, 'input_tokens') ?? 0,
    outputTokens: countMember(usage, 'output_tokens') ?? 0,
    cacheReadTokens: countMember(usage, 'input_tokens_details', 'cached_tokens'),
    cacheWriteTokens: countMember(usage, 'input_tokens_details', 'cache_write_tokens'),
    reasoningTokens: countMember(usage, 'output_tokens_details', 'reasoning_tokens'),
  });
}

/** The events of a whole response: the same reader, fed with its items one by one. */
export function responsesWhole(body: Json): readonly ProviderEvent[] {
  if (!Array.isArray(memberAt(body, 'output')))
    return fail('provider/bad-response', 'The answer is no response with output.', { excerpt: JSON.stringify(body) });
  const reader = responsesReader();
  const events: ProviderEvent[] = [];
  const read = (data: Json) => {
    for (const event of reader.read(data, '') ?? []) events.push(event);
  };
  for (const [place, item] of jsonListOf(memberAt(body, 'output')).entries())
    read({ type: 'response.output_item.done', output_index: place, item });
  if (textMember(body, 'status') === 'failed') read({ type: 'response.failed', response: body });
  else read({ type: 'response.completed', response: body });
  return [...events, ...reader.end()];
}
