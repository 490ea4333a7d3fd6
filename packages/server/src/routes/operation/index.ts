/** The routes for operators: health, metrics and the API reference. */
import { z } from '@hono/zod-openapi';
import { referenceContentPolicy } from '../../reference-page.ts';
import { anyObjectSchema } from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';

const health = z.object({ status: z.enum(['ok', 'unavailable']) });

const recorderHealth = z.object({
  health: z.enum(['recording', 'paused', 'behind', 'failing']),
  waiting: z.number(),
  spilled: z.number(),
  dropped: z.number(),
  failed: z.number(),
  unacknowledged: z.number(),
});

const healthz = defineRoute({
  method: 'get',
  path: '/healthz',
  name: 'getHealth',
  summary: 'Reports that the process is running, and counts of recorded calls. Needs no authentication.',
  needs: { access: 'open' },
  answer: health.extend({ recorder: recorderHealth }),
  handle({ services }) {
    const { recorder } = services;
    // Another process may have acknowledged failed calls. The response does not wait for reading them.
    void recorder.refreshFailed();
    const { health: word, waiting, spilled, dropped, failed, unacknowledged } = recorder.state;
    const reported = { health: word, waiting, spilled, dropped, failed, unacknowledged };
    return toReply({ status: 'ok' as const, recorder: reported });
  },
});

const readyz = defineRoute({
  method: 'get',
  path: '/readyz',
  name: 'getReadiness',
  summary: 'Reports whether the store is available, with status 503 if it is not.',
  needs: { access: 'open' },
  answer: health,
  async handle({ services }) {
    try {
      await services.store.trees({ limit: 1 });
      return toReply({ status: 'ok' as const });
    } catch (error) {
      services.log.warn({ err: error }, 'the store does not respond');
      return toReply({ status: 'unavailable' as const }, { status: 503 });
    }
  },
});

const metrics = defineRoute({
  method: 'get',
  path: '/metrics',
  name: 'getMetrics',
  summary: 'Returns metrics in the text format of Prometheus. Only admins may read them.',
  needs: { access: 'admin' },
  produces: 'text/plain',
  answer: z.string(),
  handle: ({ services }) => ({
    raw: services.metrics.text(),
    status: 200,
    headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
  }),
});

const openapi = defineRoute({
  method: 'get',
  path: '/api/openapi.json',
  name: 'getOpenApi',
  summary: 'Returns this API as an OpenAPI 3.1 document.',
  needs: { access: 'open' },
  answer: anyObjectSchema,
  handle: ({ services }) => ({ text: services.reference.document() }),
});

const docs = defineRoute({
  method: 'get',
  path: '/api/docs',
  name: 'getReference',
  summary: 'Returns the reference of this API as an HTML page without external resources.',
  needs: { access: 'open' },
  produces: 'text/html',
  answer: z.string(),
  handle: ({ services }) => ({
    raw: services.reference.page(),
    status: 200,
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': referenceContentPolicy },
  }),
});

export const operationRoutes = [healthz, readyz, metrics, openapi, docs];
