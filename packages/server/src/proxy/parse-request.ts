/** Parses the requests of each API format. */
import { fromOpenAiMessage } from '@coppice/content/formats';
import { isToolListItem, type ModelCallWire, readModelCallRequest } from '@coppice/content/wires';
import type { Json, JsonObject, Message } from '@coppice/core';
import { isJsonObject, listOrEmpty, objectOrEmpty } from '@coppice/core/decode';
import { type ParsedRequest, readTextField, type WireKind } from './exchange.ts';
import { readOrKeepMessage } from './read-message.ts';
import { itemReferenceType } from './resolve-references.ts';
import { findSessionIdField, findSessionInBody } from './session-of-call.ts';

/** Converts records to messages in canonical form. Blank messages are left out. */
function canonicalJsonOf(records: readonly JsonObject[]): Message[] {
  const messages: Message[] = [];
  for (const record of records) {
    const message = readOrKeepMessage(record);
    if (message !== null) messages.push(message);
  }
  return messages;
}

// The recorded parameters. An allow list, because a call may contain credentials for other services, such as MCP
// servers.
const parameterNames = new Set([
  'effort',
  'frequency_penalty',
  'generationConfig',
  'include',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_output_tokens',
  'max_tokens',
  'min_p',
  'modalities',
  'n',
  'output_config',
  'parallel_tool_calls',
  'presence_penalty',
  'reasoning',
  'reasoning_effort',
  'response_format',
  'seed',
  'service_tier',
  'stop',
  'stop_sequences',
  'store',
  'stream_options',
  'temperature',
  'text',
  'thinking',
  'tool_choice',
  'top_k',
  'top_logprobs',
  'top_p',
  'truncation',
  'verbosity',
]);

function requestParameters(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([key]) => parameterNames.has(key)));
}

function toolNamesOf(body: JsonObject): string[] {
  const lists = listOrEmpty(body, 'input').filter(isToolListItem);
  return [body, ...lists].flatMap((list) => listOrEmpty(list, 'tools').flatMap(namesOfTool));
}

function namesOfTool(tool: Json): string[] {
  if (!isJsonObject(tool)) return [];
  // Google lists its functions inside one tool, Codex inside a namespace.
  const declared = ['functionDeclarations', 'tools'].flatMap((key) => listOrEmpty(tool, key)).filter(isJsonObject);
  if (declared.length > 0) return declared.flatMap((one) => readTextField(one, 'name') ?? []);
  const name =
    readTextField(tool, 'name') ??
    readTextField(objectOrEmpty(tool, 'function'), 'name') ??
    readTextField(tool, 'type');
  return name === null ? [] : [name];
}

const callWires = { chat: 'chat', messages: 'anthropic', responses: 'responses', google: 'google' } as const;

/** Returns the name that `@coppice/content` uses for the format. */
function callWireOf(wire: WireKind): ModelCallWire {
  return callWires[wire];
}

/** Parses a request; null if there is nothing to record. */
export function parseRequest(wire: WireKind, body: JsonObject): ParsedRequest | null {
  const listed = wire === 'google' ? 'contents' : 'messages';
  if (wire !== 'responses' && listOrEmpty(body, listed).filter(isJsonObject).length === 0) return null;
  const previous = wire === 'responses' ? readTextField(body, 'previous_response_id') : null;
  const reading = { continues: previous !== null, chatMessage: fromChatMessage };
  const { systemPrompt, messages } = readModelCallRequest(callWireOf(wire), body, reading);
  return {
    wire,
    model: readTextField(body, 'model') ?? 'unknown',
    stream: body['stream'] === true,
    parameters: requestParameters(body),
    tools: toolNamesOf(body),
    systemPrompt,
    history: canonicalJsonOf(messages),
    previous,
    conversation: wire === 'responses' ? findConversation(body) : null,
    session: findSessionInBody(body),
    cacheKey: findSessionIdField(body, 'prompt_cache_key'),
  };
}

/** Returns the conversation that a call of OpenAI's Responses continues, which is an id or an object with an id. */
function findConversation(body: JsonObject): string | null {
  return findSessionIdField(body, 'conversation') ?? findSessionIdField(objectOrEmpty(body, 'conversation'), 'id');
}

/** Converts a message of the chat format. Audio that is referenced by its id becomes a reference, like an item. */
function fromChatMessage(record: JsonObject): JsonObject {
  const id = readTextField(objectOrEmpty(record, 'audio'), 'id');
  const { content } = record;
  const onlyReferencesAudio = id !== null && (content === undefined || content === null || content === '');
  return fromOpenAiMessage(onlyReferencesAudio ? { ...record, content: [{ type: itemReferenceType, id }] } : record);
}
