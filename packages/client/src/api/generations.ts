/** The methods of the API that request replies of a model. */

import type { NodeId, TreeId } from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import type { GenerationStartedAnswer } from '../api-types.ts';
import { type OutgoingMessage, toMutableMessages } from './outgoing-messages.ts';
import { nodeParams, type Routes, readResponse, requireSuccess, treeParams } from './request.ts';

/** How several replies are combined: to one reply, a table, or a list of agreements and differences. */
export type CombineMode = 'combine' | 'table' | 'differences';

/** The body of a request for replies. */
export interface GenerationRequest {
  readonly type: 'send' | 'reply' | 'regenerate' | 'combine' | 'continue';
  readonly parentId?: string;
  readonly nodeId?: string;
  readonly nodeIds?: readonly string[];
  readonly way?: CombineMode;
  readonly instructions?: string;
  readonly messages?: readonly OutgoingMessage[];
  readonly models?: readonly string[];
  readonly n?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxTokens?: number;
  readonly thinking?: { readonly effort: 'low' | 'medium' | 'high' };
  readonly tools?: readonly string[];
  readonly requestId?: string;
  readonly select?: boolean;
  readonly expectedVersion?: number;
  readonly onConflict?: 'branch';
}

/** Creates the methods that start and stop replies and decide on tool calls. */
export function createGenerationMethods(routes: Routes) {
  return {
    generate: (tree: TreeId, { messages, models, tools, nodeIds, ...body }: GenerationRequest) =>
      readResponse<GenerationStartedAnswer>(
        routes.POST('/api/trees/{tree}/generations', {
          params: treeParams(tree),
          body: {
            ...body,
            ...omitUndefined({
              messages: toMutableMessages(messages),
              models: models && [...models],
              tools: tools && [...tools],
              nodeIds: nodeIds && [...nodeIds],
            }),
          },
        }),
      ),
    abort: (tree: TreeId, id: NodeId) =>
      requireSuccess(routes.POST('/api/trees/{tree}/nodes/{node}/abort', { params: nodeParams(tree, id) })),
    approve: (act: string, call: string, approve: boolean, remember: boolean) =>
      requireSuccess(
        routes.POST('/api/generations/{act}/approvals/{call}', {
          params: { path: { act, call } },
          body: { approve, remember },
        }),
      ),
  } as const;
}
