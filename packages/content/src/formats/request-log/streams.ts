// Recorded streams put together again: what a client had in the end.
import type { Json, JsonObject } from '@coppice/core';
import { fromBase64, isBase64, toBase64 } from '../../base64.ts';
import { jsonOfEvent, readSse } from '../../wires/sse.ts';
import { joinBytes } from '../bytes.ts';
import { encodeUtf8 } from '../decode.ts';
import { filledAt, isJsonObject, listAt, numberAt, objectAt, omitKeys, textAt } from '../fields.ts';

/** The events of a recorded stream: a list, or the text of server-sent events. */
export function eventsInText(recorded: Json): JsonObject[] {
  if (Array.isArray(recorded)) return recorded.filter((one): one is JsonObject => isJsonObject(one));
  if (typeof recorded !== 'string') return [];
  const values = readSse(encodeUtf8(recorded)).flatMap((event) => jsonOfEvent(event));
  return values.filter((value): value is JsonObject => isJsonObject(value));
}

interface ChoiceDraft {
  content: string;
  reasoning: string;
  refusal: string;
  /** A spoken reply: what is said of it, and the bytes of each piece. */
  audio: JsonObject;
  readonly sounds: string[];
  finish: Json;
  readonly calls: Map<number, CallDraft>;
  /** Where calls are by their ids, and the last place that is taken. */
  readonly places: Map<string, number>;
  last: number;
}

function emptyDraft(): ChoiceDraft {
  const unsaid = { content: '', reasoning: '', refusal: '', audio: {}, sounds: [], finish: null };
  return { ...unsaid, calls: new Map(), places: new Map(), last: -1 };
}

interface CallDraft {
  id: string;
  name: string;
  args: string;
  /** Whether it takes a text as it is, and not arguments. */
  custom: boolean;
}

/** Adds a piece of a call to those of its choice. */
function addCall(draft: ChoiceDraft, call: JsonObject): void {
  const { calls, places } = draft;
  const id = textAt(call, 'id') ?? '';
  // A piece may not say where it belongs: another id is another call, and no id goes on with the last one.
  const at = numberAt(call, 'index') ?? (id === '' ? Math.max(0, draft.last) : (places.get(id) ?? draft.last + 1));
  draft.last = Math.max(draft.last, at);
  if (id !== '') places.set(id, at);
  const custom = isJsonObject(call.custom);
  const piece = objectAt(call, custom ? 'custom' : 'function');
  const known = calls.get(at) ?? { id, name: '', args: '', custom };
  calls.set(at, known);
  known.id ||= id;
  const name = textAt(piece, 'name') ?? '';
  // Some services say the whole name with every piece.
  if (name !== known.name) known.name += name;
  known.args += textAt(piece, custom ? 'input' : 'arguments') ?? '';
}

/** Adds a piece of a spoken reply. */
function addAudio(draft: ChoiceDraft, piece: JsonObject): void {
  const said = (textAt(draft.audio, 'transcript') ?? '') + (textAt(piece, 'transcript') ?? '');
  draft.audio = { ...draft.audio, ...omitKeys(piece, 'data'), ...(said === '' ? {} : { transcript: said }) };
  const data = filledAt(piece, 'data');
  if (data !== undefined) draft.sounds.push(data);
}

/** A spoken reply put together; each piece of its bytes is encoded by itself. */
function audioOfChunks({ audio, sounds }: ChoiceDraft): JsonObject {
  if (sounds.length === 0) return audio;
  const whole = sounds.every(isBase64);
  return { ...audio, data: whole ? toBase64(joinBytes(sounds.map(fromBase64))) : sounds.join('') };
}

