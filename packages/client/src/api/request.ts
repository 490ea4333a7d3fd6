/** Sends requests to the routes of the server and reads their responses. */
import type { NodeId, TreeId } from '@coppice/core';
import createClient, { type Client } from 'openapi-fetch';
import { HttpProblem, parseProblemBody, toRequestProblem } from '../http.ts';
import type { JsonShapeOf } from '../json-shape.ts';
import type { paths } from '../paths.ts';

/** Returns the path of a tree's routes. Streams and downloads need it, because they are not methods of the API. */
export function treeApiPath(tree: TreeId): string {
  return `/api/trees/${encodeURIComponent(tree)}`;
}

/** How the client reaches the server. */
export interface Transport {
  /** The URL of the server, without a path. */
  readonly baseUrl: string;
  fetch(request: Request): Promise<Response>;
  /** Whether the browser sends cookies: only to the origin of the page, or never. */
  readonly credentials: 'same-origin' | 'omit';
}

/** The typed routes of the server, without error handling: `readResponse` turns their results into data or errors. */
export type Routes = Client<paths>;

/** Creates the typed routes. The browser does not cache responses, unless a method asks for it. */
export function createRoutes({ baseUrl, fetch, credentials }: Transport): Routes {
  const options = { baseUrl, fetch, credentials, cache: 'no-store' as const };
  return createClient<paths>(options);
}

export function treeParams(tree: TreeId) {
  return { path: { tree } };
}

export function nodeParams(tree: TreeId, node: NodeId) {
  return { path: { tree, node } };
}

/** Returns the header that makes the server refuse a write if the tree has another version. */
export function ifMatchHeader(version: number | undefined): Record<string, string> {
  return version === undefined ? {} : { 'if-match': `"${version}"` };
}

/** The result of a request by openapi-fetch. */
interface Reply<D> {
  readonly data?: D;
  readonly error?: unknown;
  readonly response: Response;
}

/** Converts the type of a response to core's types with branded ids; JSON has plain strings. The value is unchanged. */
function brandIds<T>(answer: JsonShapeOf<T>): T;
function brandIds(answer: unknown): unknown {
  return answer;
}

/** Waits for the data of a response. Rejects with a {@link HttpProblem} if the server refuses or does not respond. */
export async function readResponse<T>(request: Promise<Reply<JsonShapeOf<T>>>): Promise<T> {
  let reply: Reply<JsonShapeOf<T>>;
  try {
    reply = await request;
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === 'AbortError')
      throw new HttpProblem('page/aborted', 'The request was aborted.', -1);
    throw toRequestProblem(thrown);
  }
  const { data, error, response } = reply;
  if (!response.ok || data === undefined) throw parseProblemBody(error, response.status);
  return brandIds<T>(data);
}

/** Waits for a response whose body is not needed, or empty. Rejects like {@link readResponse}. */
export async function requireSuccess(request: Promise<Reply<unknown>>): Promise<void> {
  await readResponse<unknown>(request.then((reply) => (reply.response.ok ? { ...reply, data: true } : reply)));
}
