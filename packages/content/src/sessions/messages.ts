// Messages of session lines: ours as they are, and those of the tool whose format the lines follow (roles `toolResult`,
// `bashExecution`, `custom`; blocks `toolCall`, `thinkingSignature`), which are kept verbatim beside what they mean.
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
import { normaliseMessage } from '../legacy.ts';
import {
  isJsonValueOf,
  isSessionFields,
  numberField,
  objectField,
  omitUndefinedFields,
  ownSessionField,
  type SessionFields,
  textField,
} from './fields.ts';

/** What a line's message means. */
export interface ReadMessage {
  readonly message: Message;
  readonly kind: 'message' | 'injected';
  readonly status: NodeStatus;
  readonly meta: NodeMeta;
}

const plainFields: ReadonlySet<string> = new Set(['role', 'content', 'tool_call_id']);
const none: NodeMeta = {};

/** Reads the message of a line. What cannot be read as one is kept as a block of its own type, never dropped. */
export function readSessionMessage(raw: unknown): ReadMessage {
  const checked = checkMessage(raw);
  if (checked.ok && Object.keys(checked.value).every((key) => plainFields.has(key)) && !isForeignBlock(checked.value))
    return {
      message: checked.value,
      kind: 'message',
      status: isBlank(checked.value) ? 'interrupted' : 'success',
      meta: none,
    };
  if (!isSessionFields(raw)) return unreadableBlock(raw);
  const role = textField(raw, 'role');
  switch (role) {
    case 'toolResult':
      return toolResult(raw);
    case 'bashExecution':
      return bashExecution(raw);
    case 'custom':
    case 'hookMessage':
      return { ...hasSpokenText(raw, 'user'), kind: 'injected' };
    case 'assistant':
      return assistant(raw);
    default:
      return isSessionRole(role) ? hasSpokenText(raw, role) : unreadableBlock(raw);
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

/** The type of the block that holds what cannot be read as a message. */
export const unreadableType = 'x-unreadable';

function unreadableBlock(raw: unknown): ReadMessage {
  const block: Block & { readonly value: unknown } = { type: unreadableType, value: raw === undefined ? null : raw };
  return { message: { role: 'user', content: [block] }, kind: 'message', status: 'success', meta: { excluded: true } };
}

/** The blocks of a line's message in our words. */
export function readBlocks(content: unknown): Block[] {
  if (typeof content === 'string') return [sessionTextBlock(content)];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => (isSessionFields(block) ? [readBlock(block)] : []));
}

function sessionTextBlock(text: string): Block {
  const block: Block & { readonly text: string } = { type: 'text', text };
  return block;
}

function isBlock(value: SessionFields): value is SessionFields & Block {
  return typeof value.type === 'string';
}

function readBlock(block: SessionFields): Block {
  switch (textField(block, 'type')) {
    case 'text':
      return parsedBlock({ ...block, type: 'text', text: textField(block, 'text') ?? '' });
    case 'thinking': {
      const { thinkingSignature, redacted, ...rest } = block;
      const opaque = redacted === true && typeof thinkingSignature === 'string';
      return parsedBlock({
        ...rest,
        type: 'thinking',
        thinking: textField(block, 'thinking') ?? '',
        ...(opaque ? { redacted: thinkingSignature } : {}),
        ...(!opaque && typeof thinkingSignature === 'string' ? { signature: thinkingSignature } : {}),
        ...(typeof redacted === 'string' ? { redacted } : {}),
      });
    }
    case 'redacted_thinking':
      return parsedBlock({ type: 'thinking', thinking: '', redacted: textField(block, 'data') ?? '' });
    case 'toolCall':
      return call(block, 'arguments');
    case 'tool_use':
      return call(block, 'input');
    case 'image':
      return image(block);
    default:
      return parsedBlock(isBlock(block) ? block : { ...block, type: 'x-unknown' });
  }
}

function parsedBlock(fields: SessionFields): Block {
  return isBlock(fields) ? fields : { type: 'x-unknown' };
}

function call(block: SessionFields, key: 'arguments' | 'input'): Block {
  const { [key]: _, type: __, ...rest } = block;
  const parameters = objectField(block, key);
  return parsedBlock({
    ...rest,
    type: 'tool-use',
    id: textField(block, 'id') ?? '',
    name: textField(block, 'name') ?? '',
    parameters: parameters ?? {},
  });
}

function image(block: SessionFields): Block {
  const data = textField(block, 'data');
  if (data !== undefined) {
    const mediaType = textField(block, 'mimeType') ?? 'image/png';
    return parsedBlock({ type: 'image', source: { type: 'base64', data }, mediaType });
  }
  const source = ownSessionField(block, 'source');
  if (
    isSessionFields(source) &&
    textField(source, 'type') === 'base64' &&
    textField(source, 'media_type') !== undefined
  )
    return parsedBlock({
      type: 'image',
      source: { type: 'base64', data: textField(source, 'data') ?? '' },
      mediaType: textField(source, 'media_type'),
    });
  return parsedBlock({ ...block, type: 'image' });
}

/** Blocks as a message that core takes, or as an unreadable one. A tool call twice in one message keeps its first id. */
function sound(role: Role, content: readonly Block[], raw: SessionFields, toolCallId?: string): Message {
  const blocks = content.length === 0 ? [sessionTextBlock('')] : content;
  const message = { role, content: blocks, ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }) };
  const checked = checkMessage(message);
  if (checked.ok) return checked.value;
  const legacy = normaliseMessage({
    role: ownSessionField(raw, 'role'),
    content: ownSessionField(raw, 'content'),
    tool_calls: ownSessionField(raw, 'tool_calls'),
  });
  if (legacy.ok) return legacy.value;
  const kept: Block & { readonly value: unknown } = { type: unreadableType, value: raw };
  return { role: role === 'tool' ? 'user' : role, content: [kept] };
}

