/** Encodes answers of local models as OpenAI chat completions. */
import type { Json, JsonObject } from '@coppice/core';
import { isJsonObject, listOrEmpty, objectOrEmpty } from '@coppice/core/decode';
import {
  type AnswerDraft,
  type AnswerMetadata,
  type AnswerPart,
  encodeUnnamedEvent,
  type WireWriter,
} from './local-wire.ts';

const finishes = {
  stop: 'stop',
  length: 'length',
  'tool-use': 'tool_calls',
  'content-filter': 'content_filter',
  refusal: 'stop',
  other: 'stop',
} as const;

function imageOf(part: AnswerPart & { readonly type: 'image' }): JsonObject {
  return { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } };
}

function chatUsageOf({ usage }: AnswerDraft): JsonObject {
  const { input, output } = usage;
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

/** Merges several answers to one completion with several choices. */
export function mergeChoices(completions: readonly JsonObject[]): JsonObject {
  const [first] = completions;
  const usage: Record<string, number> = {};
  for (const each of completions)
    for (const [name, count] of Object.entries(objectOrEmpty(each, 'usage')))
      usage[name] = (usage[name] ?? 0) + (typeof count === 'number' ? count : 0);
  const choices = completions.map((each, index) => ({ ...objectIn(listOrEmpty(each, 'choices')[0]), index }));
  return { ...first, choices, usage };
}

/** Yields a completion as the chunks of a stream, choice by choice. */
export function* toChatCompletionChunks(completion: JsonObject, usageAsked: boolean): Generator<string> {
  const { choices: _, usage, ...head } = completion;
  const base = { ...head, object: 'chat.completion.chunk' };
  for (const choice of listOrEmpty(completion, 'choices').filter(isJsonObject)) {
    const { index = 0, finish_reason: finish = null } = choice;
    const message = objectOrEmpty(choice, 'message');
    const calls = listOrEmpty(message, 'tool_calls').map((call, at) => ({ index: at, ...objectIn(call) }));
    const delta = calls.length === 0 ? message : { ...message, tool_calls: calls };
    yield encodeUnnamedEvent({ ...base, choices: [{ index, delta, finish_reason: null }] });
    yield encodeUnnamedEvent({ ...base, choices: [{ index, delta: {}, finish_reason: finish }] });
  }
  if (usageAsked) yield encodeUnnamedEvent({ ...base, choices: [], usage });
  yield 'data: [DONE]\n\n';
}

function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function createChatCompletionWriter({ id, created, model, usageAsked }: AnswerMetadata): WireWriter {
  const base = { id: `chatcmpl-${id}`, created, model };
  const chunk = (delta: object, finish: string | null = null) =>
    encodeUnnamedEvent({
      ...base,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  // Chat completions number tool calls separately from other parts.
  const numbers = new Map<number, number>();
  const failure = (message: string) => ({ error: { message, type: 'server_error', param: null, code: null } });
  return {
    whole(answer) {
      const { parts } = answer;
      const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
      const thinking = parts.map((part) => (part.type === 'thinking' ? part.text : '')).join('');
      const images = parts.flatMap((part) => (part.type === 'image' ? [imageOf(part)] : []));
      const calls = parts.flatMap((part) =>
        part.type === 'call'
          ? [{ id: part.id, type: 'function', function: { name: part.name, arguments: part.json } }]
          : [],
      );
      const message = {
        role: 'assistant',
        content: text === '' && calls.length > 0 ? null : text,
        refusal: null,
        ...(thinking === '' ? {} : { reasoning_content: thinking }),
        ...(images.length === 0 ? {} : { images }),
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
      };
      const choices = [{ index: 0, message, finish_reason: finishes[answer.finish], logprobs: null }];
      return { ...base, object: 'chat.completion', choices, usage: chatUsageOf(answer) };
    },
    begin: () => chunk({ role: 'assistant', content: '' }),
    change(change) {
      const { part, at } = change;
      if (change.type === 'done') return '';
      if (part.type === 'image') return chunk({ images: [imageOf(part)] });
      if (part.type === 'call' && change.type === 'begun') {
        const index = numbers.size;
        numbers.set(at, index);
        const called = { name: part.name, arguments: '' };
        return chunk({ tool_calls: [{ index, id: part.id, type: 'function', function: called }] });
      }
      if (change.type === 'begun') return '';
      if (part.type === 'call')
        return chunk({ tool_calls: [{ index: numbers.get(at) ?? 0, function: { arguments: change.by } }] });
      return chunk(part.type === 'text' ? { content: change.by } : { reasoning_content: change.by });
    },
    end(answer) {
      const usage = usageAsked
        ? encodeUnnamedEvent({ ...base, object: 'chat.completion.chunk', choices: [], usage: chatUsageOf(answer) })
        : '';
      return `${chunk({}, finishes[answer.finish])}${usage}data: [DONE]\n\n`;
    },
    failed: (message) => encodeUnnamedEvent(failure(message)),
  };
}