/** Chunks of a chat completion as the completion that they are parts of. */
export function foldChunks(chunks: readonly JsonObject[]): JsonObject {
  const choices = new Map<number, ChoiceDraft>();
  let usage: Json = null;
  let error: Json | undefined;
  for (const chunk of chunks) {
    if (isJsonObject(chunk.error)) ({ error } = chunk);
    if (isJsonObject(chunk.usage)) ({ usage } = chunk);
    for (const choice of listAt(chunk, 'choices')) {
      if (!isJsonObject(choice)) continue;
      const index = numberAt(choice, 'index') ?? 0;
      const draft = choices.get(index) ?? emptyDraft();
      choices.set(index, draft);
      const delta = objectAt(choice, 'delta');
      draft.content += textAt(delta, 'content') ?? '';
      draft.reasoning += textAt(delta, 'reasoning_content') ?? textAt(delta, 'reasoning') ?? '';
      draft.refusal += textAt(delta, 'refusal') ?? '';
      if (isJsonObject(delta.audio)) addAudio(draft, delta.audio);
      draft.finish = choice.finish_reason ?? draft.finish;
      const older = isJsonObject(delta.function_call)
        ? [{ id: `call-${textAt(delta.function_call, 'name') ?? ''}`, function: delta.function_call }]
        : [];
      for (const call of [...listAt(delta, 'tool_calls'), ...older]) {
        if (isJsonObject(call)) addCall(draft, call);
      }
    }
  }
  // The first chunk of some services is about the question and names nothing.
  const first = chunks.find((chunk) => filledAt(chunk, 'model') !== undefined) ?? chunks[0];
  return {
    ...first,
    object: 'chat.completion',
    choices: [...choices]
      .sort(([a], [b]) => a - b)
      .map(([index, draft]) => ({
        index,
        finish_reason: draft.finish,
        message: {
          role: 'assistant',
          content: draft.content,
          ...(draft.reasoning === '' ? {} : { reasoning_content: draft.reasoning }),
          ...(draft.refusal === '' ? {} : { refusal: draft.refusal }),
          ...(Object.keys(draft.audio).length === 0 ? {} : { audio: audioOfChunks(draft) }),
          ...(draft.calls.size === 0
            ? {}
            : {
                tool_calls: [...draft.calls]
                  .sort(([a], [b]) => a - b)
                  .map(([, { id, name, args, custom }]) =>
                    custom
                      ? { id, type: 'custom', custom: { name, input: args } }
                      : { id, type: 'function', function: { name, arguments: args } },
                  ),
              }),
        },
      })),
    usage,
    ...(error === undefined ? {} : { error }),
  };
}

/** Events of an Anthropic stream as the message that they are parts of. */
export function foldEvents(events: readonly JsonObject[]): JsonObject {
  let message: JsonObject = {};
  const blocks = new Map<number, { [key: string]: Json }>();
  const inputs = new Map<number, string>();
  for (const event of events) {
    const index = numberAt(event, 'index') ?? 0;
    const delta = objectAt(event, 'delta');
    if (event.type === 'message_start') message = objectAt(event, 'message');
    else if (event.type === 'content_block_start') blocks.set(index, { ...objectAt(event, 'content_block') });
    else if (event.type === 'message_delta')
      message = { ...message, ...delta, usage: { ...objectAt(message, 'usage'), ...objectAt(event, 'usage') } };
    else if (event.type === 'content_block_delta') {
      const block = blocks.get(index) ?? { type: 'text', text: '' };
      blocks.set(index, block);
      if (delta.type === 'text_delta') block.text = (textAt(block, 'text') ?? '') + (textAt(delta, 'text') ?? '');
      else if (delta.type === 'thinking_delta')
        block.thinking = (textAt(block, 'thinking') ?? '') + (textAt(delta, 'thinking') ?? '');
      else if (delta.type === 'signature_delta') block.signature = textAt(delta, 'signature') ?? '';
      else if (delta.type === 'input_json_delta')
        inputs.set(index, (inputs.get(index) ?? '') + (textAt(delta, 'partial_json') ?? ''));
    } else if (event.type === 'error') message = { ...message, error: event.error ?? null };
  }
  for (const [index, text] of inputs) {
    const block = blocks.get(index);
    if (block === undefined || text === '') continue;
    try {
      const input: Json = JSON.parse(text);
      block.input = input;
    } catch {
      block.input = { partial: text };
    }
  }
  const content: Json[] = [...blocks].sort(([a], [b]) => a - b).map(([, block]) => block);
  return { ...message, type: 'message', content };
}

/** Whether a list of events is Anthropic's. */
export function isAnthropicStream(events: readonly JsonObject[]): boolean {
  return events.some(
    (event) => filledAt(event, 'type') === 'message_start' || filledAt(event, 'type') === 'content_block_delta',
  );
}