function recordOfMessage(raw: SessionFields): NodeMeta {
  return isJsonValueOf(raw) ? { sessionRecord: raw } : {};
}

function hasSpokenText(raw: SessionFields, role: Role): ReadMessage {
  const callId = role === 'tool' ? (textField(raw, 'tool_call_id') ?? '') : undefined;
  const legacy =
    ownSessionField(raw, 'tool_calls') !== undefined || (typeof raw.content === 'string' && role !== 'tool');
  const normal = legacy ? normaliseMessage(plainMessage(raw), { blank: 'keep' }) : null;
  const message =
    normal?.ok === true ? normal.value : sound(role, readBlocks(ownSessionField(raw, 'content')), raw, callId);
  const exact = Object.keys(raw).every((key) => plainFields.has(key)) && !isRaw(raw);
  return {
    message,
    kind: 'message',
    status: isBlank(message) ? 'interrupted' : 'success',
    meta: exact ? none : recordOfMessage(raw),
  };
}

/** Whether a message cannot be told from its meaning: only a plain text of its own loses nothing. */
function isRaw(raw: SessionFields): boolean {
  return typeof raw.content !== 'string';
}

function plainMessage(raw: SessionFields): SessionFields {
  return omitUndefinedFields({
    role: raw.role,
    content: ownSessionField(raw, 'content'),
    tool_calls: ownSessionField(raw, 'tool_calls'),
    tool_call_id: ownSessionField(raw, 'tool_call_id'),
  });
}

const endings: ReadonlyMap<string, NodeStatus> = new Map([
  ['error', 'error'],
  ['aborted', 'aborted'],
]);

function assistant(raw: SessionFields): ReadMessage {
  const { message } = hasSpokenText(raw, 'assistant');
  const ended = endings.get(textField(raw, 'stopReason') ?? '');
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

function sessionSource(raw: SessionFields): JsonObject {
  const usage = objectField(raw, 'usage');
  return omitUndefinedFields({
    provider: textField(raw, 'provider'),
    model_name: textField(raw, 'model'),
    finish_reason: textField(raw, 'stopReason') ?? textField(raw, 'stop_reason'),
    usage: usage === undefined ? undefined : sessionUsage(usage),
    error: textField(raw, 'errorMessage'),
  });
}

/** Usage in our spelling; a spelling of a provider is left as it is, for core reads it. */
function sessionUsage(usage: JsonObject): JsonObject | undefined {
  const [input, output] = [numberField(usage, 'input'), numberField(usage, 'output')];
  if (input === undefined && output === undefined) return usage;
  const sent = (input ?? 0) + (numberField(usage, 'cacheRead') ?? 0) + (numberField(usage, 'cacheWrite') ?? 0);
  const total = numberField(usage, 'totalTokens') ?? sent + (output ?? 0);
  // A reply that was never charged for says nothing about how much is in force.
  return total === 0 ? undefined : { inputTokens: sent, outputTokens: output ?? 0, totalTokens: total };
}

function toolResult(raw: SessionFields): ReadMessage {
  const failed = ownSessionField(raw, 'isError') === true;
  const source = omitUndefinedFields({
    type: 'tool',
    tool_name: textField(raw, 'toolName'),
    is_error: failed ? true : undefined,
  });
  return {
    message: sound('tool', readBlocks(ownSessionField(raw, 'content')), raw, textField(raw, 'toolCallId') ?? ''),
    kind: 'message',
    status: 'success',
    meta: { source, ...recordOfMessage(raw) },
  };
}

function bashExecution(raw: SessionFields): ReadMessage {
  const output = textField(raw, 'output') ?? '';
  const code = numberField(raw, 'exitCode');
  let text = `Ran \`${textField(raw, 'command') ?? ''}\`\n${output === '' ? '(no output)' : `\`\`\`\n${output}\n\`\`\``}`;
  if (ownSessionField(raw, 'cancelled') === true) text += '\n\n(command cancelled)';
  else if (code !== undefined && code !== 0) text += `\n\nCommand exited with code ${code}`;
  const path = textField(raw, 'fullOutputPath');
  if (ownSessionField(raw, 'truncated') === true && path !== undefined)
    text += `\n\n[Output truncated. Full output: ${path}]`;
  const left = ownSessionField(raw, 'excludeFromContext') === true;
  return {
    message: textMessage('user', text),
    kind: 'message',
    status: 'success',
    meta: { ...(left ? { excluded: true } : {}), ...recordOfMessage(raw) },
  };
}
