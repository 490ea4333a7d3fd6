/** Reads the stored origin of a message: model, time, tokens, cost and errors. */
import { type Json, type Node, type NodeId, type NodeMeta, nodeId } from '@coppice/core';

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

function sourceField(value: Json | undefined, key: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}

function sourceNumber(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function sourceText(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function combinedFromOf(value: Json | undefined): ReplySource['combinedFrom'] {
  const [way, ids] = [sourceText(sourceField(value, 'way')), sourceField(value, 'node_ids')];
  if (way === null || !Array.isArray(ids)) return null;
  return { way, nodeIds: ids.flatMap((id: Json) => (typeof id === 'string' ? [nodeId(id)] : [])) };
}

/** Reads the origin of a message from its metadata. */
export function replySourceOf(meta: NodeMeta): ReplySource {
  const source = meta.source;
  const name = sourceText(sourceField(source, 'model_name')) ?? sourceText(sourceField(source, 'model'));
  const provider = sourceText(sourceField(source, 'provider'));
  return {
    model: name === null ? null : (name.split('/').at(-1) ?? name),
    modelId: name === null ? null : provider === null || name.startsWith(`${provider}/`) ? name : `${provider}/${name}`,
    totalMs: sourceNumber(sourceField(sourceField(source, 'timing'), 'totalMs')),
    outputTokens: sourceNumber(sourceField(sourceField(source, 'usage'), 'outputTokens')),
    cost: sourceNumber(sourceField(sourceField(source, 'cost'), 'total')) ?? sourceNumber(sourceField(source, 'cost')),
    temperature: sourceNumber(sourceField(sourceField(source, 'parameters'), 'temperature')),
    finishReason: sourceText(sourceField(source, 'finish_reason')),
    combinedFrom: combinedFromOf(sourceField(source, 'combined_from')),
  };
}

/** A setting of a model call that was requested but not used as requested. */
export interface SourceNotice {
  readonly code: string;
  readonly data: Readonly<Record<string, Json>>;
}

/** Returns the settings that the call of a reply did not use as requested. */
export function listSourceNotices({ meta }: Pick<Node, 'meta'>): readonly SourceNotice[] {
  const notices = sourceField(meta.source, 'notices');
  if (!Array.isArray(notices)) return [];
  return notices.flatMap((notice: Json): SourceNotice[] => {
    const [code, data] = [sourceText(sourceField(notice, 'code')), sourceField(notice, 'data')];
    if (code === null || typeof data !== 'object' || data === null || Array.isArray(data)) return [];
    return [{ code, data: Object.fromEntries(Object.entries(data)) }];
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
  const error: unknown = node.meta.error;
  if (typeof error !== 'object' || error === null) return null;
  const message = 'message' in error && typeof error.message === 'string' ? error.message : '';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const wait = 'retryAfterMs' in error && typeof error.retryAfterMs === 'number' ? error.retryAfterMs : null;
  const dueAt = wait === null ? null : node.createdAt + (replySourceOf(node.meta).totalMs ?? 0) + wait;
  return { code, message, retryable: 'retryable' in error && error.retryable === true, dueAt };
}
