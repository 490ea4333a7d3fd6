// Reads the messages of session lines. Messages in Coppice's format are kept. Messages of pi (roles `toolResult`,
// `bashExecution`, `custom`; blocks `toolCall`, `thinkingSignature`) are converted, and the original is kept with the
// converted message.

import type { FieldMap } from '@coppice/core';
import {
  type Block,
  checkMessage,
  isBlank,
  type JsonObject,
  type Message,
  type NodeMeta,
  type NodeStatus,
  type Role,
  roles,
  textMessage,
} from '@coppice/core';
import { getNumber, getObject, getText, isFieldMap, ownField } from '@coppice/core/decode';
import { renameRepeatedCalls } from '../call-ids.ts';
import { normaliseMessage } from '../legacy.ts';
import { isParsedJson, pickJsonFields } from './fields.ts';

/** The message of a line in canonical form, with the kind and status of its node. */
export interface ConvertedSessionMessage {
  readonly message: Message;
  readonly kind: 'message' | 'injected';
  readonly status: NodeStatus;
  readonly meta: NodeMeta;
}

const plainFields: ReadonlySet<string> = new Set(['role', 'content', 'tool_call_id']);
const none: NodeMeta = {};

/** Converts the message of a line. An unreadable message is kept in a block of a special type, never dropped. */
export function readSessionMessage(raw: unknown): ConvertedSessionMessage {
  const checked = checkMessage(raw);
  if (checked.ok && Object.keys(checked.value).every((key) => plainFields.has(key)) && !isForeignBlock(checked.value))
    return {
      message: checked.value,
      kind: 'message',
      status: isBlank(checked.value) ? 'interrupted' : 'success',
      meta: none,
    };
  if (!isFieldMap(raw)) return unreadableBlock(raw);
  const role = getText(raw, 'role');
  switch (role) {
    case 'toolResult':
      return toolResult(raw);
    case 'bashExecution':
      return bashExecution(raw);
    case 'custom':
    case 'hookMessage':
      return { ...convertMessage(raw, 'user'), kind: 'injected' };
    case 'assistant':
      return readAssistantMessage(raw);
    default:
      return isSessionRole(role) ? convertMessage(raw, role) : unreadableBlock(raw);
  }
}

function isSessionRole(role: string | undefined): role is Role {
  return roles.some((known) => known === role);
}

const foreignBlocks: ReadonlySet<string> = new Set(['toolCall', 'tool_use', 'tool_result']);

function isForeignBlock(message: Message): boolean {
  return message.content.some(
    (block) =>
      foreignBlocks.has(block.type) ||
      (block.type === 'image' && 'data' in block) ||
      (block.type === 'thinking' && 'thinkingSignature' in block),
  );
}

/** The type of the block that holds an unreadable message. */
export const unreadableBlockType = 'x-unreadable';

function unreadableBlock(raw: unknown): ConvertedSessionMessage {
  const block: Block & { readonly value: unknown } = {
    type: unreadableBlockType,
    value: raw === undefined ? null : raw,
  };
  return { message: { role: 'user', content: [block] }, kind: 'message', status: 'success', meta: { excluded: true } };
}

/** Converts the content of a line's message to canonical blocks; values that are not objects are skipped. */
export function readSessionBlocks(content: unknown): Block[] {
  if (typeof content === 'string') return [sessionTextBlock(content)];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => (isFieldMap(block) ? [readBlock(block)] : []));
}

function sessionTextBlock(text: string): Block {
  const block: Block & { readonly text: string } = { type: 'text', text };
  return block;
}

function isBlock(value: FieldMap): value is FieldMap & Block {
  return typeof value.type === 'string';
}

