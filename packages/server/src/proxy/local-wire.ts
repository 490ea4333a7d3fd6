/** The parts of an answer of a local model, and the interface that encodes them for an API. */
import type { JsonObject } from '@coppice/core';
import type { FinishReason, ProviderEvent } from '@coppice/engine';

/** One part of an answer: text, thinking, a tool call or an image. */
export type AnswerPart =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'thinking'; text: string; signature?: string | undefined; redacted?: string | undefined }
  | { readonly type: 'call'; readonly index: number; readonly id: string; readonly name: string; json: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string };

/** An answer while it is generated. */
export interface AnswerDraft {
  readonly parts: AnswerPart[];
  finish: FinishReason;
  usage: { input: number; output: number };
}

/** A change of a part: it started, grew, or is complete. */
export type AnswerPartChange =
  | { readonly type: 'begun'; readonly part: AnswerPart; readonly at: number }
  | { readonly type: 'grown'; readonly part: AnswerPart; readonly at: number; readonly by: string }
  | { readonly type: 'done'; readonly part: AnswerPart; readonly at: number };

/** The metadata of an answer that all formats contain. */
export interface AnswerMetadata {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  /** Whether the client requested the usage at the end of a stream. */
  readonly usageAsked: boolean;
}

/** Encodes an answer in one format, whole or as a stream. */
export interface WireWriter {
  /** The whole answer as a JSON document. */
  whole(answer: AnswerDraft): JsonObject;
  /** The beginning of a stream. */
  begin(): string;
  change(change: AnswerPartChange): string;
  /** The end of a stream. */
  end(answer: AnswerDraft): string;
  /** An error in the middle of a stream. */
  failed(message: string): string;
}

/** Returns an SSE event without a name. */
export function encodeUnnamedEvent(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** Returns an SSE event whose name is also its type. */
export function encodeNamedEvent(type: string, value: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`;
}

/** Adds a model event to the answer; returns the changes of its parts. */
export function addToAnswerDraft(answer: AnswerDraft, event: ProviderEvent): readonly AnswerPartChange[] {
  const { parts } = answer;
  switch (event.type) {
    case 'text-delta':
      return partGrown(parts, 'text', event.text);
    case 'thinking-delta':
      return partGrown(parts, 'thinking', event.text);
    case 'thinking-end': {
      const last = parts.at(-1);
      const changes = last?.type === 'thinking' ? [] : [...partBegun(parts, { type: 'thinking', text: '' })];
      const part = parts.at(-1);
      if (part?.type !== 'thinking') return changes;
      part.signature = event.signature;
      part.redacted = event.redacted;
      return changes;
    }
    case 'tool-use-start': {
      const { index, id, name } = event;
      return partBegun(parts, { type: 'call', index, id, name, json: '' });
    }
    case 'tool-use-delta': {
      const at = parts.findIndex((part) => part.type === 'call' && part.index === event.index);
      const part = parts[at];
      if (part?.type !== 'call') return [];
      part.json += event.json;
      return [{ type: 'grown', part, at, by: event.json }];
    }
    case 'tool-use-end': {
      const at = parts.findIndex((part) => part.type === 'call' && part.index === event.index);
      const part = parts[at];
      // Some models send all arguments of a call only at the end.
      if (part?.type !== 'call' || part.json.trim() !== '') return [];
      part.json = JSON.stringify(event.parameters);
      return [{ type: 'grown', part, at, by: part.json }];
    }
    case 'image': {
      const { source, mediaType = 'image/png' } = event.block;
      return source.type === 'base64' ? partBegun(parts, { type: 'image', mediaType, data: source.data }) : [];
    }
    case 'usage':
      answer.usage = { input: event.inputTokens, output: event.outputTokens };
      return [];
    case 'end':
      answer.finish = event.finishReason;
      return [];
    case 'error':
      return [];
  }
}

/**
 * Starts a part and completes the previous one. Tool calls stay open until the end, because models may stream several
 * at once.
 */
function partBegun(parts: AnswerPart[], part: AnswerPart): readonly AnswerPartChange[] {
  const before = parts.at(-1);
  const at = parts.push(part) - 1;
  const done: readonly AnswerPartChange[] =
    before === undefined || before.type === 'call' ? [] : [{ type: 'done', part: before, at: at - 1 }];
  return [...done, { type: 'begun', part, at }];
}

function partGrown(parts: AnswerPart[], type: 'text' | 'thinking', text: string): readonly AnswerPartChange[] {
  const last = parts.at(-1);
  // A thinking part with a signature is complete.
  const goesOn = last?.type === type && !(last.type === 'thinking' && 'signature' in last);
  const changes = goesOn ? [] : partBegun(parts, { type, text: '' });
  const part = parts.at(-1);
  if (part?.type !== 'text' && part?.type !== 'thinking') return changes;
  part.text += text;
  return [...changes, { type: 'grown', part, at: parts.length - 1, by: text }];
}

/** Completes the parts that end with the answer: its calls, and the last part. */
export function finishAnswerParts({ parts }: AnswerDraft): readonly AnswerPartChange[] {
  return [...parts.entries()]
    .filter(([at, part]) => part.type === 'call' || at === parts.length - 1)
    .map(([at, part]) => ({ type: 'done', part, at }));
}
