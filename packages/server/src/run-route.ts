/** Runs a route: authenticates the caller, parses the input and sends the response. */
import { utf8Length } from '@coppice/content';
import { announceDeprecation } from '@coppice/core';
import { printDeprecation } from '#platform/system';
import type { Caller } from './caller.ts';
import { chooseEncoding, compressText, minLengthToCompress } from './encodings.ts';
import { hostOf, readRequestHeader, readRequestHeaders, type ServerContext } from './env.ts';
import { throwHttpError } from './http-errors.ts';
import { authoriseCaller } from './middleware/auth.ts';
import { createResponse } from './middleware/create-response.ts';
import { assertMediaType, type BodyLimits, readBody, readJson, streamBody } from './middleware/limits.ts';
import type { RawReply, RouteDefinition, RouteReply, RouteScope } from './routes/define.ts';

const anonymousCaller: Caller = { owner: '', actor: '', name: '', role: 'viewer', by: 'bearer', credential: null };

export function runRoute(route: RouteDefinition): (context: ServerContext) => Promise<Response> {
  const { needs } = route;
  return async (context) => {
    context.set('pattern', route.path);
    const services = context.get('services');
    const changed = services.sync();
    if (changed !== null) await changed;
    const caller = needs.access === 'open' ? anonymousCaller : await authoriseCaller(context, needs.access);
    const counted = needs.access === 'open' ? null : services.usage.request(caller.owner);
    if (counted !== null) await counted;
    // A client does not read the body of a HEAD response, so a stream would never be closed.
    if (needs.stream && context.req.method === 'HEAD')
      return createResponse(context, null, 200, { 'Content-Type': route.produces });
    if (route.method !== 'get') assertMediaType(context, needs);
    const most = services.limits[needs.limit];
    const body = needs.body === 'json' ? await readJson(context, services, most) : undefined;
    const bounds: BodyLimits = { most, kind: needs.limit === 'bodyBytes' ? 'json' : 'upload' };
    const scope: RouteScope = {
      caller,
      services,
      ownerServices: services.ownerServicesOf(needs.access === 'open' ? services.store.owner : caller.owner),
      // Created on first use, because most responses are complete before a client could disconnect.
      get signal() {
        return context.req.raw.signal;
      },
      header: (name) => readRequestHeader(context, name),
      headers: () => readRequestHeaders(context),
      method: context.req.method,
      path: context.req.path,
      get host() {
        return hostOf(context);
      },
      search: () => new URL(context.req.url).search,
      bytes: (limit = most) => readBody(context, { ...bounds, most: limit }),
      chunks: () => streamBody(context, bounds),
    };
    const given = { params: context.req.param(), query: context.req.query(), body };
    if (route.query !== null) assertNoRepeatedParameter(context, Object.keys(route.query.shape));
    const answer = await route.answerTo(scope, given);
    // A client does not read the body of a HEAD response, so the stream must be closed here.
    if (context.req.method === 'HEAD' && 'raw' in answer && answer.raw instanceof ReadableStream) {
      await answer.raw.cancel();
      return sendReply(context, route, { ...answer, raw: null });
    }
    return sendReply(context, route, answer);
  };
}

/**
 * Refuses a query in which a parameter of the route is given twice, because only one of the values could be used. The
 * proxy passes other parameters on, however often they are given.
 */
function assertNoRepeatedParameter(context: ServerContext, names: readonly string[]): void {
  for (const name of names)
    if ((context.req.queries(name)?.length ?? 0) > 1)
      throwHttpError('http/invalid', `query.${name} is given more than once.`, { at: `query.${name}` });
}

async function sendReply(
  context: ServerContext,
  route: RouteDefinition,
  answer: RouteReply<unknown> | RawReply,
): Promise<Response> {
  const warned = deprecationHeaders(route);
  if ('raw' in answer) return createResponse(context, answer.raw, answer.status, { ...warned, ...answer.headers });
  const text = answer.text ?? JSON.stringify(answer.value);
  const status = answer.status ?? route.status;
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    ...warned,
    ...(answer.version === undefined ? {} : { ETag: `"${answer.version}"` }),
    ...answer.headers,
  };
  if (text === undefined || text.length < minLengthToCompress) return createResponse(context, text, status, headers);
  // CORS has set `Vary` already. This header must not replace it.
  const other = context.get('cors')?.Vary;
  const vary = { ...headers, Vary: other === undefined ? 'Accept-Encoding' : `${other}, Accept-Encoding` };
  const encoding = chooseEncoding(readRequestHeader(context, 'accept-encoding'));
  if (encoding === null) return createResponse(context, text, status, vary);
  const body = context.req.method === 'HEAD' ? null : await compressText(text, encoding);
  return createResponse(context, body, status, {
    ...vary,
    'Content-Encoding': encoding,
    // A page uses this length to show the progress of a large response.
    'X-Uncompressed-Length': String(utf8Length(text)),
  });
}

/**
 * Announces a deprecated route: to the client by the header of RFC 9745, and to the operator once in the log of the
 * process.
 */
function deprecationHeaders({ method, path, deprecated }: RouteDefinition): Readonly<Record<string, string>> {
  if (deprecated === null) return {};
  announceDeprecation({ name: `${method.toUpperCase()} ${path}`, ...deprecated }, printDeprecation);
  return { Deprecation: `@${Date.parse(deprecated.on) / 1000}` };
}
