/** One line per request: what was asked for by pattern, by whom, how it ended. No header, body or query is ever written. */
import { createMiddleware } from 'hono/factory';
import type { ServerEnv } from '../env.ts';

/** Writes the line when the answer is there. */
export const requestLog = createMiddleware<ServerEnv>(async (context, next) => {
  const services = context.get('services');
  const began = services.now();
  context.set('began', began);
  await next();
  const { log } = services;
  const { status } = context.res;
  const failure = context.get('failure');
  services.metrics.count(context.req.method, context.get('pattern') ?? 'page', status, services.now() - began);
  if (!log.isLevelEnabled('info')) return;
  const line = {
    method: context.req.method,
    route: context.get('pattern') ?? 'page',
    status,
    ms: services.now() - began,
    user: context.get('caller')?.actor,
    ...(failure === undefined ? {} : { code: failure.code }),
  };
  if (status >= 500 && failure !== undefined && status !== 503 && status !== 507) {
    log.error({ ...line, err: failure.thrown }, 'request failed');
    return;
  }
  log.info(line, 'request');
});
