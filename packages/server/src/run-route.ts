/** From a request to a route's answer: who calls, what they bring, what they get. The same for all routes. */
import type { ContentfulStatusCode, StatusCode } from 'hono/utils/http-status';
import type { Caller } from './caller.ts';
import type { ServerContext } from './env.ts';
import { authorise } from './middleware/auth.ts';
import { checkMediaType, readBody, readJson } from './middleware/limits.ts';
import type { RawReply, Reply, Route, Scope } from './routes/define.ts';

const nobody: Caller = { owner: '', actor: '', name: '', role: 'viewer', by: 'bearer' };

/** The handler of a route. */
export function runRoute(route: Route): (context: ServerContext) => Promise<Response> {
  const { needs } = route;
  return async (context) => {
    context.set('pattern', route.path);
    const services = context.get('services');
    const caller = needs.access === 'open' ? nobody : await authorise(context, needs.access);
    if (needs.access !== 'open') services.usage.request(caller.owner);
    if (route.method !== 'get') checkMediaType(context, needs);
    const most = services.limits[needs.limit];
    const body = needs.body === 'json' ? await readJson(context, services, most) : undefined;
    const scope: Scope = {
      caller,
      services,
      room: services.roomOf(needs.access === 'open' ? services.store.owner : caller.owner),
      signal: context.req.raw.signal,
      header: (name) => context.req.header(name),
      bytes: () => readBody(context, most),
    };
    const given = { params: context.req.param(), query: context.req.query(), body };
    return send(context, route, await route.answerTo(scope, given));
  };
}

function send(context: ServerContext, route: Route, answer: Reply<unknown> | RawReply): Response {
  if ('raw' in answer) {
    for (const [name, value] of Object.entries(answer.headers)) context.header(name, value);
    const { raw, status } = answer;
    // The types tell statuses with a body from those without; the routes know which theirs are.
    return raw === null ? context.body(null, status as StatusCode) : context.body(raw, status as ContentfulStatusCode);
  }
  for (const [name, value] of Object.entries(answer.headers ?? {})) context.header(name, value);
  if (answer.version !== undefined) context.header('ETag', `"${answer.version}"`);
  context.header('Content-Type', 'application/json; charset=utf-8');
  const text = answer.text ?? JSON.stringify(answer.value);
  return context.body(text, (answer.status ?? route.status) as ContentfulStatusCode);
}
