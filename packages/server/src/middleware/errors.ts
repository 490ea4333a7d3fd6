/** The one place where something thrown becomes an answer. */
import type { Refusal } from '@coppice/core';
import { requestHeader, type ServerContext } from '../env.ts';
import { httpRefusalOf, httpStatusOf } from '../http-errors.ts';
import { spokenTo, wireRefusal } from '../proxy/wire-refusal.ts';
import { respond } from './security-headers.ts';

/** Answers with a refusal. */
export function answerRefusal(context: ServerContext, refusal: Refusal): Response {
  const status = httpStatusOf(refusal);
  const { code, kind, message, data } = refusal;
  const { version, allow, size } = data;
  const service = spokenTo(context.req.path, (name) => requestHeader(context, name));
  const reported =
    service === null ? { error: { code, kind, message, data } } : wireRefusal(service, { status, message, code });
  return respond(context, JSON.stringify(reported), status, {
    'Content-Type': 'application/json; charset=utf-8',
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer realm="coppice"' } : {}),
    ...(status === 429 || status === 503 ? { 'Retry-After': retryAfterHeader(refusal) } : {}),
    // The rest of a body that does not come would be waited for before the next request.
    ...(status === 408 || code === 'http/closing' ? { Connection: 'close' } : {}),
    // How HTTP itself tells what would have been right, for programs that know no words of ours.
    ...(code === 'http/method' && typeof allow === 'string' ? { Allow: allow } : {}),
    ...(code === 'http/range' && typeof size === 'number' ? { 'Content-Range': `bytes */${size}` } : {}),
    ...(code === 'tree/version-conflict' && typeof version === 'number' ? { ETag: `"${version}"` } : {}),
  });
}

function retryAfterHeader(refusal: Refusal): string {
  const { retryAfterMs } = refusal.data;
  return String(typeof retryAfterMs === 'number' ? Math.max(1, Math.ceil(retryAfterMs / 1000)) : 1);
}

/** What a thrown value answers. What nobody foresaw is in the log in full and in the answer not at all. */
export function failedAnswer(thrown: unknown, context: ServerContext): Response {
  const refusal = httpRefusalOf(thrown);
  context.set('failure', { code: refusal.code, thrown });
  return answerRefusal(context, refusal);
}
