/**
 * What a provider is, what it is asked and what it answers. Everything above this file speaks of providers in these
 * words only; everything that a wire says otherwise stays in the member's `to-wire.ts` and `from-wire.ts`.
 */
import type { ParameterChanged, ProviderRequest, WireReplyEvent } from '@coppice/content/wires';
import type { Block, ErrorKind, Json, Role } from '@coppice/core';
import type { ModelCapabilities, Price } from '../catalogue/index.ts';
import type { HttpConnection, HttpLimits } from '../http/contract.ts';

export type {
  EndEvent,
  FinishReason,
  ImageEvent,
  ParameterChanged,
  ProviderRequest,
  ProviderUsage,
  TextDelta,
  ThinkingDelta,
  ThinkingEnd,
  ThinkingOptions,
  ToolChoice,
  ToolSpec,
  ToolUseDelta,
  ToolUseEnd,
  ToolUseStart,
  UsageEvent,
} from '@coppice/content/wires';

/** Every code that a stream can end with, and its kind. Promised across releases; sentences may improve. */
export const providerErrorKinds = {
  'provider/aborted': 'aborted',
  'provider/unknown': 'not-found',
  'provider/unknown-model': 'not-found',
  'provider/no-key': 'refused',
  'provider/unauthorised': 'refused',
  'provider/quota': 'refused',
  'provider/rejected': 'invalid',
  'provider/context-overflow': 'refused',
  'provider/content-filter': 'refused',
  'provider/redirected': 'refused',
  'provider/foreign-host': 'refused',
  'provider/unreachable': 'unavailable',
  'provider/timeout': 'unavailable',
  'provider/dropped': 'unavailable',
  'provider/rate-limited': 'unavailable',
  'provider/overloaded': 'unavailable',
  'provider/failed': 'unavailable',
  'provider/bad-response': 'unavailable',
  'provider/too-large': 'unavailable',
  'provider/internal': 'internal',
} as const satisfies Record<string, ErrorKind>;

/** A code that a provider's stream ends with. */
export type ProviderErrorCode = keyof typeof providerErrorKinds;

/** The reply is not complete; the last event. What came before it stands. */
export interface ErrorEvent {
  readonly type: 'error';
  readonly code: ProviderErrorCode;
  readonly kind: ErrorKind;
  /** A sentence for people; holds no key. */
  readonly message: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  /** The HTTP status, where there was one. */
  readonly status?: number;
  /** What the provider sent instead of an answer: at most 2 KB, without keys. */
  readonly excerpt?: string;
}

/**
 * What a stream consists of. Any number of content events, then at most one `usage`, then exactly one `end` or `error`.
 * Reasoning is closed by `thinking-end` before anything else begins; before an `end` every started call is ended.
 */
export type ProviderEvent = WireReplyEvent | ErrorEvent;

/** Something that a caller may want to show or log, and that is no part of the reply. */
export type ProviderNotice =
  /** The call is made again after `waitMs`; `attempt` is the number of the one that failed, from 1. */
  | { readonly type: 'retry'; readonly attempt: number; readonly waitMs: number; readonly error: ErrorEvent }
  /** A parameter was outside what the provider takes; `sent` is undefined when it was left out. */
  | { readonly type: 'parameter-changed'; readonly name: string; readonly asked: Json; readonly sent?: Json }
  /** A block of a type that the provider does not take went as something else, or not at all. */
  | { readonly type: 'block-lowered'; readonly blockType: string; readonly role: Role };

/** Time and chance, passed in so that runs repeat. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after so many milliseconds; rejects with the signal's reason when it fires first. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
}

/** How one call is made, beside what is asked. */
export interface ProviderCall {
  /** Where to, with which key. Providers without a network ignore it. */
  readonly connection: HttpConnection;
  /** Ends the stream at once with `provider/aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** False asks for the whole answer in one piece; the events are the same in kind and order. */
  readonly streaming?: boolean | undefined;
  readonly limits?: Partial<HttpLimits> | undefined;
  readonly clock?: Clock | undefined;
  /** What this model can do, where that is known to be less than the provider can. */
  readonly capabilities?: ModelCapabilities | undefined;
  /** Milliseconds between two words, for providers that write by themselves. */
  readonly paceMs?: number | undefined;
  readonly onNotice?: ((notice: ProviderNotice) => void) | undefined;
}

