/** Answers calls with our own models where no upstream is set, in the words of the wire that they came over. */
import { type Message, textMessage } from '@coppice/core';
import type { ProviderEvent, Providers } from '@coppice/engine';
import type { Asked } from './exchange.ts';

/** An answer as its bytes go out. */
export interface OwnAnswer {
  readonly contentType: string;
  pieces(): AsyncGenerator<string>;
}

/** What an answer is made with. */
export interface OwnOptions {
  readonly providers: Pick<Providers, 'model' | 'defaultModel' | 'list'>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly signal: AbortSignal;
}

function numberIn(asked: Asked, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = asked.parameters[name];
    if (typeof value === 'number') return value;
  }
  return undefined;
}

/** The model that is asked: the one that was named, if there is such a one here, else the one that answers otherwise. */
async function modelFor(asked: Asked, options: OwnOptions) {
  const known = options.providers.list().some((choice) => choice.ready && choice.id === asked.model);
  return options.providers.model(known ? asked.model : await options.providers.defaultModel(options.signal));
}

async function* eventsFor(asked: Asked, options: OwnOptions): AsyncGenerator<ProviderEvent> {
  const model = await modelFor(asked, options);
  const system: Message[] =
    asked.systemPrompt === undefined || asked.systemPrompt === '' ? [] : [textMessage('system', asked.systemPrompt)];
  const temperature = numberIn(asked, 'temperature');
  const maxTokens = numberIn(asked, 'max_completion_tokens', 'max_tokens', 'max_output_tokens') ?? model.info.maxOut;
  yield* model.stream(
    { messages: [...system, ...asked.history], maxTokens, ...(temperature === undefined ? {} : { temperature }) },
    { signal: options.signal },
  );
}

/** Answers a call. The pieces are the exact bytes that a client reads, and that are recorded. */
export function ownAnswer(asked: Asked, options: OwnOptions): OwnAnswer {
  const id = options.newId();
  const created = Math.floor(options.now() / 1000);
  const events = () => eventsFor(asked, options);
  const given: Writing = { asked, id, created, events };
  const contentType = asked.stream ? 'text/event-stream' : 'application/json';
  const pieces = { chat: chatPieces, messages: messagesPieces, responses: responsesPieces }[asked.wire];
  return { contentType, pieces: () => pieces(given) };
}

interface Writing {
  readonly asked: Asked;
  readonly id: string;
  readonly created: number;
  events(): AsyncGenerator<ProviderEvent>;
}

interface Gathered {
  text: string;
  finish: string;
  usage: { input: number; output: number };
  error: string | null;
}

const finishes: Readonly<Record<WireWord, Readonly<Record<string, string>>>> = {
  chat: { stop: 'stop', length: 'length', 'tool-use': 'tool_calls' },
  messages: { stop: 'end_turn', length: 'max_tokens', 'tool-use': 'tool_use' },
  responses: { stop: 'completed', length: 'incomplete', 'tool-use': 'completed' },
};
type WireWord = Asked['wire'];

