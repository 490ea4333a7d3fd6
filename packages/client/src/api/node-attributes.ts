/** The methods of the API that set the data of a node beside its message. */
import type { NodeId, TreeId } from '@coppice/core';
import type { WriteResponse } from '../api-types.ts';
import { nodeParams, type Routes, readResponse, treeParams } from './request.ts';

/** Creates the methods for the active node, bookmarks, tags, titles and metadata. */
export function createNodeAttributeMethods(routes: Routes) {
  return {
    select: (tree: TreeId, id: NodeId) =>
      readResponse<WriteResponse>(
        routes.PUT('/api/trees/{tree}/active', { params: treeParams(tree), body: { nodeId: id } }),
      ),
    bookmark: (tree: TreeId, id: NodeId, title: string) =>
      readResponse<WriteResponse>(
        routes.PUT('/api/trees/{tree}/nodes/{node}/bookmark', { params: nodeParams(tree, id), body: { title } }),
      ),
    unbookmark: (tree: TreeId, id: NodeId) =>
      readResponse<WriteResponse>(
        routes.DELETE('/api/trees/{tree}/nodes/{node}/bookmark', { params: nodeParams(tree, id) }),
      ),
    tag: (tree: TreeId, id: NodeId, tags: readonly string[]) =>
      readResponse<WriteResponse>(
        routes.PUT('/api/trees/{tree}/nodes/{node}/tags', { params: nodeParams(tree, id), body: { tags: [...tags] } }),
      ),
    title: (tree: TreeId, id: NodeId, title: string) =>
      readResponse<WriteResponse>(
        routes.PUT('/api/trees/{tree}/nodes/{node}/title', { params: nodeParams(tree, id), body: { title } }),
      ),
    annotate: (tree: TreeId, id: NodeId, set: Readonly<Record<string, unknown>>) =>
      readResponse<WriteResponse>(
        routes.PATCH('/api/trees/{tree}/nodes/{node}/meta', { params: nodeParams(tree, id), body: { set } }),
      ),
  } as const;
}
