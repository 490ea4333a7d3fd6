/** Reads the stored origin of a message: model, time, tokens, cost and errors. */
import { type Json, type Node, type NodeId, type NodeMeta, nodeId } from '@coppice/core';
import {
  getMember,
  getNumber,
  getNumberMember,
  getObject,
  getText,
  getTextMember,
  isJsonObject,
} from '@coppice/core/decode';

/** Which model wrote a message, when, and at what cost. */
export interface ReplySource {
  /** The name of the model without its provider; null for messages of users and tools. */
  readonly model: string | null;
  readonly modelId: string | null;
  readonly totalMs: number | null;
  readonly outputTokens: number | null;
  readonly cost: number | null;
  readonly temperature: number | null;
  readonly finishReason: string | null;
  /** The replies that this reply combines, in the order of their letters; null for other messages. */
  readonly combinedFrom: { readonly way: string; readonly nodeIds: readonly NodeId[] } | null;
}

function filledText(value: Json | undefined, ...keys: readonly string[]): string | null {
  return getTextMember(value, ...keys) || null;
}

function numberOrNull(value: Json | undefined, ...keys: readonly string[]): number | null {
  return getNumberMember(value, ...keys) ?? null;
}

function combinedFromOf(value: Json | undefined): ReplySource['combinedFrom'] {
  const [way, ids] = [filledText(value, 'way'), getMember(value, 'node_ids')];
  if (way === null || !Array.isArray(ids)) return null;
  return { way, nodeIds: ids.flatMap((id: Json) => (typeof id === 'string' ? [nodeId(id)] : [])) };
}

/** Reads the origin of a message from its metadata. */
export function replySourceOf(meta: NodeMeta): ReplySource {
  const source = meta.source;
  const name = filledText(source, 'model_name') ?? filledText(source, 'model');
  const provider = filledText(source, 'provider');
  return {
    model: name === null ? null : (name.split('/').at(-1) ?? name),
    modelId: name === null ? null : provider === null || name.startsWith(`${provider}/`) ? name : `${provider}/${name}`,
    totalMs: numberOrNull(source, 'timing', 'totalMs'),
    outputTokens: numberOrNull(source, 'usage', 'outputTokens'),
    cost: numberOrNull(source, 'cost', 'total') ?? numberOrNull(source, 'cost'),
    temperature: numberOrNull(source, 'parameters', 'temperature'),
    finishReason: filledText(source, 'finish_reason'),
    combinedFrom: combinedFromOf(getMember(source, 'combined_from')),
  };
}

/** A setting of a model call that was requested but not used as requested. */
export interface SourceNotice {
  readonly code: string;
  readonly data: Readonly<Record<string, Json>>;
}

/** Returns the settings that the call of a reply did not use as requested. */
export function listSourceNotices({ meta }: Pick<Node, 'meta'>): readonly SourceNotice[] {
  const notices = getMember(meta.source, 'notices');
  if (!Array.isArray(notices)) return [];
  return notices.flatMap((notice: Json): SourceNotice[] => {
    const [code, data] = [filledText(notice, 'code'), getMember(notice, 'data')];
    return code === null || !isJsonObject(data) ? [] : [{ code, data }];
  });
}

/** Returns the error of a reply; null if the reply did not fail. */
export function replyErrorOf(node: Pick<Node, 'meta' | 'createdAt'>): {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** The earliest time at which the provider accepts a retry; null if the provider gave none. */
  readonly dueAt: number | null;
} | null {
  const error = getObject(node.meta, 'error');
  if (error === undefined) return null;
  const [message, code] = [getText(error, 'message') ?? '', getText(error, 'code') ?? ''];
  const wait = getNumber(error, 'retryAfterMs') ?? null;
  const dueAt = wait === null ? null : node.createdAt + (replySourceOf(node.meta).totalMs ?? 0) + wait;
  return { code, message, retryable: error.retryable === true, dueAt };
}
