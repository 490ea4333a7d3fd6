/** A client for a Coppice server: the typed HTTP API, and open trees that stay up to date. */
export type { MessageInput } from '@coppice/core';
export { decodeTopologyColumns } from '@coppice/core/tree';
export {
  type EditableTreeAttributes,
  type GenerationOptions,
  type GenerationResult,
  TreeActions,
} from './actions.ts';
export type { CommandPositionInput } from './api/commands.ts';
export { type Api, createApi } from './api/create-api.ts';
export type { CombineMode, GenerationRequest } from './api/generations.ts';
export type { OutgoingMessage } from './api/outgoing-messages.ts';
export { createRoutes, type Routes, readResponse, type Transport, treeApiPath } from './api/request.ts';
export { type SharedField, sharedAttachmentsApiPath } from './api/shares.ts';
export type { TreeFilter } from './api/tree-list.ts';
export type * from './api-types.ts';
export { type ClientOptions, type CoppiceClient, createClient, type StoredAttachment } from './client.ts';
export { type Connection, type EventStreamCallbacks, type FollowEventsOptions, followEvents } from './connection.ts';
export type { EditOutcome, SeenContent } from './edit-message.ts';
export { browserStorage, type ClientEnvironment, createMemoryStorage, type TextStorage } from './environment.ts';
export { buildApiUrl, HttpProblem, parseProblemBody, toHttpProblem } from './http.ts';
export type { JsonShapeOf } from './json-shape.ts';
export {
  appendReplyText,
  type LiveReplies,
  type LiveReply,
  type LiveRetry,
  type LiveToolCall,
  startLiveReply,
} from './live.ts';
export {
  addPage,
  createEmptyBranch,
  type LoadedBranch,
  loadedPath,
  shownPath,
  treeTitleOf,
  variantPositionOf,
} from './loaded-branch.ts';
export { createObservable, type Observable } from './observable.ts';
export { joinTextBlocks } from './optimistic.ts';
export type { components, operations, paths } from './paths.ts';
export { isOnShownPath, refreshUnlessNavigated } from './refresh-unless-navigated.ts';
export type { TreeReplies } from './replies.ts';
export { listSourceNotices, type ReplySource, replyErrorOf, replySourceOf, type SourceNotice } from './reply-source.ts';
export { TreeSession } from './session.ts';
export { Topology } from './topology.ts';
export { findViewEndInTopology } from './topology-loader.ts';
export { emptyTreeState, hasRunningTurn, type OpenTreeState, type Overlay } from './tree-state.ts';
export { type UnsentMessage, UnsentMessages } from './unsent.ts';

import type { components } from './paths.ts';

/** The schemas of the OpenAPI document, by name. */
export type ApiSchemas = components['schemas'];
