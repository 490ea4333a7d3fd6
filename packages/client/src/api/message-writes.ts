/** The methods of the API that add, change, move or delete messages. */

import type { Message, NodeId, TreeId } from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import type { EditAnswer, WriteResponse } from '../api-types.ts';
import { type OutgoingMessage, toMutableContent, toMutableMessages } from './outgoing-messages.ts';
import { ifMatchHeader, nodeParams, type Routes, readResponse, treeParams } from './request.ts';

/** Creates the methods that write messages. A write based on an outdated version is refused, or becomes a branch. */
export function createMessageWriteMethods(routes: Routes) {
  return {
    append: (
      tree: TreeId,
      body: { readonly parentId?: NodeId; readonly messages: readonly OutgoingMessage[] },
      version: number,
    ) =>
      readResponse<WriteResponse>(
        routes.POST('/api/trees/{tree}/messages', {
          params: treeParams(tree),
          body: { ...body, messages: toMutableMessages(body.messages) ?? [], onConflict: 'branch' },
          headers: ifMatchHeader(version),
        }),
      ),
    edit: (
      tree: TreeId,
      id: NodeId,
      body: {
        readonly content: string | Message['content'];
        readonly mode?: 'branch' | 'in-place' | 'prefix';
        readonly id?: NodeId;
        readonly select?: boolean;
      },
      version: number,
    ) =>
      readResponse<EditAnswer>(
        routes.POST('/api/trees/{tree}/nodes/{node}/edit', {
          params: nodeParams(tree, id),
          body: {
            ...body,
            content: toMutableContent(body.content),
            ...(body.mode === 'in-place' ? {} : { onConflict: 'branch' }),
          },
          headers: ifMatchHeader(version),
        }),
      ),
    split: (tree: TreeId, id: NodeId, position: number, version: number) =>
      readResponse<WriteResponse>(
        routes.POST('/api/trees/{tree}/nodes/{node}/split', {
          params: nodeParams(tree, id),
          body: { position },
          headers: ifMatchHeader(version),
        }),
      ),
    join: (tree: TreeId, id: NodeId, version: number) =>
      readResponse<WriteResponse>(
        routes.POST('/api/trees/{tree}/nodes/{node}/join', {
          params: nodeParams(tree, id),
          body: {},
          headers: ifMatchHeader(version),
        }),
      ),
    remove: (tree: TreeId, id: NodeId, mode: 'splice' | 'cascade' | 'group', version: number) =>
      readResponse<WriteResponse>(
        routes.DELETE('/api/trees/{tree}/nodes/{node}', {
          params: { ...nodeParams(tree, id), query: { mode } },
          headers: ifMatchHeader(version),
        }),
      ),
    /** `version` is the version of the source tree, also for a move to another tree. */
    move: (
      tree: TreeId,
      id: NodeId,
      body: { readonly parentId: NodeId; readonly before?: NodeId; readonly treeId?: TreeId },
      version: number,
    ) =>
      readResponse<WriteResponse>(
        routes.POST('/api/trees/{tree}/nodes/{node}/move', {
          params: nodeParams(tree, id),
          body,
          headers: ifMatchHeader(version),
        }),
      ),
    cherryPick: (
      tree: TreeId,
      body: { readonly nodeId: NodeId; readonly to?: NodeId; readonly parentId?: NodeId; readonly from?: TreeId },
      version: number,
    ) =>
      readResponse<WriteResponse>(
        routes.POST('/api/trees/{tree}/cherry-pick', {
          params: treeParams(tree),
          body,
          headers: ifMatchHeader(version),
        }),
      ),
    merge: (
      tree: TreeId,
      body: {
        readonly nodeId: NodeId;
        readonly mode?: 'summary' | 'messages';
        readonly summary?: string;
        readonly into?: NodeId;
      },
      version: number,
      signal?: AbortSignal,
    ) =>
      readResponse<WriteResponse>(
        routes.POST('/api/trees/{tree}/merge', {
          params: treeParams(tree),
          body,
          headers: ifMatchHeader(version),
          ...omitUndefined({ signal }),
        }),
      ),
    compact: (
      tree: TreeId,
      body: { readonly nodeId?: NodeId; readonly focus?: string; readonly model?: string },
      version: number,
    ) =>
      readResponse<WriteResponse>(
        routes.POST('/api/trees/{tree}/compact', { params: treeParams(tree), body, headers: ifMatchHeader(version) }),
      ),
  } as const;
}
