/** The methods of the API that read the messages of a tree. */

import type { Bookmark, Message, Node, NodeId, TreeId } from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import type { Middleware } from 'openapi-fetch';
import type { ContextAnswer, DeleteImpactAnswer, PageAnswer, TopologyAnswer } from '../api-types.ts';
import { nodeParams, type Routes, readResponse, treeParams } from './request.ts';

/**
 * Returns a middleware that reports the fraction of the response body that has been read, from 0 to 1. Reports nothing
 * if the length of the body is unknown.
 */
function followBody(onProgress: (share: number) => void): NonNullable<Middleware['onResponse']> {
  return ({ response }) => {
    // The header has the length of the compressed body, but the decompressed body is read.
    const length = response.headers.get(
      response.headers.has('content-encoding') ? 'x-uncompressed-length' : 'content-length',
    );
    const whole = Number(length ?? Number.NaN);
    if (response.body === null || !(whole > 0)) return undefined;
    let read = 0;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          read += chunk.byteLength;
          onProgress(Math.min(1, read / whole));
          controller.enqueue(chunk);
        },
      }),
    );
    return new Response(counted, response);
  };
}

/** Creates the methods that read messages, the shape of a tree and the context of a reply. */
export function createTreeReadMethods(routes: Routes) {
  return {
    page: (
      tree: TreeId,
      query: {
        readonly nodeId?: NodeId | undefined;
        readonly limit?: number;
        readonly before?: NodeId;
        readonly after?: NodeId;
      },
      signal?: AbortSignal,
    ) =>
      readResponse<PageAnswer>(
        routes.GET('/api/trees/{tree}/page', {
          params: { ...treeParams(tree), query: { ...omitUndefined(query), siblings: true } },
          ...omitUndefined({ signal }),
        }),
      ),
    /** `onProgress` gets the fraction of the response that has arrived, from 0 to 1, if the server sends its length. */
    topology: (tree: TreeId, signal?: AbortSignal, onProgress?: (share: number) => void) =>
      readResponse<TopologyAnswer>(
        routes.GET('/api/trees/{tree}/topology/columns', {
          params: treeParams(tree),
          ...omitUndefined({ signal }),
          ...(onProgress === undefined ? {} : { middleware: [{ onResponse: followBody(onProgress) }] }),
        }),
      ),
    through: (tree: TreeId, id: NodeId, limit?: number) =>
      readResponse<{ readonly nodes: readonly Node[] }>(
        routes.GET('/api/trees/{tree}/nodes/{node}/path', {
          params: { ...nodeParams(tree, id), query: omitUndefined({ limit }) },
        }),
      ),
    node: (tree: TreeId, id: NodeId) =>
      readResponse<{ readonly node: Node; readonly bookmark: Bookmark | null }>(
        routes.GET('/api/trees/{tree}/nodes/{node}', { params: nodeParams(tree, id) }),
      ),
    contents: (tree: TreeId, ids: readonly NodeId[]) =>
      readResponse<{ readonly messages: Readonly<Record<string, Message>> }>(
        routes.GET('/api/trees/{tree}/contents', { params: { ...treeParams(tree), query: { ids: ids.join(',') } } }),
      ),
    siblings: (tree: TreeId, id: NodeId) =>
      readResponse<{ readonly index: number; readonly total: number; readonly nodes: readonly Node[] }>(
        routes.GET('/api/trees/{tree}/nodes/{node}/siblings', { params: nodeParams(tree, id) }),
      ),
    impact: (tree: TreeId, id: NodeId, mode: 'splice' | 'cascade' | 'group') =>
      readResponse<DeleteImpactAnswer>(
        routes.GET('/api/trees/{tree}/nodes/{node}/impact', { params: { ...nodeParams(tree, id), query: { mode } } }),
      ),
    context: (
      tree: TreeId,
      query: {
        readonly nodeId: NodeId | null;
        readonly model: string | null;
        /** The number of messages. Defaults to all. */
        readonly limit?: number;
        readonly before?: NodeId;
        /** The names of the tools that are offered, separated by commas. */
        readonly tools?: string;
      },
      signal?: AbortSignal,
    ) =>
      readResponse<ContextAnswer>(
        routes.GET('/api/trees/{tree}/context', {
          params: {
            ...treeParams(tree),
            query: omitUndefined({ ...query, nodeId: query.nodeId ?? undefined, model: query.model ?? undefined }),
          },
          ...omitUndefined({ signal }),
        }),
      ),
  } as const;
}
