/** Logs one line per request: route pattern, caller and status, but never headers, body or query. */
import type { ServerContext } from '../env.ts';

/** Adds a finished request to the metrics and the log. */
export function logRequest(context: ServerContext, began: number): void {
  const { log, metrics, now } = context.get('services');
  const { method } = context.req;
  const route = context.get('pattern') ?? 'page';
  const status = context.get('status');
  const ms = now() - began;
  metrics.count(method, route, status, ms);
  const failure = context.get('failure');
  const isFault = status >= 500 && failure !== undefined && status !== 503 && status !== 507;
  if (!log.isLevelEnabled(isFault ? 'error' : 'info')) return;
  const line = {
    id: context.get('requestId'),
    method,
    route,
    status,
    ms,
    user: context.get('caller')?.actor,
    ...(failure === undefined ? {} : { code: failure.code }),
  };
  if (isFault) log.error({ ...line, err: failure.thrown }, 'request failed');
  else log.info(line, 'request');
}
