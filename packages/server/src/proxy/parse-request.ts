/** Reads what a call asks, wire by wire. */
import { fromAnthropic, fromOpenAi } from '@coppice/content/formats';
import type { Json, JsonObject, Message } from '@coppice/core';
import { isWireObject, type ParsedRequest, type WireKind, wireListAt, wireObjectAt, wireTextAt } from './exchange.ts';
import { readOrKeepMessage } from './read-message.ts';
import { itemReference, messagesIn } from './responses-items.ts';

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

/** What a call asks, or null where nothing in it can be recorded. */
export function parseRequest(wire: WireKind, body: JsonObject): ParsedRequest | null {
  const common = {
    wire,
    model: wireTextAt(body, 'model') ?? 'unknown',
    stream: body['stream'] === true,
    parameters: requestParameters(body),
    tools: toolNamesOf(body),
  };
  if (wire === 'responses') return { ...common, ...responsesHistory(body) };
  const records = wireListAt(body, 'messages').filter(isWireObject);
  if (records.length === 0) return null;
  if (wire === 'messages') {
    const history = canonicalJsonOf(records.flatMap((record, index) => [...fromAnthropic(record, `${index}`)]));
    return { ...common, systemPrompt: promptText(body['system']), history, previous: null };
  }
  const [first] = records;
  const leads = first !== undefined && (first['role'] === 'system' || first['role'] === 'developer');
  const systemPrompt = leads ? promptText(first['content']) : undefined;
  const rest = leads && systemPrompt !== undefined ? records.slice(1) : records;
  return { ...common, systemPrompt, history: canonicalJsonOf(rest.map(fromChatMessage)), previous: null };
}

/** A message of the chat wire. What was spoken is named by its id and not sent again, as an item is. */
function fromChatMessage(record: JsonObject): JsonObject {
  const id = wireTextAt(wireObjectAt(record, 'audio'), 'id');
  const { content } = record;
  const spoken = id !== null && (content === undefined || content === null || content === '');
  return fromOpenAi(spoken ? { ...record, content: [{ type: itemReference, id }] } : record);
}

function promptText(content: Json | undefined): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  return content.map((part) => (isWireObject(part) ? (wireTextAt(part, 'text') ?? '') : '')).join('\n\n');
}

function responsesHistory(body: JsonObject): Pick<ParsedRequest, 'systemPrompt' | 'history' | 'previous'> {
  const { input } = body;
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : Array.isArray(input) ? input : [];
  const instructions = wireTextAt(body, 'instructions') ?? undefined;
  const [first] = items;
  const role = isWireObject(first) ? wireTextAt(first, 'role') : null;
  const leads = instructions === undefined && (role === 'system' || role === 'developer');
  const prompt = leads && isWireObject(first) ? promptText(first['content']) : undefined;
  const records = messagesIn(prompt === undefined ? items : items.slice(1)).map(({ message }) => message);
  const systemPrompt = instructions ?? prompt;
  return { systemPrompt, history: canonicalJsonOf(records), previous: wireTextAt(body, 'previous_response_id') };
}
