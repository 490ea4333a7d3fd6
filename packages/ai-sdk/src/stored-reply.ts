/** Streams replies that are stored: for requests that were sent twice, and for the stored part of a reply. */
import type { Json, JsonObject } from '@coppice/core';
import { isJsonObject } from '@coppice/core/decode';
import { asSchema, type UIMessageChunk, uiMessageChunkSchema } from 'ai';
import { isToolPart, type UiMessageJson } from './ui-nodes.ts';

/** Streams a stored reply, for a request that was sent twice. */
export function streamStoredReply(reply: UiMessageJson): ReadableStream<UIMessageChunk> {
  return new ReadableStream<UIMessageChunk>({
    async start(controller) {
      for (const chunk of await toReplyChunks(reply)) controller.enqueue(chunk);
      controller.close();
    },
  });
}

/**
 * Converts a stored reply to stream chunks, including the one that ends the stream. A page that reads them gets the
 * same message. Chunks that the installed version of the SDK does not know are left out.
 */
export async function toReplyChunks(reply: UiMessageJson): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  const hasResponses = (await toKnownChunk(approvalResponse('', true))) !== undefined;
  for (const chunk of chunksOf(reply, hasResponses)) {
    const known = await toKnownChunk(chunk);
    if (known !== undefined) chunks.push(known);
  }
  return chunks;
}

/** Returns a copy of a chunk, because the SDK may change its objects; undefined if the SDK does not know the chunk. */
async function toKnownChunk(chunk: JsonObject): Promise<UIMessageChunk | undefined> {
  const checked = await asSchema(uiMessageChunkSchema).validate?.(structuredClone(chunk));
  return checked?.success === true ? checked.value : undefined;
}

function approvalResponse(approvalId: Json, approved: boolean): JsonObject {
  return { type: 'tool-approval-response', approvalId, approved };
}

/** `hasResponses` tells whether the SDK can stream a decision about a call; the previous major version cannot. */
function* chunksOf({ id, parts, metadata }: UiMessageJson, hasResponses: boolean): Generator<JsonObject> {
  yield { type: 'start', messageId: id, ...(metadata === undefined ? {} : { messageMetadata: metadata }) };
  let inStep = false;
  for (const [at, part] of parts.entries()) {
    if (part.type === 'step-start') {
      if (inStep) yield { type: 'finish-step' };
      inStep = true;
      yield { type: 'start-step' };
    } else if (isToolPart(part)) yield* chunksOfTool(part, hasResponses);
    else yield* chunksOfPart(part, `${at}`);
  }
  if (inStep) yield { type: 'finish-step' };
  yield { type: 'finish' };
}

function* chunksOfPart(part: JsonObject, at: string): Generator<JsonObject> {
  const { type } = part;
  if (type === 'text' || type === 'reasoning') {
    const id = type === 'reasoning' && typeof part.id === 'string' ? part.id : at;
    const metadata = fieldsOf(part, 'providerMetadata');
    yield { type: `${type}-start`, id, ...metadata };
    yield { type: `${type}-delta`, id, delta: part.text ?? '' };
    yield { type: `${type}-end`, id, ...metadata, ...fieldsOf(part, 'citations') };
  } else if (typeof type === 'string' && Object.hasOwn(sameFields, type))
    yield { type, ...fieldsOf(part, ...(sameFields[type] ?? [])) };
  else yield { type: type ?? '', ...fieldsOf(part, 'id', 'data') };
}

/** The fields that a stream chunk has in common with its part, by type of the part. */
const sameFields: Readonly<Record<string, readonly string[]>> = {
  file: ['url', 'mediaType', 'providerMetadata'],
  'reasoning-file': ['url', 'mediaType', 'providerMetadata'],
  'source-url': ['sourceId', 'url', 'title', 'providerMetadata'],
  'source-document': ['sourceId', 'mediaType', 'title', 'filename', 'providerMetadata'],
  custom: ['kind', 'providerMetadata'],
  'steering-message': ['id', 'parts'],
};

function fieldsOf(part: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(part).filter(([name]) => names.includes(name)));
}

function metadataFrom(providerMetadata: Json | undefined): JsonObject {
  return providerMetadata === undefined ? {} : { providerMetadata };
}

/**
 * Streams a tool call. The input of a call that needs nothing more from the page arrives as text, because the SDK
 * reports a complete input to the page, which would call its tool again.
 */
function* chunksOfTool(part: JsonObject, hasResponses: boolean): Generator<JsonObject> {
  const { type, toolCallId = '', state, input, rawInput } = part;
  const isDynamic = type === 'dynamic-tool';
  const toolName = isDynamic ? (part.toolName ?? '') : String(type).slice('tool-'.length);
  const call = {
    toolCallId,
    toolName,
    ...(isDynamic ? { dynamic: true } : {}),
    ...fieldsOf(part, 'providerExecuted', 'title', 'toolMetadata'),
    ...metadataFrom(part.callProviderMetadata),
  };
  if (state === 'input-available' || state === 'approval-requested') {
    yield { type: 'tool-input-available', ...call, input: input ?? null };
  } else {
    yield { type: 'tool-input-start', ...call, ...fieldsOf(part, 'inputEncoding') };
    const text = typeof rawInput === 'string' ? rawInput : input === undefined ? '' : JSON.stringify(input);
    if (text !== '') yield { type: 'tool-input-delta', toolCallId, inputTextDelta: text };
  }
  const approval = isJsonObject(part.approval) ? part.approval : {};
  const isDecided = typeof approval.approved === 'boolean';
  const isSettled = state === 'output-available' || state === 'output-error' || state === 'output-denied';
  // The AI SDK rejects a message in which a finished tool call still waits for approval.
  if (approval.id !== undefined && (hasResponses || !isDecided || !isSettled))
    yield* chunksOfApproval(approval, toolCallId);
  const result = { toolCallId, ...metadataFrom(part.resultProviderMetadata) };
  if (state === 'output-available')
    yield { type: 'tool-output-available', ...result, ...fieldsOf(part, 'preliminary'), output: part.output ?? null };
  else if (state === 'output-error') yield { type: 'tool-output-error', ...result, errorText: part.errorText ?? '' };
  else if (state === 'output-denied')
    yield hasResponses
      ? { type: 'tool-output-denied', toolCallId }
      : { type: 'tool-output-error', toolCallId, errorText: approval.reason ?? 'The call was denied.' };
}

function* chunksOfApproval(approval: JsonObject, toolCallId: Json): Generator<JsonObject> {
  const { id: approvalId = '', approved, descriptor, requestReason } = approval;
  yield {
    type: 'tool-approval-request',
    approvalId,
    toolCallId,
    ...(descriptor === undefined ? {} : { approvalDescriptor: descriptor }),
    ...(requestReason === undefined ? {} : { reason: requestReason }),
    ...fieldsOf(approval, 'inputSchemaInput', 'isAutomatic', 'signature'),
  };
  if (typeof approved === 'boolean')
    yield { ...approvalResponse(approvalId, approved), ...fieldsOf(approval, 'reason') };
}