/** Goes through the events; tells each piece of text, and gives what came together in the end. */
async function* gathered(
  { events, asked }: Writing,
  onText: (text: string) => string | null,
): AsyncGenerator<string, Gathered> {
  const all: Gathered = {
    text: '',
    finish: finishes[asked.wire]['stop'] ?? 'stop',
    usage: { input: 0, output: 0 },
    error: null,
  };
  for await (const event of events()) {
    if (event.type === 'text-delta') {
      all.text += event.text;
      const piece = onText(event.text);
      if (piece !== null) yield piece;
    } else if (event.type === 'usage') all.usage = { input: event.inputTokens, output: event.outputTokens };
    else if (event.type === 'end') all.finish = finishes[asked.wire][event.finishReason] ?? all.finish;
    else if (event.type === 'error') all.error = event.message;
  }
  return all;
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function named(type: string, value: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`;
}

async function* chatPieces(writing: Writing): AsyncGenerator<string> {
  const { asked, created } = writing;
  const id = `chatcmpl-${writing.id}`;
  const base = { id, created, model: asked.model };
  const chunk = (delta: object, finish: string | null = null) =>
    data({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] });
  if (asked.stream) yield chunk({ role: 'assistant', content: '' });
  const all = yield* gathered(writing, (text) => (asked.stream ? chunk({ content: text }) : null));
  const usage = {
    prompt_tokens: all.usage.input,
    completion_tokens: all.usage.output,
    total_tokens: all.usage.input + all.usage.output,
  };
  if (all.error !== null) {
    const error = { error: { message: all.error, type: 'server_error', code: null } };
    yield asked.stream ? data(error) : JSON.stringify(error);
    return;
  }
  if (!asked.stream) {
    const message = { role: 'assistant', content: all.text, refusal: null };
    const choices = [{ index: 0, message, finish_reason: all.finish, logprobs: null }];
    yield JSON.stringify({ ...base, object: 'chat.completion', choices, usage });
    return;
  }
  yield chunk({}, all.finish);
  if (isRecord(asked.parameters['stream_options']))
    yield data({ ...base, object: 'chat.completion.chunk', choices: [], usage });
  yield 'data: [DONE]\n\n';
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

async function* messagesPieces(writing: Writing): AsyncGenerator<string> {
  const { asked } = writing;
  const base = { id: `msg_${writing.id}`, type: 'message', role: 'assistant', model: asked.model };
  if (asked.stream) {
    const message = {
      ...base,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 0, output_tokens: 0 },
    };
    yield named('message_start', { message });
    yield named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  }
  const all = yield* gathered(writing, (text) =>
    asked.stream ? named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }) : null,
  );
  const usage = { input_tokens: all.usage.input, output_tokens: all.usage.output };
  if (all.error !== null) {
    const error = { type: 'api_error', message: all.error };
    yield asked.stream ? named('error', { error }) : JSON.stringify({ type: 'error', error });
    return;
  }
  if (!asked.stream) {
    const content = [{ type: 'text', text: all.text }];
    yield JSON.stringify({ ...base, content, stop_reason: all.finish, stop_sequence: null, usage });
    return;
  }
  yield named('content_block_stop', { index: 0 });
  yield named('message_delta', { delta: { stop_reason: all.finish, stop_sequence: null }, usage });
  yield named('message_stop', {});
}

async function* responsesPieces(writing: Writing): AsyncGenerator<string> {
  const { asked, created } = writing;
  const base = { id: `resp_${writing.id}`, object: 'response', created_at: created, model: asked.model };
  const item = { id: `msg_${writing.id}`, type: 'message', role: 'assistant' };
  if (asked.stream) {
    yield named('response.created', { response: { ...base, status: 'in_progress', output: [] } });
    yield named('response.output_item.added', {
      output_index: 0,
      item: { ...item, status: 'in_progress', content: [] },
    });
  }
  const all = yield* gathered(writing, (delta) =>
    asked.stream
      ? named('response.output_text.delta', { item_id: item.id, output_index: 0, content_index: 0, delta })
      : null,
  );
  const part = { type: 'output_text', text: all.text, annotations: [] };
  const done = { ...item, status: 'completed', content: [part] };
  const usage = {
    input_tokens: all.usage.input,
    output_tokens: all.usage.output,
    total_tokens: all.usage.input + all.usage.output,
  };
  const error = all.error === null ? null : { code: 'server_error', message: all.error };
  const status = error === null ? all.finish : 'failed';
  const response = { ...base, status, error, output: error === null ? [done] : [], output_text: all.text, usage };
  if (!asked.stream) {
    yield JSON.stringify(response);
    return;
  }
  if (error === null) yield named('response.output_item.done', { output_index: 0, item: done });
  yield named(error === null ? 'response.completed' : 'response.failed', { response });
}
