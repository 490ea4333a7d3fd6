// Parses older messages, which have `content` as a string or null and calls in `tool_calls[]`. Coppice never writes
// this form.
import { type JsonObject, type Message, ok, type Result } from '@coppice/core';
import { isJsonObject, isPlainObject } from './json-copy.ts';
import { parseJson } from './json-text.ts';
import { defaultLimits } from './limits.ts';
import { type MessageParseOptions, parseMessage, parseMessageList } from './message.ts';
import { refuseInvalidInput, showValue, truncateText } from './problem.ts';

/** Names that additional fields of a call cannot have on the block, because the block already uses them. */
const reserved: ReadonlySet<string> = new Set([
  'type',
  'id',
  'name',
  'parameters',
  'arguments',
  'index',
  'function',
  'parsed_arguments',
]);

function furtherFields(...sources: readonly Readonly<Record<string, unknown>>[]): Readonly<Record<string, unknown>> {
  const entries = sources.flatMap((source) => Object.entries(source)).filter(([key]) => !reserved.has(key));
  // fromEntries defines own properties, so `__proto__` stays an ordinary key.
  return Object.fromEntries(entries);
}

/** Parses the arguments of a call: JSON text of an object, an object, or nothing. */
function readLegacyArguments(
  raw: unknown,
  call: { at: string; id: string; name: string },
  depth: number,
): Result<unknown> {
  if (raw === undefined || raw === null) return ok({});
  if (isPlainObject(raw)) return ok(raw);
  const { at, id, name } = call;
  const reported = typeof raw === 'string' ? raw : showValue(raw);
  const fail = (why: string) =>
    refuseInvalidInput(
      at,
      `calls ${showValue(name)} (id ${showValue(id)}) with arguments that ${why}: ${truncateText(reported, 200)}`,
      {
        id,
        name,
        arguments: raw,
      },
    );
  if (typeof raw !== 'string') return fail('are no object');
  if (raw.trim() === '') return ok({});
  const value = parseJson(raw, 'The argument text', depth);
  if (!value.ok) return fail(`cannot be read (${value.refusal.message.replace(/\.$/, '')})`);
  const parameters: JsonObject | undefined = isJsonObject(value.value) ? value.value : undefined;
  return parameters === undefined ? fail('are no object') : ok(parameters);
}

function readCall(call: unknown, at: string, depth: number): Result<Readonly<Record<string, unknown>>> {
  if (!isPlainObject(call)) return refuseInvalidInput(at, `is ${showValue(call)} where a tool call is needed`);
  const { id, type, function: called } = call;
  if (typeof id !== 'string' || id === '') return refuseInvalidInput(at, 'is a tool call without an id');
  if (type !== undefined && type !== 'function') {
    return refuseInvalidInput(
      at,
      `is a tool call (id ${showValue(id)}) of type ${showValue(type)}; only function calls are known`,
      {
        id,
      },
    );
  }
  if (!isPlainObject(called))
    return refuseInvalidInput(at, `is a tool call (id ${showValue(id)}) without its function`, { id });
  const { name, arguments: raw } = called;
  if (typeof name !== 'string' || name === '') {
    return refuseInvalidInput(at, `is a tool call (id ${showValue(id)}) without the name of a tool`, { id });
  }
  const parameters = readLegacyArguments(raw, { at, id, name }, depth);
  if (!parameters.ok) return parameters;
  return ok({ type: 'tool-use', id, name, parameters: parameters.value, ...furtherFields(called, call) });
}

function readLegacy(value: Readonly<Record<string, unknown>>, where: string, depth: number): Result<unknown> {
  const { content, tool_calls: calls, ...rest } = value;
  if (calls !== undefined && calls !== null && !Array.isArray(calls)) {
    return refuseInvalidInput(where, `has ${showValue(calls)} as tool_calls where a list is needed`);
  }
  const listed: readonly unknown[] = calls ?? [];
  if (listed.length > 0 && value.role !== 'assistant') {
    return refuseInvalidInput(where, 'has tool_calls, which only assistant messages may have');
  }
  const blocks: unknown[] = [];
  if (typeof content === 'string') {
    if (content !== '' || listed.length === 0) blocks.push({ type: 'text', text: content });
  } else if (Array.isArray(content)) {
    for (const block of content) blocks.push(block);
  } else if (content !== undefined && content !== null) {
    return refuseInvalidInput(where, `has ${showValue(content)} as content where text or blocks are needed`);
  } else if (listed.length === 0) {
    return refuseInvalidInput(where, 'has neither content nor tool_calls');
  }
  for (let index = 0; index < listed.length; index++) {
    const block = readCall(listed[index], `${where}.tool_calls[${index}]`, depth);
    if (!block.ok) return block;
    blocks.push(block.value);
  }
  return ok({ ...rest, content: blocks });
}

/**
 * Parses a message in canonical or legacy form to the canonical form: a string becomes one text block, `tool_calls`
 * become `tool-use` blocks after the text, and blank arguments become `{}`. Refuses null content without calls, and
 * arguments that are not a JSON object; that refusal contains the call's id and name and the raw text.
 */
export function normaliseMessage(value: unknown, options: MessageParseOptions = {}): Result<Message> {
  const { where = 'message', limits = defaultLimits } = options;
  if (!isPlainObject(value)) return parseMessage(value, options);
  if (Array.isArray(value.content) && (value.tool_calls === undefined || value.tool_calls === null)) {
    return parseMessage(value, options);
  }
  const canonical = readLegacy(value, where, limits.jsonDepth);
  return canonical.ok ? parseMessage(canonical.value, options) : canonical;
}

/** Parses a list of messages in canonical or legacy form; the refusal names the index, such as `messages[3]`. */
export function normaliseMessages(value: unknown, options: MessageParseOptions = {}): Result<readonly Message[]> {
  return parseMessageList(value, normaliseMessage, options);
}
