// Parses foreign messages to the type Message, or refuses them with the path of the problem and the reason.
import {
  type Block,
  isBlank,
  type Message,
  makeRefusedResult,
  ok,
  type Result,
  type Role,
  roles,
  utf8Length,
} from '@coppice/core';
import { parseBlock } from './blocks/index.ts';
import { copyJson, describeSizeProblem, isJsonObject, isPlainObject, type JsonCopyBudget } from './json-copy.ts';
import { parseJson } from './json-text.ts';
import { defaultLimits, type MessageLimits } from './limits.ts';
import { refuseInvalidInput, showValue } from './problem.ts';

/** How a message is parsed, and how error messages name it. */
export interface MessageParseOptions {
  /** The name of the message in error messages, such as `messages[3]`. */
  readonly where?: string;
  /** Whether a blank message is refused (the default) or kept for a caller that skips it, such as append. */
  readonly blank?: 'refuse' | 'keep';
  readonly limits?: MessageLimits;
}

const fields: ReadonlySet<string> = new Set(['role', 'content', 'tool_call_id']);

function isKnownRole(value: unknown): value is Role {
  return roles.some((role) => role === value);
}

function fieldProblem(value: Readonly<Record<string, unknown>>): string | undefined {
  for (const key of Object.keys(value)) {
    // A null field can be dropped, because it has no content; dropping any other value would lose it.
    if (fields.has(key) || value[key] === undefined || value[key] === null) continue;
    return `has the field ${showValue(key)}, which a message does not have`;
  }
  return undefined;
}

function callProblem(role: Role, call: unknown): string | undefined {
  if (role !== 'tool') {
    return call === undefined || call === null ? undefined : 'has a tool_call_id, which only tool messages have';
  }
  return typeof call === 'string' && call !== ''
    ? undefined
    : 'is a tool message without the tool_call_id that it answers';
}

function parseBlocks(
  content: readonly unknown[],
  role: Role,
  where: string,
  budget: JsonCopyBudget,
): Result<readonly Block[]> {
  const blocks: Block[] = [];
  const calls = new Set<string>();
  for (let index = 0; index < content.length; index++) {
    const part = `.content[${index}]`;
    const copied = copyJson(content[index], where, part, budget);
    if (!copied.ok) return copied;
    if (!isJsonObject(copied.value))
      return refuseInvalidInput(where + part, `is ${showValue(copied.value)} where a block is needed`);
    const block = parseBlock(copied.value, role, where + part);
    if (!block.ok) return block;
    if (block.value.type === 'tool-use' && 'id' in block.value && typeof block.value.id === 'string') {
      if (calls.has(block.value.id))
        return refuseInvalidInput(where + part, `uses the tool call id ${showValue(block.value.id)} a second time`);
      calls.add(block.value.id);
    }
    blocks.push(block.value);
  }
  return ok(blocks);
}

// While copying, the size of a value is only a lower bound. Its JSON text has at most 32 times that size (a number of
// 25 characters counts 1). So only messages above this share of the limit must be serialised to find the exact size.
const surelyFits = 1 / 32;

/**
 * Parses a message from any value: role, blocks, `tool_call_id`, limits. The result is new plain data. Blocks of
 * unknown types and unknown fields of blocks are kept; an unknown field of the message is refused. Accepts only the
 * canonical form; `normaliseMessage` also accepts older forms.
 */
export function parseMessage(value: unknown, options: MessageParseOptions = {}): Result<Message> {
  const { where = 'message', blank = 'refuse', limits = defaultLimits } = options;
  if (!isPlainObject(value)) return refuseInvalidInput(where, `is ${showValue(value)} where a message is needed`);
  const { role, content, tool_call_id: call } = value;
  if (!isKnownRole(role))
    return refuseInvalidInput(where, `has the role ${showValue(role)}; one of ${roles.join(', ')} is needed`);
  if (!Array.isArray(content))
    return refuseInvalidInput(where, `has ${showValue(content)} as content where an array of blocks is needed`);
  const problem = fieldProblem(value) ?? callProblem(role, call);
  if (problem !== undefined) return refuseInvalidInput(where, problem);
  if (content.length === 0) return makeRefusedResult('message/blank', `${where} has no content blocks.`, { where });
  if (content.length > limits.blocks) {
    return refuseInvalidInput(where, `has ${content.length} blocks; at most ${limits.blocks} are allowed`);
  }
  // The message and its content array take two of the levels.
  const budget: JsonCopyBudget = { limits, depth: Math.max(0, limits.jsonDepth - 2), bytes: 0 };
  const blocks = parseBlocks(content, role, where, budget);
  if (!blocks.ok) return blocks;
  const message: Message = {
    role,
    content: blocks.value,
    ...(typeof call === 'string' ? { tool_call_id: call } : {}),
  };
  const charged = budget.bytes + (message.tool_call_id?.length ?? 0);
  if (charged > limits.messageBytes * surelyFits && utf8Length(JSON.stringify(message)) > limits.messageBytes) {
    return refuseInvalidInput(where, describeSizeProblem(limits));
  }
  if (blank === 'refuse' && isBlank(message)) {
    return makeRefusedResult('message/blank', `${where} is blank: its text is empty or white space.`, { where });
  }
  return ok(message);
}

/**
 * Parses a list with a parser for single messages. The first refusal names its index, and then no messages are
 * returned.
 */
export function parseMessageList(
  value: unknown,
  read: (value: unknown, options: MessageParseOptions) => Result<Message>,
  options: MessageParseOptions = {},
): Result<readonly Message[]> {
  const { where = 'messages' } = options;
  if (!Array.isArray(value))
    return refuseInvalidInput(where, `is ${showValue(value)} where a list of messages is needed`);
  const messages: Message[] = [];
  for (let index = 0; index < value.length; index++) {
    const message = read(value[index], { ...options, where: `${where}[${index}]` });
    if (!message.ok) {
      const { refusal } = message;
      return { ok: false, refusal: { ...refusal, data: { ...refusal.data, index } } };
    }
    messages.push(message.value);
  }
  return ok(messages);
}

/** Parses a list of messages in canonical form; the refusal names the index, such as `messages[3]`. */
export function parseMessages(value: unknown, options: MessageParseOptions = {}): Result<readonly Message[]> {
  return parseMessageList(value, parseMessage, options);
}

/** Parses a message in canonical form from JSON text, as strictly as `parseJson`. */
export function parseMessageText(text: string, options: MessageParseOptions = {}): Result<Message> {
  const { where = 'message', limits = defaultLimits } = options;
  if (text.length > limits.messageBytes || utf8Length(text) > limits.messageBytes)
    return refuseInvalidInput(where, describeSizeProblem(limits));
  const value = parseJson(text, where, limits.jsonDepth);
  return value.ok ? parseMessage(value.value, options) : value;
}

/**
 * Serialises the blocks of a message with their keys in the original order, so that an unknown block is written as it
 * was read. Stores keep the keys in this order; hashes and comparisons use `canonicalJson`.
 */
export function toContentText(content: readonly Block[]): string {
  return JSON.stringify(content);
}
