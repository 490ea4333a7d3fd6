/** Refusals in the words of the service whose wire a call came over: its clients read no others. */
import { z } from '@hono/zod-openapi';

/** The services whose words are spoken. */
export type Service = 'openai' | 'anthropic';

/** What is refused, and how. The code is ours and stays the same on every wire. */
export interface WireRefusal {
  readonly status: number;
  readonly message: string;
  readonly code: string;
}

/** The service that a path below `/v1` belongs to; one that both have is Anthropic's where its version is named. */
export function serviceOf(path: string, header: (name: string) => string | undefined): Service {
  return /^messages(?:\/|$)/.test(path) || header('anthropic-version') !== undefined ? 'anthropic' : 'openai';
}

/** The service whose words a request is refused in; null where it is no call of a wire. */
export function spokenTo(path: string, header: (name: string) => string | undefined): Service | null {
  const [, below] = /^(?:\/p\/[^/]+)?\/v1\/(.*)$/.exec(path) ?? [];
  return below === undefined ? null : serviceOf(below, header);
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

function typeOf(service: Service, status: number): string {
  if (service === 'anthropic') return anthropicTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}

/** A refusal as clients of a service read it. */
export function wireRefusal(service: Service, { status, message, code }: WireRefusal): object {
  const type = typeOf(service, status);
  if (service === 'anthropic') return { type: 'error', error: { type, message, code } };
  return { error: { message, type, param: null, code } };
}

const said = { message: z.string(), type: z.string(), code: z.string() };

/** What refusals look like to clients of each service. */
export const wireProblems = {
  anthropic: z.object({ type: z.literal('error'), error: z.object(said) }).openapi('AnthropicProblem'),
  openai: z.object({ error: z.object({ ...said, param: z.null() }) }).openapi('OpenAiProblem'),
};
