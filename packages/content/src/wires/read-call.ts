/**
 * Converts a complete call, with request and answer, to messages. Supports the OpenAI chat, OpenAI Responses, Anthropic
 * and Google wires.
 */
import type { Json, JsonObject } from '@coppice/core';
import { fromAnthropicMessage } from '../formats/anthropic-blocks.ts';
import { getFilledText, isJsonObject, listAt, numberAt, objectAt, textAt } from '../formats/fields.ts';
import { buildAudioBlocks, fromOpenAiMessage, fromOpenAiMessageWithAudio } from '../formats/openai-messages.ts';
import { readGoogleAnswers, readGoogleRequest } from './google-call.ts';
import { groupResponsesItems, type ResolveResponsesItem, type ResponsesItemMessage } from './responses-items.ts';

/** The APIs whose recorded calls can be read. */
export type ModelCallWire = 'chat' | 'anthropic' | 'responses' | 'google';

/** The request of a call in canonical form, without validation. */
export interface ModelCallRequest {
  /** Undefined if the request has no system prompt, which differs from an empty prompt. */
  readonly systemPrompt: string | undefined;
  readonly messages: readonly JsonObject[];
  /** The ids of tool calls whose results are marked as failures. */
  readonly failed: ReadonlySet<string>;
  /** The author names of messages that have a name. */
  readonly names: ReadonlyMap<JsonObject, string>;
}

/** How a request is read; all options may be left out. */
export interface ModelCallReadOptions {
  /** Finds an item that the request names only by id. */
  readonly resolve?: ResolveResponsesItem | undefined;
  /** Whether the request continues an earlier reply. Then a leading system message is not the system prompt. */
  readonly continues?: boolean | undefined;
  /** Converts one chat message. The default also converts audio transcripts. */
  readonly chatMessage?: ((record: JsonObject) => JsonObject) | undefined;
}

/** One alternative answer of a call: its messages, and the API's finish reason. */
export interface ModelCallAnswer {
  readonly messages: readonly ResponsesItemMessage[];
  readonly finish: string | undefined;
}

/** Returns the text of a prompt, which may be a list of parts; undefined for other values. */
function promptText(content: Json | undefined): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  return content.map((part) => (isJsonObject(part) ? (textAt(part, 'text') ?? '') : '')).join('\n\n');
}

function promptIn(message: Json | undefined): string | undefined {
  if (!isJsonObject(message) || (message.role !== 'system' && message.role !== 'developer')) return undefined;
  return promptText(message.content);
}

/** Converts the request of a recorded call to messages. */
export function readModelCallRequest(
  wire: ModelCallWire,
  body: JsonObject,
  reading: ModelCallReadOptions = {},
): ModelCallRequest {
  const plain = { failed: new Set<string>(), names: new Map<JsonObject, string>() };
  if (wire === 'responses') return { ...plain, ...readResponsesRequest(body, reading) };
  if (wire === 'google') return { ...plain, ...readGoogleRequest(body) };
  const records = listAt(body, 'messages').filter((one): one is JsonObject => isJsonObject(one));
  if (wire === 'anthropic') {
    const messages = records.flatMap((one, index) => fromAnthropicMessage(one, `${index}`));
    return { ...plain, systemPrompt: promptText(body.system), messages, failed: failedIn(records) };
  }
  const systemPrompt = promptIn(records[0]);
  const read = reading.chatMessage ?? fromOpenAiMessageWithAudio;
  const { names } = plain;
  const messages = (systemPrompt === undefined ? records : records.slice(1)).map((record) => {
    const message = read(record);
    const speaker = getFilledText(record, 'name');
    if (speaker !== undefined) names.set(message, speaker);
    return message;
  });
  return { ...plain, systemPrompt, messages, names };
}

/**
 * Whether an item of the Responses API offers tools. Codex sends such an item instead of the field `tools`; it is not a
 * message.
 */
export function isToolListItem(item: Json): item is JsonObject {
  return isJsonObject(item) && item.type === 'additional_tools';
}

function readResponsesRequest(
  body: JsonObject,
  { resolve, continues = false }: ModelCallReadOptions,
): Pick<ModelCallRequest, 'systemPrompt' | 'messages'> {
  const { input } = body;
  const listed = typeof input === 'string' ? [{ role: 'user', content: input }] : listAt(body, 'input');
  const items = listed.filter((item) => !isToolListItem(item));
  const instructions = textAt(body, 'instructions');
  const leading = instructions === undefined && !continues ? promptIn(items[0]) : undefined;
  const messages = groupResponsesItems(leading === undefined ? items : items.slice(1), resolve);
  return { systemPrompt: instructions ?? leading, messages: messages.map(({ message }) => message) };
}

/** Returns the ids of failed calls in an Anthropic history. Other wires do not mark failed calls. */
function failedIn(messages: readonly JsonObject[]): Set<string> {
  const failed = new Set<string>();
  for (const message of messages)
    for (const block of listAt(message, 'content'))
      if (isJsonObject(block) && block.type === 'tool_result' && block.is_error === true)
        failed.add(textAt(block, 'tool_use_id') ?? '');
  return failed;
}

/**
 * Reads the alternative answers of a call. The model's last message may come after calls that the service ran itself.
 */
export function readModelCallAnswers(
  wire: ModelCallWire,
  response: JsonObject,
  resolve?: ResolveResponsesItem,
): readonly ModelCallAnswer[] {
  if (wire === 'responses') {
    const messages = groupResponsesItems(listAt(response, 'output'), resolve);
    return messages.length === 0 ? [] : [{ messages, finish: endOfResponse(response) }];
  }
  if (wire === 'google')
    return readGoogleAnswers(response).map(({ message, finish }) => ({ messages: [whole(message)], finish }));
  if (wire === 'anthropic') {
    if (listAt(response, 'content').length === 0 && isJsonObject(response.error)) return [];
    const [message] = fromAnthropicMessage(
      { ...response, role: 'assistant' },
      getFilledText(response, 'id') ?? 'reply',
    ).slice(-1);
    return message === undefined
      ? []
      : [{ messages: [whole(message)], finish: getFilledText(response, 'stop_reason') }];
  }
  // Sorted by index, because the order in the list has no meaning.
  return listAt(response, 'choices')
    .filter((one): one is JsonObject => isJsonObject(one))
    .sort((a, b) => (numberAt(a, 'index') ?? 0) - (numberAt(b, 'index') ?? 0))
    .map((choice) => ({
      messages: [whole(chatAnswer(objectAt(choice, 'message')))],
      finish: getFilledText(choice, 'finish_reason'),
    }));
}

function whole(message: JsonObject): ResponsesItemMessage {
  return { message, items: [] };
}

/** Converts a chat reply, including images and audio outside its content. */
function chatAnswer(said: JsonObject): JsonObject {
  const beside = [...listAt(said, 'images'), ...buildAudioBlocks(objectAt(said, 'audio'))];
  if (beside.length === 0) return fromOpenAiMessage({ role: 'assistant', ...said });
  const { content } = said;
  const written: readonly Json[] = typeof content === 'string' && content !== '' ? [content] : listAt(said, 'content');
  return fromOpenAiMessage({ role: 'assistant', ...said, content: [...written, ...beside] });
}

/** Returns why a response ended; undefined if it has not ended. */
function endOfResponse(response: JsonObject): string | undefined {
  const status = getFilledText(response, 'status');
  if (status === 'incomplete') return getFilledText(objectAt(response, 'incomplete_details'), 'reason') ?? status;
  return status === 'in_progress' || status === 'queued' ? undefined : status;
}
