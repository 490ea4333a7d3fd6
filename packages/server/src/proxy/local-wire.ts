/** What an answer of our own is made of, and what writes it down in the words of a wire. */
import type { JsonObject } from '@coppice/core';
import type { FinishReason, ProviderEvent } from '@coppice/engine';

/** One part of an answer, as far as it has come. */
export type AnswerPart =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'thinking'; text: string; signature?: string | undefined; redacted?: string | undefined }
  | { readonly type: 'call'; readonly index: number; readonly id: string; readonly name: string; json: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string };

/** What came together. */
export interface AnswerDraft {
  readonly parts: AnswerPart[];
  finish: FinishReason;
  usage: { input: number; output: number };
}

/** What a part has become: begun, longer by so much, or complete. */
export type PartChange =
  | { readonly type: 'begun'; readonly part: AnswerPart; readonly at: number }
  | { readonly type: 'grown'; readonly part: AnswerPart; readonly at: number; readonly by: string }
  | { readonly type: 'done'; readonly part: AnswerPart; readonly at: number };

/** What every wire is told about an answer. */
export interface AnswerHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  /** Whether the client asked for the usage at the end of a stream. */
  readonly usageAsked: boolean;
}

/** Writes an answer down in the words of one wire. */
export interface WireWriter {
  /** The whole answer as a document. */
  whole(answer: AnswerDraft): JsonObject;
  /** How a stream begins. */
  begin(): string;
  change(change: PartChange): string;
  /** How it ends. */
  end(answer: AnswerDraft): string;
  /** How an error is told in the middle of a stream. */
  failed(message: string): string;
}

/** An event without a name. */
export function unnamedEvent(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** An event by its name, which is also its type. */
export function namedEvent(type: string, value: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`;
}

/** Takes an event of a model in; gives what changed by it. */
export function addToDraft(answer: AnswerDraft, event: ProviderEvent): readonly PartChange[] {
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
      // Some models say what they call a tool with in one piece, at the end.
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

/** The part before is complete when another begins; calls stay open until the end, since several may grow at once. */
function partBegun(parts: AnswerPart[], part: AnswerPart): readonly PartChange[] {
  const before = parts.at(-1);
  const at = parts.push(part) - 1;
  const done: readonly PartChange[] =
    before === undefined || before.type === 'call' ? [] : [{ type: 'done', part: before, at: at - 1 }];
  return [...done, { type: 'begun', part, at }];
}

function partGrown(parts: AnswerPart[], type: 'text' | 'thinking', text: string): readonly PartChange[] {
  const last = parts.at(-1);
  // A thinking part that has its signature is complete.
  const goesOn = last?.type === type && !(last.type === 'thinking' && 'signature' in last);
  const changes = goesOn ? [] : partBegun(parts, { type, text: '' });
  const part = parts.at(-1);
  if (part?.type !== 'text' && part?.type !== 'thinking') return changes;
  part.text += text;
  return [...changes, { type: 'grown', part, at: parts.length - 1, by: text }];
}

/** What is complete only with the answer: its calls, and whatever came last. */
export function atEnd({ parts }: AnswerDraft): readonly PartChange[] {
  return [...parts.entries()]
    .filter(([at, part]) => part.type === 'call' || at === parts.length - 1)
    .map(([at, part]) => ({ type: 'done', part, at }));
}
