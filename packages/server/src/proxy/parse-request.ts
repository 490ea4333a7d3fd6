/** Reads what a call asks, wire by wire. */
import { fromOpenAi } from '@coppice/content/formats';
import { type CallWire, readCallRequest } from '@coppice/content/wires';
import type { JsonObject, Message } from '@coppice/core';
import { isWireObject, type ParsedRequest, type WireKind, wireListAt, wireObjectAt, wireTextAt } from './exchange.ts';
import { readOrKeepMessage } from './read-message.ts';
import { itemReference } from './resolve-references.ts';

/** Messages in canonical form; those that say nothing are left out. */
function canonicalJsonOf(records: readonly JsonObject[]): Message[] {
  const messages: Message[] = [];
  for (const record of records) {
    const message = readOrKeepMessage(record);
    if (message !== null) messages.push(message);
  }
  return messages;
}

// By name, not by exception: a call may carry secrets for services of its own, such as those of MCP servers.
const parameterNames = new Set([
  'effort',
  'frequency_penalty',
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
  return wireListAt(body, 'tools').flatMap((tool) => {
    if (!isWireObject(tool)) return [];
    const name =
      wireTextAt(tool, 'name') ?? wireTextAt(wireObjectAt(tool, 'function'), 'name') ?? wireTextAt(tool, 'type');
    return name === null ? [] : [name];
  });
}

const callWires = { chat: 'chat', messages: 'anthropic', responses: 'responses' } as const;

/** The wire of a call by the name that the shared readers have for it. */
export function callWireOf(wire: WireKind): CallWire {
  return callWires[wire];
}

/** What a call asks, or null where nothing in it can be recorded. */
export function parseRequest(wire: WireKind, body: JsonObject): ParsedRequest | null {
  if (wire !== 'responses' && wireListAt(body, 'messages').filter(isWireObject).length === 0) return null;
  const previous = wire === 'responses' ? wireTextAt(body, 'previous_response_id') : null;
  const reading = { goesOn: previous !== null, chatMessage: fromChatMessage };
  const { systemPrompt, messages } = readCallRequest(callWireOf(wire), body, reading);
  return {
    wire,
    model: wireTextAt(body, 'model') ?? 'unknown',
    stream: body['stream'] === true,
    parameters: requestParameters(body),
    tools: toolNamesOf(body),
    systemPrompt,
    history: canonicalJsonOf(messages),
    previous,
  };
}

/** A message of the chat wire. What was spoken is named by its id and not sent again, as an item is. */
function fromChatMessage(record: JsonObject): JsonObject {
  const id = wireTextAt(wireObjectAt(record, 'audio'), 'id');
  const { content } = record;
  const spoken = id !== null && (content === undefined || content === null || content === '');
  return fromOpenAi(spoken ? { ...record, content: [{ type: itemReference, id }] } : record);
}
