/** A client for a Coppice server: the typed HTTP API, and open trees that stay up to date. */
export {
  type GenerationOptions,
  type GenerationResult,
  type MessageInput,
  TreeActions,
  type TreeAttributes,
} from './actions.ts';
export {
  type Api,
  type CombineWay,
  type CommandPlaceBody,
  createApi,
  createRoutes,
  type GenerationRequest,
  type OutMessage,
  type Routes,
  readResponse,
  type SharedField,
  sharedAttachments,
  type Transport,
  type TreeFilter,
  treePath,
} from './api.ts';
export type * from './api-types.ts';
export type { AsSent } from './as-sent.ts';
export { type ClientOptions, type CoppiceClient, createClient, type StoredAttachment } from './client.ts';
export { type Connection, type EventListener, followEvents, type StreamOptions } from './connection.ts';
export type { EditOutcome, SeenContent } from './edit-message.ts';
export { browserStorage, createMemoryStorage, type Environment, type TextStorage } from './environment.ts';
export { isOnShownPath, refreshUnlessNavigated } from './following.ts';
export { apiAddress, asProblem, HttpProblem, isJsonRecordValue, problemFrom } from './http.ts';
export { appendReplyText, type LiveCall, type LiveReplies, type LiveReply, type LiveRetry, newReply } from './live.ts';
export {
  emptyBranch,
  type LoadedBranch,
  pathToNode,
  shownPath,
  titleOfNode,
  variantOf,
  withPage,
} from './loaded-branch.ts';
export { createObservable, type Observable } from './observable.ts';
export { joinTextBlocks } from './optimistic.ts';
export type { components, operations, paths } from './paths.ts';
export type { Replies } from './replies.ts';
export { noticesOf, type ReplySource, replyErrorOf, replySourceOf, type SourceNotice } from './reply-source.ts';
export { TreeSession } from './session.ts';
export { Topology } from './topology.ts';
export { fromTopologyColumns, type PickedColumn, type TopologyColumns } from './topology-columns.ts';
export { leafInShape } from './topology-loader.ts';
export { emptyTreeState, type OpenTreeState, type Overlay } from './tree-state.ts';
export { type Unsent, UnsentMessages } from './unsent.ts';

import type { components } from './paths.ts';

/** The named schemas of the API. */
export type Schemas = components['schemas'];
