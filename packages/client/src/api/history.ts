/** The methods of the API for the history of a tree: earlier states, trash, undo and redo. */

import type { NodeId, TreeId } from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import type {
  CommitSummary,
  HistoryStart,
  PastPageAnswer,
  ReversibleAct,
  TrashItem,
  TreeViewData,
  UndoAnywhereAnswer,
  WriteResponse,
} from '../api-types.ts';
import { HttpProblem } from '../http.ts';
import { ifMatchHeader, nodeParams, type Routes, readResponse, treeParams } from './request.ts';

/**
 * Sends an undo, redo or restore. On a version conflict it sends the request once more with the version from the error.
 * The retry is safe, because the server checks by itself whether an undo conflicts with later changes.
 */
async function retryAtCurrentVersion(
  write: (version: number) => Promise<WriteResponse>,
  version: number,
): Promise<WriteResponse> {
  try {
    return await write(version);
  } catch (thrown) {
    const now =
      thrown instanceof HttpProblem && thrown.code === 'tree/version-conflict' ? thrown.data.version : undefined;
    if (typeof now !== 'number') throw thrown;
    return write(now);
  }
}

/** Creates the methods that read the history and the trash, and that undo, redo and restore. */
export function createHistoryMethods(routes: Routes) {
  return {
    history: (tree: TreeId, before?: number) =>
      readResponse<{ readonly items: readonly CommitSummary[]; readonly begins: HistoryStart | null }>(
        routes.GET('/api/trees/{tree}/history', {
          params: { ...treeParams(tree), query: { ...omitUndefined({ before }), limit: 200 } },
        }),
      ),
    pageAsOf: (
      tree: TreeId,
      version: number,
      query: { readonly nodeId?: NodeId; readonly limit?: number; readonly before?: NodeId },
    ) =>
      readResponse<PastPageAnswer>(
        routes.GET('/api/trees/{tree}/history/{version}/page', {
          params: { path: { tree, version }, query },
        }),
      ),
    trash: (tree: TreeId) =>
      readResponse<{ readonly items: readonly TrashItem[] }>(
        routes.GET('/api/trees/{tree}/trash', { params: treeParams(tree) }),
      ),
    /** Returns what an undo and a redo would change; null if there is nothing to undo or redo. */
    reversible: (tree: TreeId) =>
      readResponse<{ readonly undo: ReversibleAct | null; readonly redo: ReversibleAct | null }>(
        routes.GET('/api/trees/{tree}/reversible', { params: treeParams(tree) }),
      ),
    undo: (tree: TreeId, body: { readonly force?: boolean; readonly actId?: string }, version: number) =>
      retryAtCurrentVersion(
        (now) =>
          readResponse<WriteResponse>(
            routes.POST('/api/trees/{tree}/undo', { params: treeParams(tree), body, headers: ifMatchHeader(now) }),
          ),
        version,
      ),
    redo: (tree: TreeId, version: number) =>
      retryAtCurrentVersion(
        (now) =>
          readResponse<WriteResponse>(
            routes.POST('/api/trees/{tree}/redo', { params: treeParams(tree), body: {}, headers: ifMatchHeader(now) }),
          ),
        version,
      ),
    undoAnywhere: () => readResponse<UndoAnywhereAnswer>(routes.POST('/api/undo', { body: {} })),
    redoAnywhere: () => readResponse<UndoAnywhereAnswer>(routes.POST('/api/redo', { body: {} })),
    restoreNode: async (tree: TreeId, id: NodeId) => {
      const { version } = await readResponse<TreeViewData>(
        routes.GET('/api/trees/{tree}', { params: treeParams(tree) }),
      );
      return retryAtCurrentVersion(
        (now) =>
          readResponse<WriteResponse>(
            routes.POST('/api/trees/{tree}/trash/{node}/restore', {
              params: nodeParams(tree, id),
              headers: ifMatchHeader(now),
            }),
          ),
        version,
      );
    },
    restoreVersion: (tree: TreeId, past: number, version: number) =>
      readResponse<WriteResponse>(
        routes.POST('/api/trees/{tree}/history/{version}/restore', {
          params: { path: { tree, version: past } },
          headers: ifMatchHeader(version),
        }),
      ),
  } as const;
}
