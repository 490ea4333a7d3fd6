/**
 * Forwards calls on all other paths below the version prefix of a model API, with any method. Of these, only Google's
 * generateContent and streamGenerateContent are recorded. These paths are not part of our API, so they are not in the
 * table of routes.
 */
import { z } from '@hono/zod-openapi';
import { throwHttpError } from '../../http-errors.ts';
import { proxyCall } from '../../proxy/proxy.ts';
import { parseCallPath } from '../../proxy/wire-error.ts';
import { defineRoute, type HttpMethod, type RouteDefinition, type RouteScope } from '../define.ts';

const methods: readonly HttpMethod[] = ['get', 'post', 'put', 'patch', 'delete'];
// Google takes files below `upload/`.
const versions = ['v1', 'v1beta', 'v1alpha'].flatMap((version) => [version, `upload/${version}`]);

// Google's calls that are recorded. The path contains the model before the method.
const recordedMethod = /^(?:models|tunedModels)\/[^/]+:(?:generateContent|streamGenerateContent)$/;

// A browser sends these media types without a preflight request. So a call with one of them needs a token in a header.
const form = /^(?:multipart\/form-data|application\/x-www-form-urlencoded|text\/plain)\b/i;

/** Refuses a form that a page of another site could send with the user's cookie. */
function refuseForm({ caller, method, header }: Pick<RouteScope, 'caller' | 'method' | 'header'>): void {
  if (method === 'POST' && caller.by === 'cookie' && form.test(header('content-type') ?? ''))
    throwHttpError('http/media-type', 'A form is forwarded only with the token in a header.');
}

function hasBody(header: RouteScope['header']): boolean {
  return header('transfer-encoding') !== undefined || (header('content-length') ?? '0') !== '0';
}

function otherCall(method: HttpMethod, base: string, version: string): RouteDefinition {
  return defineRoute({
    method,
    path: `${base}/${version}/{rest}`,
    name: `${method}OtherCall`,
    summary: 'Forwards a call without recording it.',
    // The operator's key can do more than list models, so viewers must not use it.
    needs: { access: 'write', body: method === 'get' ? 'none' : 'any', limit: 'forwardedBytes' },
    query: z.looseObject({}),
    answer: z.unknown(),
    async handle(call) {
      const { services, caller, signal, header, headers, params } = call;
      const parts = parseCallPath(call.path) ?? throwHttpError('http/not-found', 'There is no such path.');
      refuseForm(call);
      const project = 'name' in params && typeof params.name === 'string' ? params.name : undefined;
      const to = { ...parts, method: call.method, project, search: call.search() };
      const wire = method === 'post' && recordedMethod.test(parts.path) ? 'google' : null;
      const body = wire === null ? null : await call.bytes(services.limits.proxyBytes);
      // Only a call that is recorded is read into memory. A file may be larger.
      const chunks = wire === null && method !== 'get' && hasBody(header) ? call.chunks() : null;
      return proxyCall({ services, caller, signal, header, headers, wire, body, chunks, ...to });
    },
  });
}

/** A route for each method and version, with and without a project. */
export const catchAllProxyRoutes: readonly RouteDefinition[] = ['', '/p/{name}'].flatMap((base) =>
  versions.flatMap((version) => methods.map((method) => otherCall(method, base, version))),
);