/** A range of numbers that a provider takes. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
}

/** Which parameters a provider takes, and within which bounds; what is left out is not sent. */
export interface ParameterLimits {
  readonly temperature?: NumberRange;
  readonly topP?: NumberRange;
  /** The most stop texts in one request. */
  readonly stop?: { readonly most: number };
  readonly seed?: NumberRange;
  readonly maxTokens?: NumberRange;
}

/** What a provider can take and do. */
export interface ProviderSupport {
  /** Block types that go as what they are; every other is lowered (content's `lower`). */
  readonly blocks: readonly string[];
  readonly tools: boolean;
  readonly toolChoice: boolean;
  readonly thinking: boolean;
  readonly images: boolean;
  /** Whether system messages may stand inside a conversation. */
  readonly systemInPlace: boolean;
  readonly seed: boolean;
  /** Whether an answer comes in pieces. */
  readonly streaming: boolean;
}

/** A model that a provider lists by itself. */
export interface ListedModel {
  readonly id: string;
  readonly label?: string;
  readonly window?: number;
  readonly maxOut?: number;
  readonly price?: Price | null;
  readonly capabilities?: ModelCapabilities;
}

/** A member of the registry, complete. Its `stream` never throws, never rejects and keeps to {@link ProviderEvent}. */
export interface Provider {
  /** The first half of `provider/model`, and the name of the member's folder. */
  readonly name: string;
  /** The member that it is: its name, unless the configuration has it under another. Proofs of reasoning are its own. */
  readonly kind: string;
  /** For people. */
  readonly label: string;
  /** Environment variables that may hold the key, the preferred one first; empty when none is needed. */
  readonly keyNames: readonly string[];
  /** Whether a call without a key is worth making. */
  readonly keyRequired: boolean;
  /** Where requests go unless the configuration says otherwise; null for a provider without a network or default. */
  readonly baseUrl: string | null;
  readonly supports: ProviderSupport;
  readonly parameters: ParameterLimits;
  /** The model that is taken when only the provider is named; null when there is no sensible choice. */
  readonly defaultModel: string | null;
  /** Models that are always there, such as those built in. */
  readonly models: readonly ListedModel[];
  /** Whether those are all that it has, so that another name is refused before anybody is asked. */
  readonly closed: boolean;
  stream(request: ProviderRequest, call: ProviderCall): AsyncIterable<ProviderEvent>;
  /** The request with its parameters as they would be sent; messages stay as they are. Reports nothing. */
  fit(request: ProviderRequest, call: Pick<ProviderCall, 'capabilities'>): ProviderRequest;
  /** The models that a server says it has; empty when it is not reachable or does not say. Never throws. */
  listModels(call: ProviderCall): Promise<readonly ListedModel[]>;
  /** What a server says of one of its models; null when it is not reachable or does not say. Never throws. */
  describeModel(model: string, call: ProviderCall): Promise<ListedModel | null>;
}

/** What a member says itself; the rest has defaults (see `define.ts`). */
export interface ProviderSpec {
  readonly name: string;
  readonly label: string;
  readonly keyNames?: readonly string[];
  readonly keyRequired?: boolean;
  readonly baseUrl: string | null;
  readonly supports: ProviderSupport;
  readonly parameters: ParameterLimits;
  readonly defaultModel?: string | null;
  readonly models?: readonly ListedModel[];
  readonly closed?: boolean;
  /** Whether a block of a supported type can go as it is; e.g. an address where only bytes are taken cannot. */
  takes?(block: Block, role: Role, model: string): boolean;
  /** Bounds that differ by model. */
  parametersOf?(model: string): ParameterLimits;
  /** Changes parameters that exclude each other, after each was fitted; `changed` reports every change. */
  adjust?(request: ProviderRequest, changed: ParameterChanged): ProviderRequest;
  stream(request: ProviderRequest, call: ProviderCall): AsyncIterable<ProviderEvent>;
  listModels?(call: ProviderCall): Promise<readonly ListedModel[]>;
  /** For servers with models that no catalogue knows: asked once before such a model is used. */
  describeModel?(model: string, call: ProviderCall): Promise<ListedModel | null>;
}