function readBlock(block: FieldMap): Block {
  switch (getText(block, 'type')) {
    case 'text':
      return parsedBlock({ ...block, type: 'text', text: getText(block, 'text') ?? '' });
    case 'thinking': {
      const { thinkingSignature, redacted, ...rest } = block;
      const opaque = redacted === true && typeof thinkingSignature === 'string';
      return parsedBlock({
        ...rest,
        type: 'thinking',
        thinking: getText(block, 'thinking') ?? '',
        ...(opaque ? { redacted: thinkingSignature } : {}),
        ...(!opaque && typeof thinkingSignature === 'string' ? { signature: thinkingSignature } : {}),
        ...(typeof redacted === 'string' ? { redacted } : {}),
      });
    }
    case 'redacted_thinking':
      return parsedBlock({ type: 'thinking', thinking: '', redacted: getText(block, 'data') ?? '' });
    case 'toolCall':
      return toolUseBlockOf(block, 'arguments');
    case 'tool_use':
      return toolUseBlockOf(block, 'input');
    case 'image':
      return imageBlockOf(block);
    default:
      return parsedBlock(isBlock(block) ? block : { ...block, type: 'x-unknown' });
  }
}

function parsedBlock(fields: FieldMap): Block {
  return isBlock(fields) ? fields : { type: 'x-unknown' };
}

function toolUseBlockOf(block: FieldMap, key: 'arguments' | 'input'): Block {
  const { [key]: _, type: __, ...rest } = block;
  const parameters = getObject(block, key);
  return parsedBlock({
    ...rest,
    type: 'tool-use',
    id: getText(block, 'id') ?? '',
    name: getText(block, 'name') ?? '',
    parameters: parameters ?? {},
  });
}

function imageBlockOf(block: FieldMap): Block {
  const data = getText(block, 'data');
  if (data !== undefined) {
    const mediaType = getText(block, 'mimeType') ?? 'image/png';
    return parsedBlock({ type: 'image', source: { type: 'base64', data }, mediaType });
  }
  const source = ownField(block, 'source');
  if (isFieldMap(source) && getText(source, 'type') === 'base64' && getText(source, 'media_type') !== undefined)
    return parsedBlock({
      type: 'image',
      source: { type: 'base64', data: getText(source, 'data') ?? '' },
      mediaType: getText(source, 'media_type'),
    });
  return parsedBlock({ ...block, type: 'image' });
}

/**
 * Builds a message from blocks. A repeated tool call id gets a new one. If core still refuses the message, the original
 * is parsed as a legacy message, else kept in an unreadable block.
 */
function storableMessage(role: Role, content: readonly Block[], raw: FieldMap, toolCallId?: string): Message {
  const blocks = content.length === 0 ? [sessionTextBlock('')] : content;
  const message = { role, content: blocks, ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }) };
  const checked = checkMessage(renameRepeatedCalls(message)?.message ?? message);
  if (checked.ok) return checked.value;
  const legacy = normaliseMessage({
    role: ownField(raw, 'role'),
    content: ownField(raw, 'content'),
    tool_calls: ownField(raw, 'tool_calls'),
  });
  if (legacy.ok) return legacy.value;
  const kept: Block & { readonly value: unknown } = { type: unreadableBlockType, value: raw };
  return { role: role === 'tool' ? 'user' : role, content: [kept] };
}

function recordOfMessage(raw: FieldMap): NodeMeta {
  return isParsedJson(raw) ? { sessionRecord: raw } : {};
}

function convertMessage(raw: FieldMap, role: Role): ConvertedSessionMessage {
  const callId = role === 'tool' ? (getText(raw, 'tool_call_id') ?? '') : undefined;
  const legacy = ownField(raw, 'tool_calls') !== undefined || (typeof raw.content === 'string' && role !== 'tool');
  const normal = legacy ? normaliseMessage(plainMessage(raw), { blank: 'keep' }) : null;
  const message =
    normal?.ok === true
      ? normal.value
      : storableMessage(role, readSessionBlocks(ownField(raw, 'content')), raw, callId);
  const exact = Object.keys(raw).every((key) => plainFields.has(key)) && !isRaw(raw);
  return {
    message,
    kind: 'message',
    status: isBlank(message) ? 'interrupted' : 'success',
    meta: exact ? none : recordOfMessage(raw),
  };
}

