/** Converts thrown errors to responses. */
import type { Refusal } from '@coppice/core';
import { readRequestHeader, type ServerContext } from '../env.ts';
import { httpStatusOf, toHttpRefusal } from '../http-errors.ts';
import { findWireService, formatWireError } from '../proxy/wire-error.ts';
import { createResponse } from './create-response.ts';
import { isBodyArriving, streamUntilRequestEnds } from './unread-body.ts';

export function toRefusalResponse(context: ServerContext, refusal: Refusal): Response {
  const status = httpStatusOf(refusal);
  const { code, kind, message, data } = refusal;
  const { version, allow, size } = data;
  const service = findWireService(context.req.path, (name) => readRequestHeader(context, name));
  const reported =
    service === null ? { error: { code, kind, message, data } } : formatWireError(service, { status, message, code });
  const text = JSON.stringify(reported);
  // The server waits neither for a body that arrives too slowly, nor for any body during a shutdown.
  const closes = status === 408 || code === 'http/closing';
  const drains = !closes && isBodyArriving(context);
  return createResponse(context, drains ? streamUntilRequestEnds(context, text) : text, status, {
    'Content-Type': 'application/json; charset=utf-8',
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer realm="coppice"' } : {}),
    ...(status === 429 || status === 503 ? { 'Retry-After': retryAfterHeader(refusal) } : {}),
    // Without closing, the next request on this connection would wait for the rest of this body.
    ...(closes || drains ? { Connection: 'close' } : {}),
    // With its length, the response is complete for the client before the connection closes.
    ...(drains ? { 'Content-Length': String(new TextEncoder().encode(text).byteLength) } : {}),
    // The standard headers name the accepted values for clients that do not know our error format.
    ...(code === 'http/method' && typeof allow === 'string' ? { Allow: allow } : {}),
    ...(code === 'http/range' && typeof size === 'number' ? { 'Content-Range': `bytes */${size}` } : {}),
    ...(code === 'tree/version-conflict' && typeof version === 'number' ? { ETag: `"${version}"` } : {}),
  });
}

function retryAfterHeader(refusal: Refusal): string {
  const { retryAfterMs } = refusal.data;
  return String(typeof retryAfterMs === 'number' ? Math.max(1, Math.ceil(retryAfterMs / 1000)) : 1);
}

/** Returns the response for a thrown value. Unexpected errors are logged in full; the response has no details. */
export function toErrorResponse(thrown: unknown, context: ServerContext): Response {
  const refusal = toHttpRefusal(thrown);
  context.set('failure', { code: refusal.code, thrown });
  return toRefusalResponse(context, refusal);
}
