/** Type guards and helpers for blocks, used where requests are written. */

import type { Block, Message } from '@coppice/core';
import { isText } from '@coppice/core';
import type { FileBlock } from '../blocks/file/index.ts';
import type { ImageBlock } from '../blocks/image/index.ts';
import { blockDefinitionOf, isKnownBlock } from '../blocks/index.ts';
import type { ThinkingBlock } from '../blocks/thinking/index.ts';
import type { ToolUseBlock } from '../blocks/tool-use/index.ts';
import { isMalformedToolUse } from './tool-arguments.ts';

/**
 * Reasoning that only the provider which signed it accepts again; `provider` is missing if the reasoning is unsigned or
 * the signer is unknown.
 */
export interface SignedThinking extends ThinkingBlock {
  readonly provider?: string;
}

/** Whether a block is an image with valid fields. */
export function isImageBlock(block: Block): block is ImageBlock {
  return block.type === 'image' && isKnownBlock(block);
}

/** Whether a block is a file with valid fields. */
export function isFileBlock(block: Block): block is FileBlock {
  return block.type === 'file' && isKnownBlock(block);
}

/** Whether a block is reasoning with valid fields. */
export function isThinkingBlock(block: Block): block is SignedThinking {
  return block.type === 'thinking' && isKnownBlock(block);
}

/** Whether a block is a tool call with valid fields. */
export function isToolCall(block: Block): block is ToolUseBlock {
  return block.type === 'tool-use' && isKnownBlock(block);
}

/** Whether reasoning may be sent to a provider: the provider signed it, or the signer is unknown. */
export function isSignedBy(block: Block, provider: string): boolean {
  if (!isThinkingBlock(block)) return false;
  if (block.signature === undefined && block.redacted === undefined) return false;
  return block.provider === undefined || block.provider === provider;
}

/** Whether an image or attachment contains its bytes, with a media type that the pattern allows. */
export function hasEmbeddedBytes(block: Block, types: RegExp): boolean {
  return (
    (isImageBlock(block) || isFileBlock(block)) && block.source.type === 'base64' && types.test(block.mediaType ?? '')
  );
}

/** Whether a block is an image with an http or https URL. */
export function hasWebUrl(block: Block): boolean {
  return isImageBlock(block) && block.source.type === 'url' && /^https?:\/\//i.test(block.source.url);
}

/** Returns the text of a message for an API that accepts only one string: its blocks on separate lines. */
export function toWireText(message: Message): string {
  return message.content
    .map((block) => (isText(block) ? block.text : blockDefinitionOf(block).toText(block)))
    .filter((text) => text !== '')
    .join('\n');
}

/** Returns the arguments of a call as JSON text: the model's own text if it is a JSON object. */
export function formatToolCallArguments(block: ToolUseBlock): string {
  return block.arguments === undefined || isMalformedToolUse(block)
    ? JSON.stringify(block.parameters)
    : block.arguments;
}

/** Returns the names of a conversation's calls by id, for wires that answer a call by name. */
export function indexToolCallNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const message of messages)
    for (const block of message.content) if (isToolCall(block)) names.set(block.id, block.name);
  return names;
}

/**
 * Creates a function that maps call ids to an alphabet that a provider accepts, because earlier turns may come from
 * another provider. The same id is always mapped to the same result, and different ids to different results.
 */
export function createToolCallIdMapper(messages: readonly Message[], longest = 64): (id: string) => string {
  const safe = new Map<string, string>();
  const taken = new Set<string>();
  const names: string[] = [];
  for (const message of messages) {
    for (const block of message.content) if (isToolCall(block)) names.push(block.id);
    if (message.tool_call_id !== undefined) names.push(message.tool_call_id);
  }
  const isSafe = (id: string) => id.length <= longest && /^[A-Za-z0-9_-]+$/.test(id);
  for (const id of names) if (isSafe(id)) taken.add(id);
  for (const id of names) {
    if (isSafe(id) || safe.has(id)) continue;
    const base = id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, longest - 8) || 'call';
    let name = base;
    for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
    taken.add(name);
    safe.set(id, name);
  }
  return (id) => safe.get(id) ?? id;
}
