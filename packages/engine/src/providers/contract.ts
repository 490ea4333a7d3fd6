/**
 * The provider contract. Other code uses only these types; the differences between wire formats stay in `to-wire.ts`
 * and `from-wire.ts`.
 */
import type { ProviderRequest, ReportParameterChange, WireReplyEvent } from '@coppice/content/wires';
import type { Block, ErrorKind, Json, Role } from '@coppice/core';
import type { ModelCapabilities, Price } from '../catalogue/index.ts';
import type { HttpConnection, HttpLimits } from '../http/contract.ts';

export type {
  EndEvent,
  FinishReason,
  ImageEvent,
  ProviderRequest,
  ProviderUsage,
  ReportParameterChange,
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

/** The error codes of a stream and their kinds. Codes are stable across releases; messages may change. */
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

export type ProviderErrorCode = keyof typeof providerErrorKinds;

/** The event that ends an incomplete reply. Earlier events remain valid. */
export interface ProviderErrorEvent {
  readonly type: 'error';
  readonly code: ProviderErrorCode;
  readonly kind: ErrorKind;
  /** A sentence for the user; contains no key. */
  readonly message: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  /** The HTTP status, if the server responded. */
  readonly status?: number;
  /** An excerpt of the provider's error response: at most 2 KB, without keys. */
  readonly excerpt?: string;
}

/**
 * The events of a stream: any number of content events, then at most one `usage`, then exactly one `end` or `error`.
 * A `thinking-end` closes reasoning before another part starts; before an `end` every started call has ended.
 */
export type ProviderEvent = WireReplyEvent | ProviderErrorEvent;

/** Information for the user or the log that is not part of the reply. */
export type ProviderNotice =
  /** The call is retried after `waitMs`; `attempt` is the number of the failed attempt, from 1. */
  | {
      readonly type: 'retry';
      readonly attempt: number;
      /** The highest number of retries. */
      readonly retries: number;
      readonly waitMs: number;
      readonly error: ProviderErrorEvent;
    }
  /** A parameter was outside the provider's limits; `sent` is undefined if it was left out. */
  | { readonly type: 'parameter-changed'; readonly name: string; readonly asked: Json; readonly sent?: Json }
  /** A block of an unsupported type was sent in another form or left out. */
  | { readonly type: 'block-lowered'; readonly blockType: string; readonly role: Role }
  /** A file was sent as its text, because the model does not accept such files. */
  | { readonly type: 'file-as-text'; readonly name: string }
  /** Only the beginning of a file's text was sent. */
  | { readonly type: 'file-cut'; readonly name: string }
  /** A file or an image was not sent: the files of the conversation are larger than the limit, in bytes. */
  | { readonly type: 'file-left-out'; readonly name: string; readonly limit: number }
  /** A file or an image was not sent, because its bytes are not in the store. */
  | { readonly type: 'file-missing'; readonly name: string };

/** Time and random numbers, injected so that tests are repeatable. */
export interface Clock {
  /** Returns the time in milliseconds since 1970. */
  now(): number;
  /** Resolves after so many milliseconds; rejects with the signal's reason if it aborts first. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
}

/** The options of one call besides the request. */
export interface ProviderCall {
  /** URL and key. Providers without a network ignore it. */
  readonly connection: HttpConnection;
  /** Aborting ends the stream immediately with `provider/aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** False requests a non-streamed response; kind and order of the events are the same. */
  readonly streaming?: boolean | undefined;
  readonly limits?: Partial<HttpLimits> | undefined;
  readonly clock?: Clock | undefined;
  /** The capabilities of the model, if it is known to support less than the provider. */
  readonly capabilities?: ModelCapabilities | undefined;
  /** Milliseconds between two words, for offline providers. */
  readonly paceMs?: number | undefined;
  readonly onNotice?: ((notice: ProviderNotice) => void) | undefined;
}

/** A range of numbers, both ends included. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
}

/** The supported parameters and their limits; a parameter that is absent here is not sent. */
export interface ParameterLimits {
  readonly temperature?: NumberRange;
  readonly topP?: NumberRange;
  /** The largest number of stop texts in one request. */
  readonly stop?: { readonly most: number };
  readonly seed?: NumberRange;
  readonly maxTokens?: NumberRange;
}

/** The features that a provider supports; each model may support fewer. */
export interface ProviderSupport {
  /** Block types that are sent unchanged; all others are converted by `lower` of the content package. */
  readonly blocks: readonly string[];
  readonly tools: boolean;
  readonly toolChoice: boolean;
  readonly thinking: boolean;
  readonly images: boolean;
  /** Whether the provider accepts system messages between other messages. */
  readonly systemInPlace: boolean;
  readonly seed: boolean;
  /** Whether the provider can stream responses; otherwise each response arrives as a whole. */
  readonly streaming: boolean;
}

/** A model as its provider's server describes it. */
export interface ListedModel {
  readonly id: string;
  readonly label?: string;
  readonly window?: number;
  readonly maxOut?: number;
  readonly price?: Price | null;
  readonly capabilities?: ModelCapabilities;
}

/** A provider with all defaults filled in. Its `stream` never throws or rejects and follows {@link ProviderEvent}. */
export interface Provider {
  /** The first part of `provider/model`. For a built-in provider it is also the name of its folder. */
  readonly name: string;
  /**
   * The name of the provider definition. It differs from `name` if the configuration uses another name. Signatures of
   * reasoning are valid only for the same kind.
   */
  readonly kind: string;
  /** The name that users see. */
  readonly label: string;
  /** Environment variables for the key, the preferred one first; empty if no key is needed. */
  readonly keyNames: readonly string[];
  /** Whether calls without a key are refused. */
  readonly keyRequired: boolean;
  /** The page where users get a key; null for a provider without keys. */
  readonly keyUrl: string | null;
  /** The default base URL; null for a provider without a network or without a default. */
  readonly baseUrl: string | null;
  readonly supports: ProviderSupport;
  readonly parameters: ParameterLimits;
  /** The model to use if only the provider is named; null if the provider has no default. */
  readonly defaultModel: string | null;
  /** Models that are always listed, for example built-in ones. */
  readonly models: readonly ListedModel[];
  /** Whether `models` is complete; then other names are refused without a request. */
  readonly closed: boolean;
  stream(request: ProviderRequest, call: ProviderCall): AsyncIterable<ProviderEvent>;
  /**
   * Returns the request with the parameters that would be sent. Messages are not changed, and no notices are reported.
   */
  fit(request: ProviderRequest, call: Pick<ProviderCall, 'capabilities'>): ProviderRequest;
  /** Returns the models that the server lists; empty if it cannot be reached or lists none. Never throws. */
  listModels(call: ProviderCall): Promise<readonly ListedModel[]>;
  /** Like {@link Provider.listModels}, but rejects with the error, to test a URL and its key. */
  tryModels(call: ProviderCall): Promise<readonly ListedModel[]>;
  /** Returns whether a block can be sent to a model unchanged; otherwise it is sent as text. */
  accepts(block: Block, role: Role, model: string, capabilities?: ProviderCall['capabilities']): boolean;
  /**
   * Returns the server's description of one of its models; null if it cannot be reached or does not know the model.
   * Never throws.
   */
  describeModel(model: string, call: ProviderCall): Promise<ListedModel | null>;
}

/** The fields that define a provider; `defineProvider` adds defaults for the others. */
export interface ProviderSpec {
  readonly name: string;
  readonly label: string;
  readonly keyNames?: readonly string[];
  readonly keyRequired?: boolean;
  readonly keyUrl?: string;
  readonly baseUrl: string | null;
  readonly supports: ProviderSupport;
  readonly parameters: ParameterLimits;
  readonly defaultModel?: string | null;
  readonly models?: readonly ListedModel[];
  readonly closed?: boolean;
  /**
   * Returns whether a block of a supported type can be sent unchanged. For example, an image URL cannot be sent to a
   * provider that accepts only bytes.
   */
  takes?(block: Block, role: Role, model: string): boolean;
  /** Returns the limits of a model, if they differ from `parameters`. */
  parametersOf?(model: string): ParameterLimits;
  /** Resolves parameters that exclude each other, after each was clamped; calls `changed` for every change. */
  adjust?(request: ProviderRequest, changed: ReportParameterChange): ProviderRequest;
  stream(request: ProviderRequest, call: ProviderCall): AsyncIterable<ProviderEvent>;
  listModels?(call: ProviderCall): Promise<readonly ListedModel[]>;
  /** For services that list their models without a key: rejects if the key is invalid. */
  checkKey?(call: ProviderCall): Promise<unknown>;
  /** For servers with models outside the catalogue: called once before such a model is used, to learn its window. */
  describeModel?(model: string, call: ProviderCall): Promise<ListedModel | null>;
}
