/** The methods of the API for share links. */

import type { NodeId, TreeId } from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import type { SharedChatAnswer, ShareView } from '../api-types.ts';
import { type Routes, readResponse, requireSuccess, treeParams } from './request.ts';

/** Returns the path of the attachments of a share link. */
export function sharedAttachmentsApiPath(token: string): string {
  return `/api/shared/${encodeURIComponent(token)}/attachments`;
}

/** The data that a share link may show besides the messages. */
export type SharedField = 'models' | 'system-prompt' | 'thinking' | 'times' | 'tools' | 'usage';

/** Creates the methods that create, list, update, delete and read share links. */
export function createShareMethods(routes: Routes) {
  return {
    share: (
      tree: TreeId,
      {
        fields,
        ...rest
      }: {
        readonly nodeId: NodeId;
        readonly fields?: readonly SharedField[];
        readonly title?: string;
        readonly expiresAt?: number;
      },
    ) =>
      readResponse<{ readonly share: ShareView; readonly token: string; readonly url: string }>(
        routes.POST('/api/trees/{tree}/shares', {
          params: treeParams(tree),
          body: { ...rest, ...omitUndefined({ fields: fields && [...fields] }) },
        }),
      ),
    shares: (tree: TreeId) =>
      readResponse<{ readonly items: readonly ShareView[] }>(
        routes.GET('/api/trees/{tree}/shares', { params: treeParams(tree) }),
      ),
    unshare: (id: string) => requireSuccess(routes.DELETE('/api/shares/{id}', { params: { path: { id } } })),
    /** Updates a share link to the current text of its messages. */
    updateShare: (id: string) => requireSuccess(routes.POST('/api/shares/{id}/update', { params: { path: { id } } })),
    shared: (token: string) =>
      readResponse<SharedChatAnswer>(routes.GET('/api/shared/{token}', { params: { path: { token } } })),
  } as const;
}
