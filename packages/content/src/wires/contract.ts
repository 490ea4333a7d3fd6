/** The request to a model and the events of its reply, independent of the wire. */
import type { Json, JsonObject, Message } from '@coppice/core';
import type { ImageBlock } from '../blocks/image/index.ts';

/** A tool that a model may call: a name, a description, and the JSON Schema of its parameters. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** Whether the model decides (`auto`), must not call a tool, must call some tool, or must call the given tool. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** How much a model should think before it answers. */
export interface ThinkingOptions {
  readonly effort: 'low' | 'medium' | 'high';
  /** For providers that accept a budget; derived from the effort if it is undefined. */
  readonly budgetTokens?: number | undefined;
}

/**
 * One call of a model. Core has already repaired and coalesced the messages (`buildRequestMessages`, then
 * `coalesceMessages`).
 */
export interface ProviderRequest {
  /** The model name of the provider, without the provider as a prefix. */
  readonly model: string;
  readonly systemPrompt?: string | undefined;
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSpec[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  /** The maximum length of the reply in tokens, at least 1; the provider's maximum if undefined. */
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  /** Texts at which the model stops; they are not part of the reply. */
  readonly stop?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly thinking?: ThinkingOptions | undefined;
}

/** Why a reply ended. `other` means that there is no equivalent; the event's `raw` contains the provider's reason. */
export type FinishReason = 'stop' | 'length' | 'tool-use' | 'content-filter' | 'refusal' | 'other';

/** The usage of one call, as the provider counted it. */
export interface ProviderUsage {
  /** All sent tokens, cached or not. */
  readonly inputTokens: number;
  /** All received tokens, including reasoning. */
  readonly outputTokens: number;
  /** The part of the input that was read from a cache. */
  readonly cacheReadTokens?: number;
  /** The part of the input that was written to a cache. */
  readonly cacheWriteTokens?: number;
  /** The part of the output that was reasoning. */
  readonly reasoningTokens?: number;
  /** The provider's own usage object. */
  readonly raw: JsonObject;
}

/** A piece of the reply's text. */
export interface TextDelta {
  readonly type: 'text-delta';
  readonly text: string;
}

/** A piece of readable reasoning. */
export interface ThinkingDelta {
  readonly type: 'thinking-delta';
  readonly text: string;
}

/** The end of a block of reasoning. Without a delta before it, the reasoning is not readable. */
export interface ThinkingEnd {
  readonly type: 'thinking-end';
  readonly signature?: string;
  readonly redacted?: string;
}

/** The model starts a tool call. `index` identifies the call within this stream; ids are unique in it. */
export interface ToolUseStart {
  readonly type: 'tool-use-start';
  readonly index: number;
  readonly id: string;
  readonly name: string;
}

/** A piece of a call's arguments, as JSON text. */
export interface ToolUseDelta {
  readonly type: 'tool-use-delta';
  readonly index: number;
  readonly json: string;
}

/**
 * A call is complete. With `malformed`, its arguments were not a JSON object, so the call must be answered with an
 * error and not run.
 */
export interface ToolUseEnd {
  readonly type: 'tool-use-end';
  readonly index: number;
  /** Empty if the arguments are malformed. */
  readonly parameters: JsonObject;
  /** The problem with the arguments, as a sentence. */
  readonly malformed?: string;
  /** An opaque signature of the reasoning behind the call, to be sent back unchanged. */
  readonly thoughtSignature?: string;
}

/** An image that the model generated, complete. */
export interface ImageEvent {
  readonly type: 'image';
  readonly block: ImageBlock;
}

/** The usage of the call; at most once, directly before the last event. */
export interface UsageEvent extends ProviderUsage {
  readonly type: 'usage';
}

/** The reply is complete; the last event. */
export interface EndEvent {
  readonly type: 'end';
  readonly finishReason: FinishReason;
  /** The provider's own reason; null if it gave no reason. */
  readonly raw: Json;
}

/**
 * Called with the name of a changed parameter, the requested value and the sent value (undefined if it is left out).
 */
export type ReportParameterChange = (name: string, asked: Json, sent?: Json) => void;

/** A part of a reply as sent on a wire, including its end. The caller of the provider reports failures. */
export type WireReplyEvent =
  | TextDelta
  | ThinkingDelta
  | ThinkingEnd
  | ToolUseStart
  | ToolUseDelta
  | ToolUseEnd
  | ImageEvent
  | UsageEvent
  | EndEvent;

/** Converts the messages of a stream to events, one message at a time. Does no I/O; throws only {@link WireAnswerFailure}. */
export interface WireReader {
  /** Reads one message of the stream; returns null for a keep-alive, which must not reset the idle timeout. */
  read(data: Json, event: string): readonly WireReplyEvent[] | null;
  /**
   * Called at the end of the stream; returns the remaining events. Without an end event, the stream was interrupted.
   */
  end(): readonly WireReplyEvent[];
  /** Whether the provider has reported the end of the reply. */
  readonly done: boolean;
}

/**
 * The text that ends a stream of OpenAI and compatible servers; it is not JSON and is passed to readers as a string.
 */
export const endOfStreamMark = '[DONE]';

/** An answer that is not a reply: it has another shape, or it is an error of the provider with its codes. */
export class WireAnswerFailure extends Error {
  readonly reported: { readonly message: string; readonly marks: readonly string[] } | null;
  readonly excerpt: string;
  constructor(message: string, excerpt: Json, marks?: readonly string[]) {
    super(message);
    this.name = 'WireAnswerFailure';
    this.reported = marks === undefined ? null : { message, marks };
    this.excerpt = JSON.stringify(excerpt);
  }
}
