/**
 * OpenAI Responses, which OpenAI's reasoning models require: converts stream events and bodies to wire events. Pure.
 */
import type { Json, JsonObject } from '@coppice/core';
import type { FinishReason, WireReader, WireReplyEvent } from './contract.ts';
import { WireAnswerFailure } from './contract.ts';
import { ResponsesEventCollector, type ResponsesItemChange, type ResponsesItemDraft } from './responses-events.ts';
import { parseToolArguments } from './tool-arguments.ts';
import { buildUsageEvent } from './usage-event.ts';
import { getCountMember, getMember, getTextMember, listOrNone, objectOrUndefined } from './wire-json.ts';

/** The result of a call that the response marks as incomplete, even if its arguments look complete. */
const incompleteCall = { parameters: {}, malformed: 'The arguments were cut off.' } as const;

/** Creates a reader for the stream of one response. */
export function createResponsesReader(): WireReader {
  const events = new ResponsesEventCollector();
  const state = { called: false, refused: false };
  return {
    get done() {
      return events.ended !== null;
    },
    read(data, name) {
      const changes = events.read(data, name);
      if (events.failure !== null) return throwFailure(events.failure, data);
      return changes?.flatMap((change) => eventsOf(change, state)) ?? null;
    },
    end() {
      const { ended } = events;
      if (ended === null) return [];
      const out: WireReplyEvent[] = [];
      const usage = objectOrUndefined(getMember(ended, 'usage'));
      if (usage !== undefined) out.push(responsesUsage(usage));
      const why = getTextMember(ended, 'incomplete_details', 'reason');
      const isIncomplete = getTextMember(ended, 'status') === 'incomplete';
      out.push({
        type: 'end',
        finishReason: finishOf(why, isIncomplete, state.called, state.refused),
        raw: why ?? getMember(ended, 'status') ?? null,
      });
      return out;
    },
  };
}

/** What a response contained so far, which decides its finish reason. */
interface Seen {
  called: boolean;
  refused: boolean;
}

function eventsOf({ what, draft, piece }: ResponsesItemChange, seen: Seen): readonly WireReplyEvent[] {
  switch (what) {
    case 'begun':
      return beginningOf(draft, seen);
    case 'ended':
      return endOf(draft, seen);
    case 'refusal':
      seen.refused = true;
      return [{ type: 'text-delta', text: piece }];
    case 'text':
      return [{ type: 'text-delta', text: piece }];
    case 'summary':
    case 'reasoning':
      return [{ type: 'thinking-delta', text: piece }];
    case 'arguments':
      return [{ type: 'tool-use-delta', index: draft.index, json: piece }];
    case 'input':
      // Tools of this kind are never offered, so their calls are ignored.
      return [];
  }
}

function beginningOf({ index, type, item }: ResponsesItemDraft, seen: Seen): readonly WireReplyEvent[] {
  if (type !== 'function_call') return [];
  seen.called = true;
  return [
    {
      type: 'tool-use-start',
      index,
      id: getTextMember(item, 'call_id') ?? '',
      name: getTextMember(item, 'name') ?? '',
    },
  ];
}

function endOf(draft: ResponsesItemDraft, seen: Seen): readonly WireReplyEvent[] {
  const { type, item, texts } = draft;
  switch (type) {
    case 'function_call':
      return callEnd(draft);
    case 'reasoning': {
      const out: WireReplyEvent[] = [];
      const summary = listOrNone(getMember(item, 'summary')).map((part) => getTextMember(part, 'text') ?? '');
      if (texts.size === 0 && summary.length > 0) out.push({ type: 'thinking-delta', text: summary.join('\n\n') });
      const [id, proof] = [getTextMember(item, 'id'), getTextMember(item, 'encrypted_content')];
      // Reasoning can be sent back only with both its id and its encrypted form.
      const proved = id !== undefined && proof !== undefined ? { signature: id, redacted: proof } : {};
      out.push({ type: 'thinking-end', ...proved });
      return out;
    }
    case 'message':
      if (texts.size > 0) return [];
      return listOrNone(getMember(item, 'content')).map((part) => {
        const refusal = getTextMember(part, 'refusal');
        seen.refused ||= refusal !== undefined;
        return { type: 'text-delta', text: refusal ?? getTextMember(part, 'text') ?? '' };
      });
    case 'image_generation_call': {
      const data = getTextMember(item, 'result');
      if (data === undefined) return [];
      const mediaType = `image/${getTextMember(item, 'output_format') ?? 'png'}`;
      return [{ type: 'image', block: { type: 'image', mediaType, source: { type: 'base64', data } } }];
    }
    default:
      return [];
  }
}

function callEnd({ index, item, texts }: ResponsesItemDraft): readonly WireReplyEvent[] {
  const out: WireReplyEvent[] = [];
  const argumentsText = [...(texts.get('arguments')?.values() ?? [])].join('');
  const json = argumentsText === '' ? (getTextMember(item, 'arguments') ?? '') : argumentsText;
  if (argumentsText === '' && json !== '') out.push({ type: 'tool-use-delta', index, json });
  const read = parseToolArguments(json);
  const isCut = getTextMember(item, 'status') === 'incomplete' && read.malformed === undefined;
  out.push({ type: 'tool-use-end', index, ...(isCut ? incompleteCall : read) });
  return out;
}

function throwFailure(error: Json, data: Json): never {
  const marks = [getTextMember(error, 'code') ?? '', getTextMember(error, 'type') ?? ''].filter((mark) => mark !== '');
  const message = getTextMember(error, 'message') ?? 'the response failed';
  throw new WireAnswerFailure(message, data, marks);
}

function finishOf(why: string | undefined, incomplete: boolean, called: boolean, refused: boolean): FinishReason {
  if (why === 'content_filter') return 'content-filter';
  // A response that is incomplete for any other reason was cut off as well.
  if (why === 'max_output_tokens' || incomplete) return 'length';
  if (why !== undefined) return 'other';
  if (refused) return 'refusal';
  return called ? 'tool-use' : 'stop';
}

function responsesUsage(usage: JsonObject): WireReplyEvent {
  return buildUsageEvent(usage, {
    inputTokens: getCountMember(usage, 'input_tokens') ?? 0,
    outputTokens: getCountMember(usage, 'output_tokens') ?? 0,
    cacheReadTokens: getCountMember(usage, 'input_tokens_details', 'cached_tokens'),
    cacheWriteTokens: getCountMember(usage, 'input_tokens_details', 'cache_write_tokens'),
    reasoningTokens: getCountMember(usage, 'output_tokens_details', 'reasoning_tokens'),
  });
}

/** Returns the events of a complete response: the same reader reads its items one by one. */
export function readWholeOpenAiResponse(body: Json): readonly WireReplyEvent[] {
  if (!Array.isArray(getMember(body, 'output')))
    throw new WireAnswerFailure('The answer is not a response with output.', body);
  const reader = createResponsesReader();
  const events: WireReplyEvent[] = [];
  const read = (data: Json) => {
    for (const event of reader.read(data, '') ?? []) events.push(event);
  };
  for (const [place, item] of listOrNone(getMember(body, 'output')).entries())
    read({ type: 'response.output_item.done', output_index: place, item });
  if (getTextMember(body, 'status') === 'failed') read({ type: 'response.failed', response: body });
  else read({ type: 'response.completed', response: body });
  return [...events, ...reader.end()];
}
