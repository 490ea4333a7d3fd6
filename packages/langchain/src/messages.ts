/**
 * Converts stored messages of LangChain to nodes and back. Metadata holds the data that blocks cannot represent, so
 * that nothing is lost.
 */
import type { Block, Json, JsonObject, Message, Node, NodeMeta, Role } from '@coppice/core';
import { fieldsOrEmpty, getText, isJsonObject } from '@coppice/core/decode';
import type { StoredMessage } from '@langchain/core/messages';
import { extractBytes, imagePartOf, restoreBytes } from './message-bytes.ts';

/** The metadata key for the data that blocks cannot represent. */
const metaKey = 'langchain';

const roles: Readonly<Record<string, Role>> = { human: 'user', user: 'user', system: 'system', tool: 'tool' };

type OwnBlock = Block & JsonObject;

function toolUses(calls: unknown): OwnBlock[] {
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call: unknown): OwnBlock[] => {
    if (typeof call !== 'object' || call === null || !('name' in call)) return [];
    const { id, name, args }: JsonObject = JSON.parse(JSON.stringify(call));
    const parameters = isJsonObject(args) ? args : {};
    return [{ type: 'tool-use', id: typeof id === 'string' ? id : String(name), name: String(name), parameters }];
  });
}

function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: unknown) => getText(fieldsOrEmpty(part), 'text') ?? '').join('');
}

/** Replaces content that the blocks of the message already contain. */
const inBlocks = { inBlocks: true };

/** Converts a message of LangChain to a new node. */
export function fromStoredMessage(stored: StoredMessage): { readonly message: Message; readonly meta: NodeMeta } {
  const { type } = stored;
  const data: JsonObject = JSON.parse(JSON.stringify(stored.data));
  const { content, blocks: files, places } = extractBytes(data.content ?? '');
  const role = roles[type] ?? 'assistant';
  const text = textOfContent(content);
  const calls = role === 'assistant' ? toolUses(data.tool_calls) : [];
  const call = data.tool_call_id;
  const others = [...files, ...calls];
  const blocks: Block[] = [...(text === '' && others.length > 0 ? [] : [{ type: 'text', text }]), ...others];
  // A tree skips messages without visible content, so this block marks an empty one.
  if (text.trim() === '' && others.length === 0) blocks.push({ type: 'langchain-blank' });
  const kept = { ...data, content: content === text ? inBlocks : content };
  const bytes = places.length === 0 ? {} : { bytes: [...places] };
  return {
    message: {
      role,
      content: blocks,
      ...(role === 'tool' ? { tool_call_id: typeof call === 'string' && call !== '' ? call : 'unknown' } : {}),
    },
    meta: { [metaKey]: { type, data: kept, ...bytes }, ...(data.status === 'error' ? { isError: true } : {}) },
  };
}

const types: Readonly<Record<string, string>> = { user: 'human', assistant: 'ai', system: 'system', tool: 'tool' };

/** Converts a node back; markers are left out. Of messages of other programs, text, images and tool calls are converted. */
export function toStoredMessages(node: Pick<Node, 'message' | 'kind' | 'text' | 'meta' | 'id'>): StoredMessage[] {
  const { message, kind, text, meta, id } = node;
  if (message === null || kind !== 'message') return [];
  const own: unknown = meta[metaKey];
  if (isJsonObject(own) && typeof own.type === 'string' && isJsonObject(own.data)) {
    const { content } = own.data;
    const isInBlocks = isJsonObject(content) && content.inBlocks === true;
    const said = plainText(message);
    const whole = restoreBytes(content ?? '', message.content, own.bytes);
    return [toStored(own.type, { ...own.data, content: isInBlocks ? said : withText(whole, said) })];
  }
  const calls = message.content.flatMap((block): JsonObject[] => {
    const { type, id: callId, name, parameters }: JsonObject = JSON.parse(JSON.stringify(block));
    return type === 'tool-use' ? [{ id: callId ?? '', name: name ?? '', args: parameters ?? {} }] : [];
  });
  const type = types[message.role] ?? 'ai';
  const images = message.content.flatMap((block) => imagePartOf(block) ?? []);
  const plain = type === 'tool' || calls.length > 0 ? plainText(message) : text;
  return [
    toStored(type, {
      content: images.length === 0 ? plain : [{ type: 'text', text: plainText(message) }, ...images],
      id,
      additional_kwargs: {},
      response_metadata: {},
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(message.tool_call_id === undefined ? {} : { tool_call_id: message.tool_call_id }),
    }),
  ];
}

/** Returns the content of LangChain with the text of its node, which may have been edited in place. */
function withText(content: Json, text: string): Json {
  if (textOfContent(content) === text) return content;
  const others = Array.isArray(content)
    ? content.filter((part) => getText(fieldsOrEmpty(part), 'text') === undefined)
    : [];
  return [{ type: 'text', text }, ...others];
}

function plainText(message: Message): string {
  return message.content
    .map((block) => ('text' in block && block.type === 'text' && typeof block.text === 'string' ? block.text : ''))
    .join('');
}

/** Builds the stored form, whose types require fields that LangChain itself leaves undefined. */
function toStored(type: string, data: JsonObject): StoredMessage {
  return JSON.parse(JSON.stringify({ type, data }));
}
