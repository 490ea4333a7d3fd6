/** Defines routes. Their requirements are data, so that one test can check all routes. */
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
import { readTreeFormat, resolveTree } from '../resolve-tree.ts';
import type { OwnerServices, SharedServices } from '../services.ts';
import { describeIssue } from '../wire/describe-issue.ts';
import { conversationFormatSchema } from '../wire/schemas.ts';

/** Who may call a route: anyone, readers, writers (not viewers), or admins of a shared server. */
export type RouteAccess = 'open' | 'read' | 'write' | 'admin';

/** What a request needs before the handler of a route runs. */
export interface RouteRequirements {
  readonly access: RouteAccess;
  /**
   * `required`: a write of structure or content, refused with 428 without a version. `optional`: a version is checked
   * if it is present.
   */
  readonly version: 'required' | 'optional' | 'none';
  /**
   * The kind of body. `bytes` are read by the handler, as of an attachment, an import or a recorded call; `any` may
   * also be a form or compressed.
   */
  readonly body: 'json' | 'bytes' | 'any' | 'none';
  /** Whether the body may have a content encoding. The handler decompresses it. */
  readonly isEncoded: boolean;
  /** Which limit of the server applies to the body. */
  readonly limit: 'bodyBytes' | 'proxyBytes' | 'forwardedBytes' | 'attachmentBytes' | 'importBytes';
  /** Whether the response is a stream that stays open. Streams are counted per user. */
  readonly stream: boolean;
}

/** The deprecation of a route. `on` is the first day of the deprecation, for example `2027-01-31`. */
export interface RouteDeprecation extends Omit<Deprecation, 'name'> {
  readonly on: string;
}

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The parsers of path parameters, by name. */
export const pathParameterParsers = {
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

type ParameterName = keyof typeof pathParameterParsers;

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
  readonly [N in NamesIn<P> & ParameterName]: ReturnType<(typeof pathParameterParsers)[N]>;
};

/** What a handler gets besides the parsed request: the caller, the services and raw parts of the request. */
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
  /**
   * Reads the body of a route that accepts bytes. Throws if it is longer than `most`, by default the limit of the
   * route.
   */
  readonly bytes: (most?: number) => Promise<Uint8Array<ArrayBuffer>>;
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

/** The unparsed input of a request. */
interface RawInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A JSON response: a value or serialised JSON, with its headers. */
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

/** The value that a handler returns. `defineRoute` adds the storage format of the tree to it. */
type HandlerResult<A> = A extends { readonly conversation_format: ConversationFormat }
  ? Omit<A, 'conversation_format'> & { readonly conversation_format?: ConversationFormat }
  : A;

/** A route as its module defines it, with types for parameters, query, body and response. */
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
  /** Other success statuses with a response of the same shape. */
  readonly also?: readonly number[];
  /** The media type of a response that is not JSON. */
  readonly produces?: string;
  /** The schema of error responses, if it differs from the errors of Coppice. */
  readonly refusal?: z.ZodType;
  /** Marks a route that will be removed. Responses, log and OpenAPI document announce the removal. */
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

/** Defines a route. Throws if its path has a parameter without a parser. */
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
    isEncoded: asked.isEncoded ?? false,
    limit: asked.limit ?? 'bodyBytes',
    stream: asked.stream ?? false,
  };
  const names = namesInPath(spec.path);
  const produces = spec.produces ?? 'application/json';
  const isAboutTree = produces === 'application/json' && describesTree(spec.path, spec.answer);
  return {
    method: spec.method,
    path: spec.path,
    name: spec.name,
    summary: spec.summary,
    needs,
    parameters: names,
    query: spec.query ?? null,
    body: spec.body ?? null,
    answer: isAboutTree ? addFormatToSchema(spec.answer) : spec.answer,
    status: spec.status ?? 200,
    also: spec.also ?? [],
    produces,
    refusal: spec.refusal ?? null,
    deprecated: spec.deprecated ?? null,
    async answerTo(scope, given) {
      const params = readParameters<P>(names, given.params);
      const read = { query: checkReply(query, given.query, 'query'), body: checkReply(body, given.body, 'body') };
      const expected =
        needs.version === 'none' ? {} : readExpectedVersion(scope.header('if-match'), read.query, read.body);
      if (needs.version === 'required') requireVersion(expected.expectedVersion);
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
        // The schemas are those of the route, or empty ones that match the default types, so the assertion is safe.
        query: read.query as z.output<Q>,
        body: read.body as z.output<B>,
        expectedVersion: expected.expectedVersion,
        onConflict: expected.onConflict,
      });
      return isAboutTree && !('raw' in answer) ? addFormat(scope, given.params['tree'], answer) : answer;
    },
  };
}

