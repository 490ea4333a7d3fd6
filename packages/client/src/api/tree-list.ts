/** The methods of the API that list or search several trees. */

import type { TreeId, TreeQuery } from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import type { ListedBookmark, ListPage, SearchHit, TreeShape, TreeViewData } from '../api-types.ts';
import { type Routes, readResponse } from './request.ts';

/** Filters of the list of trees. */
export type TreeFilter = TreeQuery;

/** A folder or tag, and the number of trees that have it. */
export interface NamedCount {
  readonly name: string;
  readonly count: number;
}

/** Creates the methods that read or change several trees at once. */
export function createTreeListMethods(routes: Routes) {
  return {
    trees: (filter: TreeFilter = {}) =>
      readResponse<ListPage<TreeViewData>>(routes.GET('/api/trees', { params: { query: { ...filter } } })),
    shapes: (ids: readonly TreeId[]) =>
      readResponse<{ readonly items: readonly TreeShape[] }>(
        routes.GET('/api/shapes', { params: { query: { ids: ids.join(',') } } }),
      ),
    allBookmarks: (cursor?: string) =>
      readResponse<ListPage<ListedBookmark>>(
        routes.GET('/api/bookmarks', { params: { query: omitUndefined({ cursor }) } }),
      ),
    folders: () => readResponse<{ readonly items: readonly NamedCount[] }>(routes.GET('/api/folders')),
    /** Renames a folder. Null removes the folder from its trees. */
    renameFolder: (name: string, to: string | null) =>
      readResponse<{ readonly changed: number }>(
        routes.PATCH('/api/folders/{name}', { params: { path: { name } }, body: { name: to } }),
      ),
    tags: () => readResponse<{ readonly items: readonly NamedCount[] }>(routes.GET('/api/tags')),
    search: (
      q: string,
      query: { readonly treeId?: TreeId; readonly limit?: number; readonly cursor?: string } = {},
      signal?: AbortSignal,
    ) =>
      readResponse<ListPage<SearchHit>>(
        routes.GET('/api/search', { params: { query: { q, ...query } }, ...omitUndefined({ signal }) }),
      ),
  } as const;
}
