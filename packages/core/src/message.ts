import { ok, type Result, refused } from './errors.ts';

/** Plain JSON, as far as the tree carries it without looking inside. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** Who speaks. */
export type Role = 'user' | 'assistant' | 'tool' | 'system';
/** The four roles, as data. */
export const roles: readonly Role[] = ['user', 'assistant', 'tool', 'system'];

/** One piece of a message. Core looks inside two types only, {@link TextBlock} and {@link ToolUseBlock}. */
export interface Block {
  readonly type: string;
}

/** Plain text. */
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

/** One turn: a role, a non-empty list of blocks, and on tool messages the call that is answered. */
export interface Message {
  readonly role: Role;
  readonly content: readonly Block[];
  readonly tool_call_id?: string;
}

/**
 * What core must be told about messages: the equality key that drives prefix matching, the text that search sees,
 * and a token estimate. Passed in, so that core depends on no block type and a store computes none of it.
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

/** Whether every block is text, which is what splitting, merging and editing by prefix need. */
export function isTextOnly(message: Message): boolean {
  return message.content.every(isText);
}

/** Whether a message calls a tool. */
export function hasToolUse(message: Message): boolean {
  return message.content.some(isToolUse);
}

/** All text of a message, joined with nothing. */
export function textOf(message: Message): string {
  let text = '';
  for (const block of message.content) if (isText(block)) text += block.text;
  return text;
}

/**
 * Whether nothing is said: no block, or only text blocks of white space. Thinking and unknown blocks are something, and
 * so is an empty result of a tool: it answers its call.
 */
export function isBlank(message: Message): boolean {
  if (message.role === 'tool' && message.content.length > 0) return false;
  return message.content.every((block) => isText(block) && block.text.trim() === '');
}

/** A message of one text block. */
export function textMessage(role: Role, text: string): Message {
  const block: TextBlock = { type: 'text', text };
  return { role, content: [block] };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Checks the structure that the tree relies on, and nothing about block types it does not know.
 * The refusal names the message by `where`, such as `messages[3]`.
 */
export function checkMessage(value: unknown, where = 'message'): Result<Message> {
  const bad = (what: string) => refused('message/invalid', `${where} ${what}.`, { where });
  if (!isRecord(value)) return bad('is not an object');
  const { role, content, tool_call_id: call } = value;
  if (!roles.includes(role as Role))
    return bad(`has the role ${JSON.stringify(role)}; one of ${roles.join(', ')} is needed`);
  if (!Array.isArray(content)) return bad('has no content array');
  if (content.length === 0) return refused('message/blank', `${where} has no content blocks.`, { where });
  if ((role === 'tool') !== (typeof call === 'string'))
    return bad(
      role === 'tool' ? 'is a tool message without tool_call_id' : 'has a tool_call_id, which only tool messages have',
    );
  const calls = new Set<string>();
  for (const [index, block] of content.entries()) {
    const at = `content[${index}]`;
    if (!isRecord(block) || typeof block.type !== 'string') return bad(`has no type at ${at}`);
    if (block.type === 'text' && typeof block.text !== 'string') return bad(`has a text block without text at ${at}`);
    if (block.type !== 'tool-use') continue;
    if (role !== 'assistant') return bad(`calls a tool at ${at}, which only assistant messages may`);
    if (typeof block.id !== 'string' || typeof block.name !== 'string' || !isRecord(block.parameters))
      return bad(`has a tool-use block without id, name and parameters object at ${at}`);
    if (calls.has(block.id)) return bad(`uses the tool call id ${JSON.stringify(block.id)} twice`);
    calls.add(block.id);
  }
  return ok(value as unknown as Message);
}