/** Whether the response of a route describes one tree. */
function describesTree(path: string, answer: z.ZodType): boolean {
  return answer instanceof z.ZodObject && (path.includes('{tree}') || Object.hasOwn(answer.shape, 'treeId'));
}

function addFormatToSchema(answer: z.ZodType): z.ZodType {
  if (!(answer instanceof z.ZodObject) || Object.hasOwn(answer.shape, 'conversation_format')) return answer;
  return answer.extend({ conversation_format: conversationFormatSchema });
}

/** Adds the storage format of the tree to a response, unless the handler has added it. */
async function addFormat(
  scope: RouteScope,
  named: string | undefined,
  answer: RouteReply<unknown>,
): Promise<RouteReply<unknown>> {
  const { value } = answer;
  if (typeof value !== 'object' || value === null || 'conversation_format' in value) return answer;
  const id = 'treeId' in value && typeof value.treeId === 'string' ? value.treeId : named;
  if (id === undefined) return answer;
  const format = await readTreeFormat(await resolveTree(scope, treeId(id)));
  return { ...answer, value: { ...value, conversation_format: format } };
}

/** Throws if a write that needs an expected version has none. */
export function requireVersion(expected: number | undefined): void {
  if (expected === undefined)
    throwHttpError(
      'tree/version-required',
      'The version of the tree is missing. Send the version that you have read, in If-Match: "<version>" or expectedVersion.',
    );
}

const noQuery = z.strictObject({});
const noBody = z.undefined();

function namesInPath(path: string): ParameterName[] {
  const names: ParameterName[] = [];
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    if (!isParameter(name)) throw new Error(`The path ${path} has the parameter ${name}, for which no parser exists.`);
    names.push(name);
  }
  return names;
}

function isParameter(name: string): name is ParameterName {
  return Object.hasOwn(pathParameterParsers, name);
}

function readParameters<P extends string>(
  names: readonly ParameterName[],
  given: Readonly<Record<string, string>>,
): RouteParameters<P> {
  const read: Record<string, unknown> = {};
  for (const name of names) read[name] = pathParameterParsers[name](given[name] ?? '');
  // The parameter names come from the same path as the type, so the assertion is safe.
  return read as RouteParameters<P>;
}

function checkReply(schema: z.ZodType, value: unknown, where: string): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { at, message } = describeIssue(where, value, result.error.issues[0]);
  return throwHttpError('http/invalid', message, { at });
}

interface ExpectedVersion {
  readonly expectedVersion?: number | undefined;
  readonly onConflict?: 'branch' | undefined;
}

/** Returns the expected version from the header, the query or the body; the header takes precedence. */
function readExpectedVersion(ifMatch: string | undefined, query: unknown, body: unknown): ExpectedVersion {
  const fromInput = { ...expectedVersionIn(body), ...expectedVersionIn(query) };
  if (ifMatch === undefined) return fromInput;
  const [, digits] = /^(?:W\/)?"(\d{1,15})"$/.exec(ifMatch.trim()) ?? /^(\d{1,15})$/.exec(ifMatch.trim()) ?? [];
  if (digits === undefined)
    return throwHttpError('http/invalid', 'If-Match must be one version of the tree in quotes, for example "12".');
  return { ...fromInput, expectedVersion: Number(digits) };
}

function expectedVersionIn(part: unknown): ExpectedVersion {
  if (typeof part !== 'object' || part === null) return {};
  const expected: { expectedVersion?: number; onConflict?: 'branch' } = {};
  if ('expectedVersion' in part && typeof part.expectedVersion === 'number')
    expected.expectedVersion = part.expectedVersion;
  if ('onConflict' in part && part.onConflict === 'branch') expected.onConflict = 'branch';
  return expected;
}

/** Creates a JSON response. */
export function toReply<A>(value: A, more: Omit<RouteReply<A>, 'value' | 'text'> = {}): RouteReply<A> {
  return { value, ...more };
}
