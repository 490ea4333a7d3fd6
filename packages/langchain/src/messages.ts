/**
 * Converts stored messages of LangChain to nodes and back. Metadata holds the data that blocks cannot represent, so
 * that nothing is lost.
 */
import type { Block, JsonObject, Message, Node, NodeMeta, Role } from '@coppice/core';
import { isJsonObject } from '@coppice/core/decode';
import type { StoredMessage } from '@langchain/core/messages';

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
  return content
    .map((part: unknown) =>
      typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string' ? part.text : '',
    )
    .join('');
}

/** Replaces content that the blocks of the message already contain. */
const inBlocks = { inBlocks: true };

/** Converts a message of LangChain to a new node. */
export function fromStoredMessage(stored: StoredMessage): { readonly message: Message; readonly meta: NodeMeta } {
  const { type } = stored;
  const data: JsonObject = JSON.parse(JSON.stringify(stored.data));
  const { content } = data;
  const role = roles[type] ?? 'assistant';
  const text = textOfContent(content);
  const calls = role === 'assistant' ? toolUses(data.tool_calls) : [];
  const call = data.tool_call_id;
  const blocks: OwnBlock[] = [...(text === '' && calls.length > 0 ? [] : [{ type: 'text', text }]), ...calls];
  // A tree skips messages without visible content, so this block marks an empty one.
  if (text.trim() === '' && calls.length === 0) blocks.push({ type: 'langchain-blank' });
  const kept = { ...data, content: content === text ? inBlocks : (content ?? '') };
  return {
    message: {
      role,
      content: blocks,
      ...(role === 'tool' ? { tool_call_id: typeof call === 'string' && call !== '' ? call : 'unknown' } : {}),
    },
    meta: { [metaKey]: { type, data: kept }, ...(data.status === 'error' ? { isError: true } : {}) },
  };
}

const types: Readonly<Record<string, string>> = { user: 'human', assistant: 'ai', system: 'system', tool: 'tool' };

/** Converts a node back; markers are left out. For messages of other programs, text and tool calls are converted. */
export function messageFromNode(node: Pick<Node, 'message' | 'kind' | 'text' | 'meta' | 'id'>): StoredMessage[] {
  const { message, kind, text, meta, id } = node;
  if (message === null || kind !== 'message') return [];
  const own: unknown = meta[metaKey];
  if (isJsonObject(own) && typeof own.type === 'string' && isJsonObject(own.data)) {
    const { content } = own.data;
    const isInBlocks = isJsonObject(content) && content.inBlocks === true;
    return [toStored(own.type, { ...own.data, content: isInBlocks ? plainText(message) : (content ?? '') })];
  }
  const calls = message.content.flatMap((block): JsonObject[] => {
    const { type, id: callId, name, parameters }: JsonObject = JSON.parse(JSON.stringify(block));
    return type === 'tool-use' ? [{ id: callId ?? '', name: name ?? '', args: parameters ?? {} }] : [];
  });
  const type = types[message.role] ?? 'ai';
  return [
    toStored(type, {
      content: type === 'tool' || calls.length > 0 ? plainText(message) : text,
      id,
      additional_kwargs: {},
      response_metadata: {},
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(message.tool_call_id === undefined ? {} : { tool_call_id: message.tool_call_id }),
    }),
  ];
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
