import type { Json, JsonObject } from '@coppice/core';
import { isJsonObject } from '@coppice/core/decode';
import type { ProviderMetadata, UIMessageChunk } from 'ai';
import type { UiMessageJson } from './ui-nodes.ts';

/** Streams a stored reply, for a request that was sent twice. */
export function streamStoredReply(reply: UiMessageJson): ReadableStream<UIMessageChunk> {
  return new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunksOf(reply)) controller.enqueue(chunk);
      controller.close();
    },
  });
}

/** Converts a stored reply to stream chunks, including the one that ends the stream. */
export function toReplyChunks(reply: UiMessageJson): UIMessageChunk[] {
  return [...chunksOf(reply)];
}

function* chunksOf({ id, parts, metadata }: UiMessageJson): Generator<UIMessageChunk> {
  yield { type: 'start', messageId: id, ...(metadata === undefined ? {} : { messageMetadata: metadata }) };
  let inStep = false;
  for (const [at, part] of parts.entries()) {
    if (part.type === 'step-start') {
      if (inStep) yield { type: 'finish-step' };
      inStep = true;
      yield { type: 'start-step' };
    } else yield* chunksOfPart(part, `${at}`);
  }
  if (inStep) yield { type: 'finish-step' };
  yield { type: 'finish' };
}

function* chunksOfPart(part: JsonObject, id: string): Generator<UIMessageChunk> {
  const { type } = part;
  const text = textOr(part.text, '');
  if (type === 'text') {
    yield { type: 'text-start', id };
    yield { type: 'text-delta', id, delta: text };
    yield { type: 'text-end', id, ...metadataOf(part) };
  } else if (type === 'reasoning') {
    yield { type: 'reasoning-start', id };
    yield { type: 'reasoning-delta', id, delta: text };
    yield { type: 'reasoning-end', id, ...metadataOf(part) };
  } else if (type === 'file')
    yield { type, url: textOr(part.url, ''), mediaType: textOr(part.mediaType, ''), ...metadataOf(part) };
  else if (type === 'source-url') {
    const title = typeof part.title === 'string' ? { title: part.title } : {};
    yield { type, sourceId: textOr(part.sourceId, id), url: textOr(part.url, ''), ...title, ...metadataOf(part) };
  } else if (type === 'source-document') {
    const mediaType = textOr(part.mediaType, '');
    yield { type, sourceId: textOr(part.sourceId, id), mediaType, title: textOr(part.title, ''), ...metadataOf(part) };
  } else if (typeof type === 'string' && type.startsWith('data-')) {
    const own = typeof part.id === 'string' ? { id: part.id } : {};
    yield { type: `data-${type.slice(5)}`, data: part.data, ...own };
  } else if (typeof type === 'string' && (type === 'dynamic-tool' || type.startsWith('tool-')))
    yield* chunksOfTool(part, type);
}

function* chunksOfTool(part: JsonObject, type: string): Generator<UIMessageChunk> {
  const dynamic = type === 'dynamic-tool';
  const toolCallId = textOr(part.toolCallId, '');
  const toolName = dynamic ? textOr(part.toolName, '') : type.slice(5);
  yield { type: 'tool-input-available', toolCallId, toolName, input: part.input, dynamic };
  const approval = isJsonObject(part.approval) ? textOr(part.approval.id, '') : '';
  if (approval !== '') yield { type: 'tool-approval-request', approvalId: approval, toolCallId };
  if (part.state === 'output-available')
    yield { type: 'tool-output-available', toolCallId, output: part.output, dynamic };
  else if (part.state === 'output-error')
    yield { type: 'tool-output-error', toolCallId, errorText: textOr(part.errorText, ''), dynamic };
  else if (part.state === 'output-denied') yield { type: 'tool-output-denied', toolCallId };
}

function textOr(value: Json | undefined, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

/** Copies the provider metadata of a part, because the SDK may change the object. */
function metadataOf(part: JsonObject): { providerMetadata?: ProviderMetadata } {
  if (!isJsonObject(part.providerMetadata)) return {};
  const providerMetadata: ProviderMetadata = JSON.parse(JSON.stringify(part.providerMetadata));
  return { providerMetadata };
}
