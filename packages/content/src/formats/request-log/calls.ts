// Recognises logged calls: which part of a record is the request, which part is the response, and which API they belong
// to.
import type { Json, JsonObject } from '@coppice/core';
import { parseFiniteJson } from '../../finite-json.ts';
import type { ModelCallWire } from '../../wires/read-call.ts';
import { isResponsesItemList } from '../../wires/responses-items.ts';
import { getFilledText, isJsonObject, listAt, objectAt, omitKeys, parseAnyTime, textAt } from '../fields.ts';
import { isStorableRecord } from '../original-record.ts';
import { hasMessageLinks } from '../structure-findings.ts';
import {
  assembleAnthropicReply,
  assembleChatCompletion,
  assembleOpenAiResponse,
  isAnthropicStream,
  parseStreamEvents,
} from './streams.ts';

/** A logged call: its request, its response if one was logged, and the API. */
export interface LoggedCall {
  readonly request: JsonObject;
  readonly response: JsonObject | undefined;
  readonly dialect: ModelCallWire;
  readonly at: number | undefined;
}

const requestKeys = ['request', 'req', 'request_body', 'requestBody', 'body', 'input', 'params', 'kwargs'];
const responseKeys = ['response', 'res', 'response_body', 'responseBody', 'output', 'completion', 'result'];
const timeKeys = ['timestamp', 'created_at', 'createdAt', 'time', 'start_time', 'startTime', 'date'];
// Fields of a Responses request; an embeddings request, which also has `input`, has none of these.
const ofResponses = ['instructions', 'previous_response_id', 'max_output_tokens', 'reasoning', 'store', 'conversation'];

/** Whether a value is a chat request. A list of messages with a title is a stored conversation instead. */
function isChatRequest(value: Json | undefined): value is JsonObject {
  if (!isJsonObject(value) || !Array.isArray(value.messages) || getFilledText(value, 'title') !== undefined)
    return false;
  const { messages } = value;
  const speaks = messages.some((one) => isJsonObject(one) && typeof one.role === 'string');
  if (hasMessageLinks(messages) || (messages.length > 0 && !speaks)) return false;
  return typeof value.model === 'string' || 'max_tokens' in value;
}

function isResponsesRequest(value: Json | undefined): value is JsonObject {
  if (!isJsonObject(value) || Array.isArray(value.messages)) return false;
  if (Array.isArray(value.input))
    return isResponsesItemList(value.input) || (value.input.length === 0 && 'previous_response_id' in value);
  const named = ofResponses.some((key) => key in value) || Array.isArray(value.output);
  return typeof value.input === 'string' && typeof value.model === 'string' && named;
}

function isShortRequest(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && typeof value.input === 'string' && typeof value.model === 'string';
}

/** Whether a value is the body of a chat, Responses or Anthropic request. */
export function isRequestRecord(value: Json | undefined): value is JsonObject {
  return isChatRequest(value) || isResponsesRequest(value);
}

/** Returns the value under the first key that fits, directly or in its `body`, `json` or `data`. */
function requestPart(record: JsonObject, keys: readonly string[], fits: (value: Json) => boolean): Json | undefined {
  for (const key of keys) {
    const value = record[key];
    if (value === undefined) continue;
    if (fits(value)) return value;
    const body = isJsonObject(value) ? (value.body ?? value.json ?? value.data) : undefined;
    if (body !== undefined && fits(body)) return body;
  }
  return undefined;
}

/** Whether a record is one stream event. Proxies that log while streaming write one event per line. */
function isEvent(value: JsonObject): boolean {
  if (value.object === 'chat.completion.chunk') return true;
  const type = textAt(value, 'type') ?? '';
  return (
    /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping)$/.test(type) ||
    /^response\.[a-z_.]+$/.test(type) ||
    (type === 'error' && isJsonObject(value.error))
  );
}

/** Whether a record is a response without its request. */
export function isResponseRecord(value: Json | undefined): value is JsonObject {
  if (!isJsonObject(value)) return false;
  if (value.object === 'chat.completion') return Array.isArray(value.choices);
  if (value.object === 'response') return Array.isArray(value.output);
  return value.type === 'message' && value.role === 'assistant' && Array.isArray(value.content) && 'usage' in value;
}

function isResponse(value: Json): boolean {
  if (typeof value === 'string') return /^(?:event|data):/m.test(value.slice(0, 2000));
  if (Array.isArray(value)) return value.some((one) => isJsonObject(one) && ('choices' in one || 'type' in one));
  return (
    isJsonObject(value) &&
    (Array.isArray(value.choices) ||
      Array.isArray(value.content) ||
      Array.isArray(value.output) ||
      isJsonObject(value.error))
  );
}

/** Assembles a complete response from the events of a stream, for any of the three APIs. */
export function assembleReply(events: readonly JsonObject[]): JsonObject {
  if (isAnthropicStream(events)) return assembleAnthropicReply(events);
  return events.some((event) => textAt(event, 'type')?.startsWith('response.') === true)
    ? assembleOpenAiResponse(events)
    : assembleChatCompletion(events);
}

function responseOf(value: Json | undefined): JsonObject | undefined {
  if (value === undefined) return undefined;
  if (isJsonObject(value)) return value;
  if (Array.isArray(value) && isResponsesItemList(value)) return { output: value };
  const events = parseStreamEvents(value);
  return events.length === 0 ? undefined : assembleReply(events);
}

