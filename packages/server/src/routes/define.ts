/** The definition of routes. Requirements of all routes are data, so that one test can check each route. */
import {
  type ConversationFormat,
  type Deprecation,
  parseActId,
  parseNodeId,
  parseTreeId,
  type Result,
  treeId,
  unwrapResult,
} from '@coppice/core';
import { z } from '@hono/zod-openapi';
import type { Caller } from '../caller.ts';
import { throwHttpError } from '../http-errors.ts';
import { formatOfTree, resolveTree } from '../resolve-tree.ts';
import type { OwnerServices, SharedServices } from '../services.ts';
import { conversationFormatSchema } from '../wire/schemas.ts';

/** Who may call a route: anyone, readers, writers (not viewers), or admins of a shared server. */
export type RouteAccess = 'open' | 'read' | 'write' | 'admin';

/** The requirements of a route, checked before its handler runs. */
export interface RouteRequirements {
  readonly access: RouteAccess;
  /**
   * `required`: a write of structure or content, refused with 428 without a version. `optional`: a version is checked
   * if it is present.
   */
  readonly version: 'required' | 'optional' | 'none';
  /** The kind of body. `bytes` is an attachment or a file to import; `any` may also be a form or compressed. */
  readonly body: 'json' | 'bytes' | 'any' | 'none';
  /** The size limit of the body. */
  readonly limit: 'bodyBytes' | 'proxyBytes' | 'attachmentBytes' | 'importBytes';
  /** Whether the response stays open; such responses are counted per user. */
  readonly stream: boolean;
}

/** The deprecation of a route. `on` is the first day of the deprecation, for example `2027-01-31`. */
export interface RouteDeprecation extends Omit<Deprecation, 'name'> {
  readonly on: string;
}

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The parsers of path parameters, by name. */
export const pathParameters = {
  tree: parseInput(parseTreeId),
  node: parseInput(parseNodeId),
  act: parseInput(parseActId),
  version: (text: string) =>
    /^[1-9]\d{0,14}$/.test(text)
      ? Number(text)
      : throwHttpError('http/invalid', 'A version must be a whole number from 1.'),
  hash: (text: string) =>
    /^[0-9a-f]{64}$/.test(text)
      ? text
      : throwHttpError('http/invalid', 'An attachment is identified by its SHA-256 in hex.'),
  id: (text: string) => shortText(text, 'id'),
  token: (text: string) => shortText(text, 'token'),
  call: (text: string) => shortText(text, 'call'),
  name: (text: string) => shortText(text, 'name'),
  rest: (text: string) => text,
} as const satisfies Record<string, (text: string) => unknown>;

type ParameterName = keyof typeof pathParameters;

function parseInput<T>(parse: (value: unknown) => Result<T>): (text: string) => T {
  return (text) => unwrapResult(parse(text));
}

function shortText(text: string, what: string): string {
  if (text !== '' && text.length <= 512) return text;
  return throwHttpError('http/invalid', `The ${what} in the path has between 1 and 512 characters.`);
}

/** The names in the braces of a path. */
type NamesIn<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** The parsed parameters of a path. */
type RouteParameters<P extends string> = {
  readonly [N in NamesIn<P> & ParameterName]: ReturnType<(typeof pathParameters)[N]>;
};

