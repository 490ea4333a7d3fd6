/** Formats errors like the service whose API a call uses, because its clients understand no other format. */
import { z } from '@hono/zod-openapi';

/** The services whose error formats are supported. */
export type WireService = 'openai' | 'anthropic' | 'google';

/** An error of Coppice. Its code is the same in every format. */
export interface ProxyErrorDetails {
  readonly status: number;
  readonly message: string;
  readonly code: string;
}

/** The parts of a call's path: the version, and the path below it. */
export interface CallPath {
  /** The version, for Google's uploads with `upload/` before it. */
  readonly version: string;
  readonly path: string;
}

// Google's methods follow a colon, even below `/v1`.
const googleMethod = /^(?:models|tunedModels)\/[^/]+:[a-zA-Z]+$/;

/** Returns the service of a path. For a path of two services, the Anthropic version header decides. */
export function wireServiceOf({ version, path }: CallPath, header: (name: string) => string | undefined): WireService {
  if (version !== 'v1' || googleMethod.test(path)) return 'google';
  return /^messages(?:\/|$)/.test(path) || header('anthropic-version') !== undefined ? 'anthropic' : 'openai';
}

/** Splits the path of a request, with or without a project; null if it is not a call of a wire. */
export function parseCallPath(path: string): CallPath | null {
  const [, version, below] = /^(?:\/p\/[^/]+)?\/((?:upload\/)?v1(?:beta|alpha)?)\/(.*)$/.exec(path) ?? [];
  return version === undefined || below === undefined ? null : { version, path: below };
}

/** Returns the service whose error format a request needs; null if it is not a call of a wire. */
export function findWireService(path: string, header: (name: string) => string | undefined): WireService | null {
  const parts = parseCallPath(path);
  return parts === null ? null : wireServiceOf(parts, header);
}

const anthropicTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const googleStatuses: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

function googleRefusal({ status, message, code }: ProxyErrorDetails): object {
  const word = googleStatuses[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code, domain: 'coppice' }];
  return { error: { code: status, message, status: word, details } };
}

function typeOf(service: WireService, status: number): string {
  if (service === 'anthropic') return anthropicTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}

/** Returns an error in the format of a service. */
export function formatWireError(service: WireService, refusal: ProxyErrorDetails): object {
  if (service === 'google') return googleRefusal(refusal);
  const { status, message, code } = refusal;
  const type = typeOf(service, status);
  if (service === 'anthropic') return { type: 'error', error: { type, message, code } };
  return { error: { message, type, param: null, code } };
}

const said = { message: z.string(), type: z.string(), code: z.string() };

/** The error schemas of each service. */
export const wireErrorSchemas = {
  anthropic: z.object({ type: z.literal('error'), error: z.object(said) }).openapi('AnthropicProblem'),
  openai: z.object({ error: z.object({ ...said, param: z.null() }) }).openapi('OpenAiProblem'),
};