function isAnthropic(request: JsonObject, response: JsonObject | undefined): boolean {
  return (
    'system' in request ||
    'max_tokens_to_sample' in request ||
    (response !== undefined && Array.isArray(response.content)) ||
    listAt(request, 'messages').some(
      (one) =>
        isJsonObject(one) &&
        listAt(one, 'content').some(
          (block) => isJsonObject(block) && (block.type === 'tool_use' || block.type === 'tool_result'),
        ),
    )
  );
}

/** Builds a call from request and response. Its time is that of the record, else that of the reply. */
export function buildLoggedCall(request: JsonObject, response: JsonObject | undefined, record: JsonObject): LoggedCall {
  const responses = isResponsesRequest(request) || (response !== undefined && Array.isArray(response.output));
  const dialect = responses ? 'responses' : isAnthropic(request, response) ? 'anthropic' : 'chat';
  const own = timeKeys.map((key) => parseAnyTime(record[key])).find((at) => at !== undefined);
  return { request, response, dialect, at: own ?? parseAnyTime(response?.created ?? response?.created_at) };
}

/** Returns the call that a record contains, with or without a response; undefined if it contains none. */
export function findLoggedCall(record: JsonObject): LoggedCall | undefined {
  const found = isRequestRecord(record) ? record : requestPart(record, requestKeys, isRequestRecord);
  if (found === record && isResponsesRequest(record) && Array.isArray(record.output))
    return buildLoggedCall(record, record, record);
  if (isRequestRecord(found))
    return buildLoggedCall(found, responseOf(requestPart(record, responseKeys, isResponse)), record);
  // A request with only a model and a text could also be a request for an embedding. Its response decides.
  const short = requestPart(record, requestKeys, isShortRequest);
  const answer = isShortRequest(short) ? responseOf(requestPart(record, responseKeys, isResponse)) : undefined;
  if (isShortRequest(short) && Array.isArray(answer?.output)) return buildLoggedCall(short, answer, record);
  // A Responses reply names the response that it continues.
  const reply = requestPart(record, responseKeys, isResponseRecord);
  return isResponseRecord(reply) ? buildLoggedCall(objectAt(record, 'request'), reply, record) : undefined;
}

/** Returns the stream event that a record is or contains; undefined for other records. */
export function findStreamEvent(record: JsonObject): JsonObject | undefined {
  if (isEvent(record)) return record;
  for (const key of ['data', 'chunk', 'event']) {
    const value = record[key];
    if (isJsonObject(value) && isEvent(value)) return value;
    if (typeof value !== 'string' || !value.startsWith('{')) continue;
    try {
      const read = parseFiniteJson(value);
      if (isJsonObject(read) && isEvent(read)) return read;
    } catch {
      // The value is not JSON.
    }
  }
  return undefined;
}

/**
 * Returns the id of the reply to which an event belongs; undefined if the event has no id and continues the last reply.
 */
export function replyIdOf(event: JsonObject): string | undefined {
  return (
    getFilledText(event, 'id') ??
    getFilledText(event, 'response_id') ??
    getFilledText(objectAt(event, 'message'), 'id') ??
    getFilledText(objectAt(event, 'response'), 'id')
  );
}

// Names of credentials in logs, which must not be stored or exported.
const secretNames =
  /^(?:(?:proxy-)?authorization|(?:set-)?cookie2?|(?:x-|x-goog-|openai-|anthropic-)?api[-_]?key|x-(?:auth|access|session)[-_]token|(?:access|auth|bearer|session|refresh)[-_]?token|client[-_]?secret|password)$/i;

/** Replaces credentials in headers and settings by a placeholder, anywhere in a value. */
function hideSecretValues(value: Json): Json {
  if (Array.isArray(value))
    // Headers may be a flat list of alternating names and values.
    return value.map((item, at) =>
      typeof item === 'string' && isSecret(value[at - 1]) ? hidden : hideSecretValues(item),
    );
  if (!isJsonObject(value)) return value;
  const pair = isSecret(value.name) || isSecret(value.key);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const secret = isSecret(key) || (pair && key === 'value');
      return [key, secret && (typeof item === 'string' || Array.isArray(item)) ? hidden : hideSecretValues(item)];
    }),
  );
}

function isSecret(name: Json | undefined): boolean {
  return typeof name === 'string' && secretNames.test(name);
}

const hidden = '[left out]';

/** Returns the settings of a call without credentials; empty if they are too large to store. */
export function pickSettingsWithoutSecrets(request: JsonObject): JsonObject {
  const beside = ['messages', 'input', 'output', 'system', 'instructions', 'model', 'tools', 'stream'];
  const settings = omitKeys(request, ...beside);
  const safe = isStorableRecord(settings) ? hideSecretValues(settings) : {};
  return isJsonObject(safe) ? safe : {};
}

/** Returns the record of a call without credentials and without the history, which the nodes contain. */
export function removeSecretsAndHistory(record: JsonObject): JsonObject {
  const bare = withoutHistory(record);
  // The import reports records that are too large or too deep to be stored.
  const safe = isStorableRecord(bare) ? hideSecretValues(bare) : bare;
  return isJsonObject(safe) ? safe : {};
}

function withoutHistory(record: JsonObject): JsonObject {
  const bare = (value: JsonObject): JsonObject => ({
    ...value,
    ...(Array.isArray(value.messages) ? { messages: [] } : {}),
    ...(Array.isArray(value.input) ? { input: [] } : {}),
  });
  const whole: boolean = isRequestRecord(record);
  if (whole) return bare(record);
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => {
      if (!isJsonObject(value)) return [key, value];
      return [key, { ...bare(value), ...(isJsonObject(value.body) ? { body: bare(value.body) } : {}) }];
    }),
  );
}
