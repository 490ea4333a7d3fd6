/** The OpenAPI document, generated from the table of routes. */
import { OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import type { RouteDefinition } from './routes/define.ts';
import { problemSchema } from './wire/schemas.ts';

/** The version of the API in the document. Raise it with every change of a documented part. */
export const apiVersion = '1.0.0';

const description = `Conversations as trees: every message has one parent and any number of variants, and whatever changes a tree is a
list of steps under one version.

Every answer about a tree has its version as \`ETag\`. A write that changes structure or content says which version it
has seen (\`If-Match: "12"\`, or \`expectedVersion\`), else it is refused with 428; a stale one is refused with 409, the
present version and the commits since. Writes that only add take \`onConflict=branch\` and are then kept as a sibling.
Ids that a client chooses make a retry harmless. Refusals are \`{ "error": { code, kind, message, data } }\`; below
\`/v1\` they are those of the service whose wire it is, with the same codes.`;

const statusWords: Readonly<Record<number, string>> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Started.',
  206: 'A range of the bytes.',
  304: 'Not modified.',
  400: 'The request is invalid.',
  401: 'The token is missing or invalid.',
  403: 'Not allowed for this caller, host or origin.',
  404: 'Not found, or owned by another user.',
  409: 'The tree has changed since, or an id is taken.',
  413: 'The body is too large.',
  415: 'Unsupported media type.',
  422: 'Not possible in the current state.',
  428: 'The expected version is missing.',
  429: 'Too many requests.',
};

/** Builds the OpenAPI document of the routes. */
export function buildOpenApiDocument(routes: readonly RouteDefinition[]): object {
  const app = new OpenAPIHono();
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  app.openAPIRegistry.registerComponent('securitySchemes', 'cookie', {
    type: 'apiKey',
    in: 'cookie',
    name: 'coppice',
  });
  for (const route of routes) app.openAPIRegistry.registerPath(openApiPath(route));
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Coppice', version: apiVersion, description, license: { name: 'MIT' } },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name })),
  });
}

function tagOf({ path }: RouteDefinition): string {
  const [, first = 'server', , third] = path.replace(/^\/api/, '').split('/');
  return first === 'trees' && third !== undefined ? third.replace(/^\{.*$/, 'trees') : first;
}

function openApiPath(route: RouteDefinition): RouteConfig {
  const { needs, body, query } = route;
  const params = z.object(Object.fromEntries(route.parameters.map((name) => [name, parameterOf(name)])));
  const content =
    needs.body === 'bytes'
      ? { '*/*': { schema: z.string().openapi({ format: 'binary' }) } }
      : { 'application/json': { schema: body ?? z.object({}) } };
  const ifMatch = z.object({
    'if-match': z
      .string()
      .optional()
      .openapi({ description: 'The version of the tree that was seen, in quotes.', example: '"12"' }),
  });
  return {
    method: route.method,
    path: route.path,
    operationId: route.name,
    summary: route.summary,
    ...(route.deprecated === null ? {} : { deprecated: true, description: `Use ${route.deprecated.use} instead.` }),
    tags: [tagOf(route)],
    ...(needs.access === 'open' ? { security: [] } : { security: [{ token: [] }, { cookie: [] }] }),
    request: {
      ...(route.parameters.length === 0 ? {} : { params }),
      ...(query === null ? {} : { query }),
      ...(needs.version === 'none' ? {} : { headers: ifMatch }),
      ...(needs.body === 'none' ? {} : { body: { content, required: needs.body === 'bytes' || isRequired(body) } }),
    },
    responses: responsesOf(route),
  };
}

function isRequired(body: z.ZodType | null): boolean {
  return body !== null && !body.safeParse(undefined).success;
}

function parameterOf(name: string): z.ZodType {
  if (name === 'tree' || name === 'node' || name === 'act') return z.string().openapi({ format: 'uuid' });
  if (name === 'version') return z.int().min(1);
  return z.string();
}

function responsesOf(route: RouteDefinition): RouteConfig['responses'] {
  const { needs } = route;
  const refusals = [
    400,
    ...(needs.access === 'open' ? [] : [401]),
    403,
    ...(route.parameters.length === 0 ? [] : [404]),
    ...(route.method === 'get' ? [] : [409, 415, 422]),
    ...(needs.body === 'none' ? [] : [413]),
    ...(needs.version === 'required' ? [428] : []),
    429,
  ];
  const successes = [route.status, ...route.also].map((status) => [
    status,
    {
      description: statusWords[status] ?? 'Success.',
      ...(status === 304 ? {} : { content: { [route.produces]: { schema: route.answer } } }),
    },
  ]);
  return {
    ...Object.fromEntries(successes),
    default: {
      description: refusals.map((status) => `${status}: ${statusWords[status]}`).join(' '),
      content: { 'application/json': { schema: route.refusal ?? problemSchema } },
    },
  };
}
