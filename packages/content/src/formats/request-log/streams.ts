// Assembles recorded streams to complete responses.
import type { Json, JsonObject } from '@coppice/core';
import { fromBase64, isBase64, toBase64 } from '../../base64.ts';
import { AnthropicEventCollector } from '../../wires/anthropic-events.ts';
import {
  type ChatCompletionCallDraft,
  ChatCompletionChunkCollector,
  type ChatCompletionDelta,
} from '../../wires/chat-chunks.ts';
import { ResponsesEventCollector } from '../../wires/responses-events.ts';
import { parseEventData, readSse } from '../../wires/sse.ts';
import { joinBytes } from '../bytes.ts';
import { encodeUtf8 } from '../decode.ts';
import { getFilledText, isJsonObject, listAt, numberAt, omitKeys, textAt } from '../fields.ts';

/** Returns the events of a recorded stream: a list, or the text of server-sent events. */
export function parseStreamEvents(recorded: Json): JsonObject[] {
  if (Array.isArray(recorded)) return recorded.filter((one): one is JsonObject => isJsonObject(one));
  if (typeof recorded !== 'string') return [];
  const values = readSse(encodeUtf8(recorded)).flatMap((event) => parseEventData(event));
  return values.filter((value): value is JsonObject => isJsonObject(value));
}

interface ChoiceDraft {
  content: string;
  reasoning: string;
  refusal: string;
  /** The fields of an audio reply; `sounds` are the pieces of its bytes as base64. */
  audio: JsonObject;
  readonly sounds: string[];
  /** Images, which some services send outside the content of the message. */
  readonly images: JsonObject[];
  finish: Json;
}

function emptyDraft(): ChoiceDraft {
  return { content: '', reasoning: '', refusal: '', audio: {}, sounds: [], images: [], finish: null };
}

function addPiece(draft: ChoiceDraft, piece: ChatCompletionDelta): void {
  if (piece.type === 'text') draft.content += piece.text;
  else if (piece.type === 'reasoning') draft.reasoning += piece.text;
  else if (piece.type === 'refusal') draft.refusal += piece.text;
  else if (piece.type === 'image') draft.images.push(piece.value);
  else if (piece.type === 'audio') addAudio(draft, piece.value);
  else if (piece.type === 'finish') draft.finish = piece.reason;
}

function addAudio(draft: ChoiceDraft, piece: JsonObject): void {
  const transcript = (textAt(draft.audio, 'transcript') ?? '') + (textAt(piece, 'transcript') ?? '');
  draft.audio = { ...draft.audio, ...omitKeys(piece, 'data'), ...(transcript === '' ? {} : { transcript }) };
  const data = getFilledText(piece, 'data');
  if (data !== undefined) draft.sounds.push(data);
}

/** Assembles an audio reply; each piece of its bytes is encoded separately. */
function audioOfChunks({ audio, sounds }: ChoiceDraft): JsonObject {
  if (sounds.length === 0) return audio;
  const whole = sounds.every(isBase64);
  return { ...audio, data: whole ? toBase64(joinBytes(sounds.map(fromBase64))) : sounds.join('') };
}

/** Assembles a chat completion from its chunks. */
export function assembleChatCompletion(chunks: readonly JsonObject[]): JsonObject {
  const read = new ChatCompletionChunkCollector();
  const choices = new Map<number, ChoiceDraft>();
  let error: Json | undefined;
  for (const chunk of chunks) {
    // A stream may contain an error after some chunks.
    if (chunk.error !== undefined && chunk.error !== null) ({ error } = chunk);
    for (const choice of listAt(chunk, 'choices'))
      if (isJsonObject(choice)) {
        const index = numberAt(choice, 'index') ?? 0;
        if (!choices.has(index)) choices.set(index, emptyDraft());
      }
    for (const piece of read.read(chunk)) {
      const draft = choices.get(piece.choice) ?? emptyDraft();
      choices.set(piece.choice, draft);
      addPiece(draft, piece);
    }
  }
  // The first chunk of some services describes the request and has no model.
  const first = chunks.find((chunk) => getFilledText(chunk, 'model') !== undefined) ?? chunks[0];
  return {
    ...first,
    object: 'chat.completion',
    choices: [...choices]
      .sort(([a], [b]) => a - b)
      .map(([index, draft]) => ({
        index,
        finish_reason: draft.finish,
        message: messageOf(draft, read.callsOf(index)),
      })),
    usage: read.usage,
    ...(error === undefined ? {} : { error }),
  };
}

function messageOf(draft: ChoiceDraft, calls: readonly ChatCompletionCallDraft[]): JsonObject {
  return {
    role: 'assistant',
    content: draft.content,
    ...(draft.reasoning === '' ? {} : { reasoning_content: draft.reasoning }),
    ...(draft.refusal === '' ? {} : { refusal: draft.refusal }),
    ...(Object.keys(draft.audio).length === 0 ? {} : { audio: audioOfChunks(draft) }),
    ...(draft.images.length === 0 ? {} : { images: draft.images }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, json, isCustom, place }) => {
            const named = id === '' && place === 0 ? `call-${name}` : id;
            return isCustom
              ? { id: named, type: 'custom', custom: { name, input: json } }
              : { id: named, type: 'function', function: { name, arguments: json } };
          }),
        }),
  };
}

/** Assembles an Anthropic message from the events of a stream. */
export function assembleAnthropicReply(events: readonly JsonObject[]): JsonObject {
  const read = new AnthropicEventCollector();
  for (const event of events) read.read(event);
  return read.toMessage();
}

/** Assembles a response of the Responses API from the events of a stream. */
export function assembleOpenAiResponse(events: readonly JsonObject[]): JsonObject {
  const read = new ResponsesEventCollector();
  for (const event of events) read.read(event);
  return read.toResponse();
}

/** Whether a list of stream events has the form of Anthropic's API. */
export function isAnthropicStream(events: readonly JsonObject[]): boolean {
  return events.some(
    (event) =>
      getFilledText(event, 'type') === 'message_start' || getFilledText(event, 'type') === 'content_block_delta',
  );
}