/** The data and functions that a handler gets besides the parsed request. */
export interface RouteScope {
  readonly caller: Caller;
  readonly services: SharedServices;
  readonly ownerServices: OwnerServices;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** A header of the request, by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** All headers of the request, by their names in lower case. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** The method of the request. A GET route also handles HEAD. */
  readonly method: string;
  /** The path as received. */
  readonly path: string;
  /** The requested `Host`. */
  readonly host: string;
  /** The query string as received: empty, or with its question mark. */
  readonly search: () => string;
  /** The body of a route that accepts bytes, up to its limit. */
  readonly bytes: () => Promise<Uint8Array<ArrayBuffer>>;
  /** The body as a stream, for bodies that are too large for memory. */
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

/** A parsed and validated call of a route. */
export interface RouteCall<P, Q, B> extends RouteScope {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly expectedVersion: number | undefined;
  readonly onConflict: 'branch' | undefined;
}

/** The raw input of a request. */
interface RawInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A response: a value or prepared JSON text, with its headers. */
export interface RouteReply<A> {
  readonly value?: A;
  /** Serialised JSON with the same shape as the value. */
  readonly text?: string;
  /** The version of the tree in the response. */
  readonly version?: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response that is not JSON: a stream, bytes, a page. */
export interface RawReply {
  readonly raw: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string | null;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The value that a handler returns. The storage format of the tree is added for all routes in one place. */
type HandlerResult<A> = A extends { readonly conversation_format: ConversationFormat }
  ? Omit<A, 'conversation_format'> & { readonly conversation_format?: ConversationFormat }
  : A;

/** The definition of a route. */
export interface RouteSpec<P extends string, Q extends z.ZodObject, B extends z.ZodType, A extends z.ZodType> {
  readonly method: HttpMethod;
  /** The path with parameters in braces, for example `/api/trees/{tree}`. */
  readonly path: P;
  /** The name of the operation in the document and in generated clients. */
  readonly name: string;
  readonly summary: string;
  readonly needs?: Partial<RouteRequirements>;
  readonly query?: Q;
  readonly body?: B;
  readonly answer: A;
  /** The success status; by default 200. */
  readonly status?: number;
  /** Further success statuses whose responses have the same shape. */
  readonly also?: readonly number[];
  /** The media type of a response that is not JSON. */
  readonly produces?: string;
  /** The error schema, if it differs from that of Coppice. */
  readonly refusal?: z.ZodType;
  /** Marks a route that will be removed. Its responses, the log and the document announce that. */
  readonly deprecated?: RouteDeprecation;
  handle(
    call: RouteCall<RouteParameters<P>, z.output<Q>, z.output<B>>,
  ): Promise<RouteReply<HandlerResult<z.input<A>>> | RawReply> | RouteReply<HandlerResult<z.input<A>>> | RawReply;
}

/** A route without its types, for the app, the document and the tests of all routes. */
export interface RouteDefinition {
  readonly method: HttpMethod;
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly needs: RouteRequirements;
  readonly parameters: readonly string[];
  readonly query: z.ZodObject | null;
  readonly body: z.ZodType | null;
  readonly answer: z.ZodType;
  readonly status: number;
  readonly also: readonly number[];
  readonly produces: string;
  readonly refusal: z.ZodType | null;
  readonly deprecated: RouteDeprecation | null;
  /** Parses and validates the input, then calls the handler. */
  answerTo(scope: RouteScope, given: RawInput): Promise<RouteReply<unknown> | RawReply>;
}

/** Defines a route. */
export function defineRoute<
  const P extends string,
  A extends z.ZodType,
  Q extends z.ZodObject = typeof noQuery,
  B extends z.ZodType = typeof noBody,
>(spec: RouteSpec<P, Q, B, A>): RouteDefinition {
  const { needs: asked = {}, query = noQuery, body = noBody } = spec;
  const needs: RouteRequirements = {
    access: asked.access ?? (spec.method === 'get' ? 'read' : 'write'),
    version: asked.version ?? 'none',
    body: asked.body ?? (spec.body === undefined ? 'none' : 'json'),
    limit: asked.limit ?? 'bodyBytes',
    stream: asked.stream ?? false,
  };
  const names = namesInPath(spec.path);
  const produces = spec.produces ?? 'application/json';
  const isAboutTree = produces === 'application/json' && tellsOfTree(spec.path, spec.answer);
  return {
    method: spec.method,
    path: spec.path,
    name: spec.name,
    summary: spec.summary,
    needs,
    parameters: names,
    query: spec.query ?? null,
    body: spec.body ?? null,
    answer: isAboutTree ? withFormatSchema(spec.answer) : spec.answer,
    status: spec.status ?? 200,
    also: spec.also ?? [],
    produces,
    refusal: spec.refusal ?? null,
    deprecated: spec.deprecated ?? null,
    async answerTo(scope, given) {
      const params = readParameters<P>(names, given.params);
      const read = { query: checkReply(query, given.query, 'query'), body: checkReply(body, given.body, 'body') };
      const wish = needs.version === 'none' ? {} : versionWish(scope.header('if-match'), read.query, read.body);
      if (needs.version === 'required') requireVersion(wish.expectedVersion);
      const answer = await spec.handle({
        caller: scope.caller,
        services: scope.services,
        ownerServices: scope.ownerServices,
        get signal() {
          return scope.signal;
        },
        header: scope.header,
        headers: scope.headers,
        method: scope.method,
        path: scope.path,
        get host() {
          return scope.host;
        },
        search: scope.search,
        bytes: scope.bytes,
        chunks: scope.chunks,
        params,
        // These schemas are those of the route, or empty ones that match the default types.
        query: read.query as z.output<Q>,
        body: read.body as z.output<B>,
        expectedVersion: wish.expectedVersion,
        onConflict: wish.onConflict,
      });
      return isAboutTree && !('raw' in answer) ? withFormat(scope, given.params['tree'], answer) : answer;
    },
  };
}

/** Whether the response of a route describes one tree. */
function tellsOfTree(path: string, answer: z.ZodType): boolean {
  return answer instanceof z.ZodObject && (path.includes('{tree}') || Object.hasOwn(answer.shape, 'treeId'));
}

function withFormatSchema(answer: z.ZodType): z.ZodType {
  if (!(answer instanceof z.ZodObject) || Object.hasOwn(answer.shape, 'conversation_format')) return answer;
  return answer.extend({ conversation_format: conversationFormatSchema });
}

/** Adds the storage format of the tree to a response, unless the handler has added it. */
async function withFormat(
  scope: RouteScope,
  named: string | undefined,
  answer: RouteReply<unknown>,
): Promise<RouteReply<unknown>> {
  const { value } = answer;
  if (typeof value !== 'object' || value === null || 'conversation_format' in value) return answer;
  const id = 'treeId' in value && typeof value.treeId === 'string' ? value.treeId : named;
  if (id === undefined) return answer;
  const format = await formatOfTree(await resolveTree(scope, treeId(id)));
  return { ...answer, value: { ...value, conversation_format: format } };
}

/** Throws if a structural or content write has no version. */
export function requireVersion(expected: number | undefined): void {
  if (expected === undefined)
    throwHttpError(
      'tree/version-required',
      'Say which version of the tree you have seen: If-Match: "<version>", or expectedVersion.',
    );
}

const noQuery = z.strictObject({});
const noBody = z.undefined();

function namesInPath(path: string): ParameterName[] {
  const names: ParameterName[] = [];
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    if (!isParameter(name)) throw new Error(`The path ${path} has the parameter ${name}, which nobody reads.`);
    names.push(name);
  }
  return names;
}

function isParameter(name: string): name is ParameterName {
  return Object.hasOwn(pathParameters, name);
}

function readParameters<P extends string>(
  names: readonly ParameterName[],
  given: Readonly<Record<string, string>>,
): RouteParameters<P> {
  const read: Record<string, unknown> = {};
  for (const name of names) read[name] = pathParameters[name](given[name] ?? '');
  // The names come from the same path as the type.
  return read as RouteParameters<P>;
}

function checkReply(schema: z.ZodType, value: unknown, where: string): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const at = [where, ...(issue?.path ?? [])].map(String).join('.');
  return throwHttpError('http/invalid', `${at}: ${issue?.message ?? 'is not valid for this route'}.`, { at });
}

interface VersionWish {
  readonly expectedVersion?: number | undefined;
  readonly onConflict?: 'branch' | undefined;
}

/** The expected version, from the header, body or query; the header takes precedence. */
function versionWish(ifMatch: string | undefined, query: unknown, body: unknown): VersionWish {
  const said = { ...wishIn(body), ...wishIn(query) };
  if (ifMatch === undefined) return said;
  const [, digits] = /^(?:W\/)?"(\d{1,15})"$/.exec(ifMatch.trim()) ?? /^(\d{1,15})$/.exec(ifMatch.trim()) ?? [];
  if (digits === undefined)
    return throwHttpError('http/invalid', 'If-Match must be one version of the tree in quotes, for example "12".');
  return { ...said, expectedVersion: Number(digits) };
}

function wishIn(part: unknown): VersionWish {
  if (typeof part !== 'object' || part === null) return {};
  const wish: { expectedVersion?: number; onConflict?: 'branch' } = {};
  if ('expectedVersion' in part && typeof part.expectedVersion === 'number')
    wish.expectedVersion = part.expectedVersion;
  if ('onConflict' in part && part.onConflict === 'branch') wish.onConflict = 'branch';
  return wish;
}

/** Creates a response with a value. */
export function toReply<A>(value: A, more: Omit<RouteReply<A>, 'value' | 'text'> = {}): RouteReply<A> {
  return { value, ...more };
}
