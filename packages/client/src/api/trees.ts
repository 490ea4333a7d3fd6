/** The methods of the API for one tree: create, change its attributes, delete. */

import type { JsonObject, NodeId, TreeId } from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import type { TreeViewData, WriteResponse } from '../api-types.ts';
import { type OutgoingMessage, toMutableMessages } from './outgoing-messages.ts';
import { ifMatchHeader, type Routes, readResponse, requireSuccess, treeParams } from './request.ts';

/** Creates the methods for one tree as a whole. Its messages have their own methods. */
export function createTreeMethods(routes: Routes) {
  return {
    tree: (tree: TreeId) => readResponse<TreeViewData>(routes.GET('/api/trees/{tree}', { params: treeParams(tree) })),
    create: ({
      messages,
      ...rest
    }: {
      readonly id?: TreeId;
      readonly title?: string;
      readonly systemPrompt?: string;
      readonly project?: string;
      readonly folder?: string;
      readonly metadata?: JsonObject;
      readonly temporary?: boolean;
      readonly messages?: readonly OutgoingMessage[];
    }) =>
      readResponse<WriteResponse>(
        routes.POST('/api/trees', { body: { ...rest, ...omitUndefined({ messages: toMutableMessages(messages) }) } }),
      ),
    patch: (
      tree: TreeId,
      {
        tags,
        ...rest
      }: Partial<Pick<TreeViewData, 'title' | 'tags' | 'folder' | 'pinned' | 'metadata'>> & {
        readonly systemPrompt?: string | null;
      },
    ) =>
      readResponse<WriteResponse>(
        routes.PATCH('/api/trees/{tree}', {
          params: treeParams(tree),
          body: { ...rest, ...omitUndefined({ tags: tags && [...tags] }) },
        }),
      ),
    setPrompt: (tree: TreeId, systemPrompt: string, whole: boolean, version: number) =>
      readResponse<WriteResponse>(
        routes.PUT('/api/trees/{tree}/system-prompt', {
          params: treeParams(tree),
          body: { systemPrompt, whole },
          headers: ifMatchHeader(version),
        }),
      ),
    duplicate: (tree: TreeId, body: { readonly nodeId?: NodeId; readonly whole?: boolean; readonly title?: string }) =>
      readResponse<WriteResponse>(routes.POST('/api/trees/{tree}/duplicate', { params: treeParams(tree), body })),
    removeTree: (tree: TreeId, purge = false) =>
      requireSuccess(
        routes.DELETE('/api/trees/{tree}', { params: { ...treeParams(tree), query: purge ? { purge } : {} } }),
      ),
    restoreTree: (tree: TreeId) =>
      requireSuccess(routes.POST('/api/trees/{tree}/restore', { params: treeParams(tree) })),
    keep: (tree: TreeId) => requireSuccess(routes.POST('/api/trees/{tree}/keep', { params: treeParams(tree) })),
  } as const;
}