/** Whether the original message must be kept. Only plain text can be restored from the converted message. */
function isRaw(raw: FieldMap): boolean {
  return typeof raw.content !== 'string';
}

function plainMessage(raw: FieldMap): FieldMap {
  return pickJsonFields({
    role: raw.role,
    content: ownField(raw, 'content'),
    tool_calls: ownField(raw, 'tool_calls'),
    tool_call_id: ownField(raw, 'tool_call_id'),
  });
}

const endings: ReadonlyMap<string, NodeStatus> = new Map([
  ['error', 'error'],
  ['aborted', 'aborted'],
]);

function readAssistantMessage(raw: FieldMap): ConvertedSessionMessage {
  const { message } = convertMessage(raw, 'assistant');
  const ended = endings.get(getText(raw, 'stopReason') ?? '');
  const source = sessionSource(raw);
  return {
    message,
    kind: 'message',
    status: ended ?? (isBlank(message) ? 'interrupted' : 'success'),
    meta: {
      ...(Object.keys(source).length === 0 ? {} : { source: { type: 'model', ...source } }),
      ...recordOfMessage(raw),
    },
  };
}

function sessionSource(raw: FieldMap): JsonObject {
  const usage = getObject(raw, 'usage');
  return pickJsonFields({
    provider: getText(raw, 'provider'),
    model_name: getText(raw, 'model'),
    finish_reason: getText(raw, 'stopReason') ?? getText(raw, 'stop_reason'),
    usage: usage === undefined ? undefined : sessionUsage(usage),
    error: getText(raw, 'errorMessage'),
  });
}

/** Converts usage to Coppice's field names. Usage in a provider's spelling is kept, because core can read it. */
function sessionUsage(usage: JsonObject): JsonObject | undefined {
  const [input, output] = [getNumber(usage, 'input'), getNumber(usage, 'output')];
  if (input === undefined && output === undefined) return usage;
  const sent = (input ?? 0) + (getNumber(usage, 'cacheRead') ?? 0) + (getNumber(usage, 'cacheWrite') ?? 0);
  const total = getNumber(usage, 'totalTokens') ?? sent + (output ?? 0);
  // Zero usage gives no information about the size of the context.
  return total === 0 ? undefined : { inputTokens: sent, outputTokens: output ?? 0, totalTokens: total };
}

function toolResult(raw: FieldMap): ConvertedSessionMessage {
  const failed = ownField(raw, 'isError') === true;
  const source = pickJsonFields({
    type: 'tool',
    tool_name: getText(raw, 'toolName'),
    is_error: failed ? true : undefined,
  });
  return {
    message: storableMessage(
      'tool',
      readSessionBlocks(ownField(raw, 'content')),
      raw,
      getText(raw, 'toolCallId') ?? '',
    ),
    kind: 'message',
    status: 'success',
    meta: { source, ...recordOfMessage(raw) },
  };
}

function bashExecution(raw: FieldMap): ConvertedSessionMessage {
  const output = getText(raw, 'output') ?? '';
  const code = getNumber(raw, 'exitCode');
  let text = `Ran \`${getText(raw, 'command') ?? ''}\`\n${output === '' ? '(no output)' : `\`\`\`\n${output}\n\`\`\``}`;
  if (ownField(raw, 'cancelled') === true) text += '\n\n(command cancelled)';
  else if (code !== undefined && code !== 0) text += `\n\nCommand exited with code ${code}`;
  const path = getText(raw, 'fullOutputPath');
  if (ownField(raw, 'truncated') === true && path !== undefined) text += `\n\n[Output truncated. Full output: ${path}]`;
  const left = ownField(raw, 'excludeFromContext') === true;
  return {
    message: textMessage('user', text),
    kind: 'message',
    status: 'success',
    meta: { ...(left ? { excluded: true } : {}), ...recordOfMessage(raw) },
  };
}
