import { isFieldMap } from './decode.ts';
import { makeRefusedResult, ok, type Result } from './errors.ts';

/** Plain JSON, for values that core stores without reading them. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
/** A JSON value that is an object. */
export type JsonObject = { readonly [key: string]: Json };

/** The role of a message's author. */
export type Role = 'user' | 'assistant' | 'tool' | 'system';
/** Every {@link Role}, for validation. */
export const roles: readonly Role[] = ['user', 'assistant', 'tool', 'system'];

/** One part of a message. Core reads only two types, {@link TextBlock} and {@link ToolUseBlock}. */
export interface Block {
  readonly type: string;
}

/** A block as callers may write it: a literal with all its fields has this type, and so has every {@link Block}. */
export type BlockInput = Block | { readonly type: string; readonly [field: string]: unknown };

/** A block of plain text. */
export interface TextBlock extends Block {
  readonly type: 'text';
  readonly text: string;
}

/** A model's request to run a tool; a later tool message answers it by `tool_call_id`. */
export interface ToolUseBlock extends Block {
  readonly type: 'tool-use';
  readonly id: string;
  readonly name: string;
  readonly parameters: JsonObject;
}

/** One turn: a role and a non-empty list of blocks. A tool message also has the id of the call that it answers. */
export interface Message {
  readonly role: Role;
  readonly content: readonly Block[];
  readonly tool_call_id?: string;
}

/**
 * A message as callers may write it: a message, a message with plain text as its content, or plain text alone. Plain
 * text gets the role `user` in a list of messages and `assistant` as a reply.
 */
export type MessageInput =
  | Message
  | { readonly role: Role; readonly content: string | readonly BlockInput[]; readonly tool_call_id?: string }
  | string;

/**
 * The functions that core needs for messages: the equality key for prefix matching, the text for search, and a token
 * estimate. They are passed in, so that core does not depend on block types and stores do not compute these values.
 */
export interface MessageKit {
  key(message: Message): string;
  text(message: Message): string;
  tokens(message: Message): number;
}

/** Whether a block is text. */
export function isText(block: Block): block is TextBlock {
  return block.type === 'text' && 'text' in block && typeof block.text === 'string';
}

/** Whether a block is a tool call. */
export function isToolUse(block: Block): block is ToolUseBlock {
  return block.type === 'tool-use';
}

/** Whether every block is text, as splitting, merging and editing by prefix require. */
export function isTextOnly(message: Message): boolean {
  return message.content.every(isText);
}

/** Whether a message calls a tool. */
export function hasToolUse(message: Message): boolean {
  return message.content.some(isToolUse);
}

/** Returns all text of a message, joined without a separator. */
export function textOf(message: Message): string {
  let text = '';
  for (const block of message.content) if (isText(block)) text += block.text;
  return text;
}

/**
 * Whether a message is blank: it has no blocks, or only text blocks of white space. Thinking and unknown blocks count
 * as content, and so does an empty tool result, because it answers its call.
 */
export function isBlank(message: Message): boolean {
  if (message.role === 'tool' && message.content.length > 0) return false;
  return message.content.every((block) => isText(block) && block.text.trim() === '');
}

/** Builds a message with one text block. */
export function textMessage(role: Role, text: string): Message {
  const block: TextBlock = { type: 'text', text };
  return { role, content: [block] };
}

/**
 * Converts a short form to a message. Other values are returned unchanged, so that {@link checkMessage} can refuse
 * them.
 */
export function expandShortMessage(value: unknown, role: Role): unknown {
  if (typeof value === 'string') return textMessage(role, value);
  if (!isFieldMap(value) || typeof value.content !== 'string') return value;
  const text: TextBlock = { type: 'text', text: value.content };
  return { ...value, content: [text] };
}

/**
 * Checks the structure that the tree relies on; unknown block types are accepted. `where` names the message in a
 * refusal, for example `messages[3]`.
 */
export function checkMessage(value: unknown, where = 'message'): Result<Message> {
  const problem = problemOf(value);
  if (isValidMessage(value, problem)) return ok(value);
  if (problem === blank) return makeRefusedResult('message/blank', `${where} ${blank}.`, { where });
  return makeRefusedResult('message/invalid', `${where} ${problem}.`, { where });
}

const blank = 'has no content blocks';

/** Narrows the type after {@link problemOf}, because TypeScript cannot derive it from the absence of a problem. */
function isValidMessage(_value: unknown, problem: string | null): _value is Message {
  return problem === null;
}

/** Returns what is wrong with a message, as the rest of a sentence after its name; null for a valid message. */
function problemOf(value: unknown): string | null {
  if (!isFieldMap(value)) return 'is not an object';
  const { role, content, tool_call_id: call } = value;
  if (!roles.some((known) => known === role))
    return `has the role ${JSON.stringify(role)}; one of ${roles.join(', ')} is needed`;
  if (!Array.isArray(content)) return 'has no content array';
  if (content.length === 0) return blank;
  if (role === 'tool' && typeof call !== 'string') return 'is a tool message without tool_call_id';
  if (role !== 'tool' && typeof call === 'string') return 'has a tool_call_id, which only tool messages have';
  return blockProblem(content, role === 'assistant');
}

function blockProblem(content: readonly unknown[], mayCall: boolean): string | null {
  const calls = new Set<string>();
  for (const [index, block] of content.entries()) {
    const at = `content[${index}]`;
    if (!isFieldMap(block) || typeof block.type !== 'string') return `has no type at ${at}`;
    if (block.type === 'text' && typeof block.text !== 'string') return `has a text block without text at ${at}`;
    if (block.type !== 'tool-use') continue;
    if (!mayCall) return `calls a tool at ${at}, which only assistant messages may`;
    if (typeof block.id !== 'string' || typeof block.name !== 'string' || !isFieldMap(block.parameters))
      return `has a tool-use block without id, name and parameters object at ${at}`;
    if (calls.has(block.id)) return `uses the tool call id ${JSON.stringify(block.id)} twice`;
    calls.add(block.id);
  }
  return null;
}
