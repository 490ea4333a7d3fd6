/** A whole call of the OpenAI chat, OpenAI Responses or Anthropic wire: what it asked and what came back, as messages. */
import type { Json, JsonObject } from '@coppice/core';
import { fromAnthropic } from '../formats/anthropic-blocks.ts';
import { filledAt, isJsonObject, listAt, numberAt, objectAt, textAt } from '../formats/fields.ts';
import { assistantBlocks, fromAssistant, fromOpenAi } from '../formats/openai-messages.ts';
import { type ItemMessage, messagesWithItems, type Resolve } from './responses-items.ts';

/** The wires that calls are recorded from. */
export type CallWire = 'chat' | 'anthropic' | 'responses';

/** What a call asked, in canonical form and unchecked. */
export interface CallRequest {
  /** Undefined and empty differ, as everywhere. */
  readonly systemPrompt: string | undefined;
  readonly messages: readonly JsonObject[];
  /** Calls of tools whose results are said to be failures. */
  readonly failed: ReadonlySet<string>;
  /** Who spoke, where a message names somebody. */
  readonly names: ReadonlyMap<JsonObject, string>;
}

/** How a request is read. */
export interface CallReading {
  /** Finds an item that the request names by its id only. */
  readonly resolve?: Resolve | undefined;
  /** Whether it goes on from a reply: then a leading system message is part of the middle, and no prompt. */
  readonly goesOn?: boolean | undefined;
  /** Reads one message of a chat; with what was spoken in it if not given. */
  readonly chatMessage?: ((record: JsonObject) => JsonObject) | undefined;
}

/** One answer: the messages that it consists of, and why it ended in the words of the wire. */
export interface CallAnswer {
  readonly messages: readonly ItemMessage[];
  readonly finish: string | undefined;
}

/** The text of a prompt, which may be a list of parts; undefined where it is no text. */
function promptText(content: Json | undefined): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  return content.map((part) => (isJsonObject(part) ? (textAt(part, 'text') ?? '') : '')).join('\n\n');
}

function promptIn(message: Json | undefined): string | undefined {
  if (!isJsonObject(message) || (message.role !== 'system' && message.role !== 'developer')) return undefined;
  return promptText(message.content);
}

/** What a call asked. */
export function readCallRequest(wire: CallWire, body: JsonObject, reading: CallReading = {}): CallRequest {
  const plain = { failed: new Set<string>(), names: new Map<JsonObject, string>() };
  if (wire === 'responses') return { ...plain, ...readResponsesRequest(body, reading) };
  const records = listAt(body, 'messages').filter((one): one is JsonObject => isJsonObject(one));
  if (wire === 'anthropic') {
    const messages = records.flatMap((one, index) => fromAnthropic(one, `${index}`));
    return { ...plain, systemPrompt: promptText(body.system), messages, failed: failedIn(records) };
  }
  const systemPrompt = promptIn(records[0]);
  const read = reading.chatMessage ?? fromAssistant;
  const { names } = plain;
  const messages = (systemPrompt === undefined ? records : records.slice(1)).map((record) => {
    const message = read(record);
    const speaker = filledAt(record, 'name');
    if (speaker !== undefined) names.set(message, speaker);
    return message;
  });
  return { ...plain, systemPrompt, messages, names };
}

function readResponsesRequest(
  body: JsonObject,
  { resolve, goesOn = false }: CallReading,
): Pick<CallRequest, 'systemPrompt' | 'messages'> {
  const { input } = body;
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : listAt(body, 'input');
  const instructions = textAt(body, 'instructions');
  const leading = instructions === undefined && !goesOn ? promptIn(items[0]) : undefined;
  const messages = messagesWithItems(leading === undefined ? items : items.slice(1), resolve);
  return { systemPrompt: instructions ?? leading, messages: messages.map(({ message }) => message) };
}

/** The calls of an Anthropic history that failed; other wires do not say. */
function failedIn(messages: readonly JsonObject[]): Set<string> {
  const failed = new Set<string>();
  for (const message of messages)
    for (const block of listAt(message, 'content'))
      if (isJsonObject(block) && block.type === 'tool_result' && block.is_error === true)
        failed.add(textAt(block, 'tool_use_id') ?? '');
  return failed;
}

/** What came back: answers beside each other. Before what a model said in the end may stand what its service did itself. */
export function readCallAnswers(wire: CallWire, response: JsonObject, resolve?: Resolve): readonly CallAnswer[] {
  if (wire === 'responses') {
    const messages = messagesWithItems(listAt(response, 'output'), resolve);
    return messages.length === 0 ? [] : [{ messages, finish: endOfResponse(response) }];
  }
  if (wire === 'anthropic') {
    if (listAt(response, 'content').length === 0 && isJsonObject(response.error)) return [];
    const [message] = fromAnthropic({ ...response, role: 'assistant' }, filledAt(response, 'id') ?? 'reply').slice(-1);
    return message === undefined ? [] : [{ messages: [whole(message)], finish: filledAt(response, 'stop_reason') }];
  }
  // By their own numbers: which of them stands first says nothing.
  return listAt(response, 'choices')
    .filter((one): one is JsonObject => isJsonObject(one))
    .sort((a, b) => (numberAt(a, 'index') ?? 0) - (numberAt(b, 'index') ?? 0))
    .map((choice) => ({
      messages: [whole(chatAnswer(objectAt(choice, 'message')))],
      finish: filledAt(choice, 'finish_reason'),
    }));
}

function whole(message: JsonObject): ItemMessage {
  return { message, items: [] };
}

/** A reply of a chat, with the pictures and the speech that stand beside its content on this wire. */
function chatAnswer(said: JsonObject): JsonObject {
  const beside = [...listAt(said, 'images'), ...assistantBlocks(objectAt(said, 'audio'))];
  if (beside.length === 0) return fromOpenAi({ role: 'assistant', ...said });
  const { content } = said;
  const written: readonly Json[] = typeof content === 'string' && content !== '' ? [content] : listAt(said, 'content');
  return fromOpenAi({ role: 'assistant', ...said, content: [...written, ...beside] });
}

/** Why a response ended, in its own words; undefined where it did not. */
function endOfResponse(response: JsonObject): string | undefined {
  const status = filledAt(response, 'status');
  if (status === 'incomplete') return filledAt(objectAt(response, 'incomplete_details'), 'reason') ?? status;
  return status === 'in_progress' || status === 'queued' ? undefined : status;
}
