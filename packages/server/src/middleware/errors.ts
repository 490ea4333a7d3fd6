/** The one place where something thrown becomes an answer. */
import type { Refusal } from '@coppice/core';
import type { ErrorHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ServerContext, ServerEnv } from '../env.ts';
import { refusalOf, statusOf } from '../http-errors.ts';

/** Answers with a refusal. */
export function answerRefusal(context: ServerContext, refusal: Refusal): Response {
  const status = statusOf(refusal);
  if (status === 401) context.header('WWW-Authenticate', 'Bearer realm="coppice"');
  const wait = status === 429 || status === 503 ? retryAfter(refusal) : null;
  if (wait !== null) context.header('Retry-After', wait);
  const { version } = refusal.data;
  if (refusal.code === 'tree/version-conflict' && typeof version === 'number') context.header('ETag', `"${version}"`);
  context.header('Content-Type', 'application/json; charset=utf-8');
  const { code, kind, message, data } = refusal;
  // 499 is no status of the Fetch standard's lists, but any number from 200 to 599 may be sent.
  return context.body(JSON.stringify({ error: { code, kind, message, data } }), status as ContentfulStatusCode);
}

function retryAfter(refusal: Refusal): string {
  const { retryAfterMs } = refusal.data;
  return String(typeof retryAfterMs === 'number' ? Math.max(1, Math.ceil(retryAfterMs / 1000)) : 1);
}

/** What a thrown value answers. What nobody foresaw is in the log in full and in the answer not at all. */
export const onError: ErrorHandler<ServerEnv> = (thrown, context) => {
  const refusal = refusalOf(thrown);
  context.set('failure', { code: refusal.code, thrown });
  return answerRefusal(context, refusal);
};
