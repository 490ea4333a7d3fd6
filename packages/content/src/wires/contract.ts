/** What is asked of a model and what its reply consists of, whichever wire carries them. */
import type { Json, JsonObject, Message } from '@coppice/core';
import type { ImageBlock } from '../blocks/image/index.ts';

/** A tool that a model may call: a name, what it is for, and the JSON Schema of its parameters. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** Whether the model must call a tool: as it likes, not at all, some tool, or the one named. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** How much a model is asked to think before it answers. */
export interface ThinkingOptions {
  readonly effort: 'low' | 'medium' | 'high';
  /** For providers that count it; derived from the effort when left out. */
  readonly budgetTokens?: number | undefined;
}

/** One call of a model. Messages are repaired and coalesced already (`requestMessages`, then `coalesce`, of core). */
export interface ProviderRequest {
  /** The model by the provider's own name, without the provider before it. */
  readonly model: string;
  readonly systemPrompt?: string | undefined;
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSpec[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  /** The longest reply, in tokens, at least 1; as long as the provider allows if not given. */
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  /** Texts at which the reply ends. */
  readonly stop?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly thinking?: ThinkingOptions | undefined;
}

/** Why a reply ended. `other` is whatever the provider said that we have no word for; the event's `raw` has it. */
export type FinishReason = 'stop' | 'length' | 'tool-use' | 'content-filter' | 'refusal' | 'other';

/** What one call took, as the provider counted it. */
export interface ProviderUsage {
  /** All that was sent, read from a cache or not. */
  readonly inputTokens: number;
  /** All that came back, reasoning included. */
  readonly outputTokens: number;
  /** The part of the input that was read from a cache. */
  readonly cacheReadTokens?: number;
  /** The part of the input that was written to a cache. */
  readonly cacheWriteTokens?: number;
  /** The part of the output that was reasoning. */
  readonly reasoningTokens?: number;
  /** As it stood on the wire. */
  readonly raw: JsonObject;
}

/** Some text of the reply. */
export interface TextDelta {
  readonly type: 'text-delta';
  readonly text: string;
}

/** Some readable reasoning. */
export interface ThinkingDelta {
  readonly type: 'thinking-delta';
  readonly text: string;
}

/** One block of reasoning is complete. Alone, without a delta before it, it is reasoning of which nothing can be read. */
export interface ThinkingEnd {
  readonly type: 'thinking-end';
  readonly signature?: string;
  readonly redacted?: string;
}

/** The model begins to call a tool. `index` names the call within this stream; ids are unique in it. */
export interface ToolUseStart {
  readonly type: 'tool-use-start';
  readonly index: number;
  readonly id: string;
  readonly name: string;
}

/** Some of a call's arguments, as JSON text. */
export interface ToolUseDelta {
  readonly type: 'tool-use-delta';
  readonly index: number;
  readonly json: string;
}

/** A call is complete. With `malformed` its arguments were no JSON object: answer it with an error, do not run it. */
export interface ToolUseEnd {
  readonly type: 'tool-use-end';
  readonly index: number;
  /** Empty when malformed. */
  readonly parameters: JsonObject;
  /** What is wrong with the arguments, as the end of a sentence. */
  readonly malformed?: string;
  /** Opaque proof of the reasoning behind the call, to be sent back unchanged. */
  readonly thoughtSignature?: string;
}

/** A whole picture. */
export interface ImageEvent {
  readonly type: 'image';
  readonly block: ImageBlock;
}

/** What the call took; at most once, directly before the last event. */
export interface UsageEvent extends ProviderUsage {
  readonly type: 'usage';
}

/** The reply is complete; the last event. */
export interface EndEvent {
  readonly type: 'end';
  readonly finishReason: FinishReason;
  /** The provider's own word for it; null when it said none. */
  readonly raw: Json;
}

/** Called with the name of a parameter, what was asked for and what is sent, which is undefined where it is left out. */
export type ParameterChanged = (name: string, asked: Json, sent?: Json) => void;

/** Part of a reply as a wire says it, its end included. How a call fails is told by whoever makes it. */
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

/** Turns what comes over a wire into events, one at a time. Pure; throws nothing but {@link WireFailure}. */
export interface WireReader {
  /** Null for a mere sign of life, which does not keep a silent stream alive. */
  read(data: Json, event: string): readonly WireReplyEvent[] | null;
  /** The stream is over: what is still to be said. Without a last event in it the stream counts as broken off. */
  end(): readonly WireReplyEvent[];
  /** Whether the provider has said that this was all. */
  readonly done: boolean;
}

/** The text with which OpenAI and its kin end a stream; no JSON, and passed to readers as a string. */
export const doneMark = '[DONE]';

/** An answer that is no reply: of another shape, or the provider's own report of a failure, with its codes. */
export class WireFailure extends Error {
  readonly reported: { readonly message: string; readonly marks: readonly string[] } | null;
  readonly excerpt: string;
  constructor(message: string, excerpt: Json, marks?: readonly string[]) {
    super(message);
    this.name = 'WireFailure';
    this.reported = marks === undefined ? null : { message, marks };
    this.excerpt = JSON.stringify(excerpt);
  }
}
