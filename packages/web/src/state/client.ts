/** Every route that the page calls, by its meaning. */
import type { Bookmark, Message, Node, NodeId, TreeId, TreeQuery } from '@coppice/core';
import type {
  BegunAnswer,
  CommandAnswer,
  CommandView,
  CommitSummary,
  ContextAnswer,
  Edited,
  ImpactAnswer,
  ListedBookmark,
  ListedTree,
  McpServerView,
  ModelView,
  PageAnswer,
  RecorderView,
  SearchHit,
  SettingsView,
  SharedAnswer,
  ShareView,
  TopologyAnswer,
  TrashItem,
  TreeShape,
  TreeViewData,
  UndoneAnywhere,
  WrittenAnswer,
} from './api-types.ts';
import { type Ask, HttpProblem, request } from './http.ts';

/** Where the attachments that a link shows are asked for. */
export function sharedAttachments(token: string): string {
  return `/api/shared/${encodeURIComponent(token)}/attachments`;
}

/** What a list of trees is asked for. */
export type TreeFilter = Omit<TreeQuery, 'project'>;

/** A message on its way to the server. */
export interface OutMessage {
  readonly id?: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string | readonly unknown[];
}

/** What is asked of models. */
export interface GenerationRequest {
  readonly type: 'send' | 'reply' | 'regenerate' | 'continue';
  readonly parentId?: string;
  readonly nodeId?: string;
  readonly messages?: readonly OutMessage[];
  readonly models?: readonly string[];
  readonly n?: number;
  readonly temperature?: number;
  readonly tools?: readonly string[];
  readonly requestId?: string;
  readonly select?: boolean;
  readonly expectedVersion?: number;
  readonly onConflict?: 'branch';
}

/** Where a command runs: the end of the view, and the nodes that it may name by number. */
export interface CommandPlaceBody {
  readonly activeNodeId: NodeId | null;
  readonly list: readonly NodeId[];
}

/** The place of a tree in the API. */
export function treePath(tree: TreeId): string {
  return `/api/trees/${encodeURIComponent(tree)}`;
}

function nodePath(tree: TreeId, id: NodeId): string {
  return `${treePath(tree)}/nodes/${encodeURIComponent(id)}`;
}

/**
 * Takes back, does again or brings back. Where the tree went on before the page heard of it, it is asked once more under
 * the version that the refusal tells: what others did on top of it is refused by itself, whatever was seen.
 */
async function takeBackBody(ask: Ask, path: string, body: object, version: number): Promise<WrittenAnswer> {
  try {
    return await ask<WrittenAnswer>('POST', path, { body, version });
  } catch (thrown) {
    const now =
      thrown instanceof HttpProblem && thrown.code === 'tree/version-conflict' ? thrown.data.version : undefined;
    if (typeof now !== 'number') throw thrown;
    return ask<WrittenAnswer>('POST', path, { body, version: now });
  }
}

/** The server, as the page knows it. Everything rejects with a `HttpProblem`. */
export function createApi(ask: Ask) {
  return {
    trees: (filter: TreeFilter = {}) => ask<ListedTree<TreeViewData>>('GET', '/api/trees', { query: { ...filter } }),
    tree: (tree: TreeId) => ask<TreeViewData>('GET', treePath(tree)),
    create: (body: {
      readonly title?: string;
      readonly systemPrompt?: string;
      readonly temporary?: boolean;
      readonly messages?: readonly OutMessage[];
    }) => ask<WrittenAnswer>('POST', '/api/trees', { body }),
    patch: (tree: TreeId, body: Readonly<Record<string, unknown>>) =>
      ask<WrittenAnswer>('PATCH', treePath(tree), { body }),
    setPrompt: (tree: TreeId, systemPrompt: string, whole: boolean, version: number) =>
      ask<WrittenAnswer>('PUT', `${treePath(tree)}/system-prompt`, { body: { systemPrompt, whole }, version }),
    duplicate: (tree: TreeId, body: { readonly nodeId?: NodeId; readonly whole?: boolean; readonly title?: string }) =>
      ask<WrittenAnswer>('POST', `${treePath(tree)}/duplicate`, { body }),
    removeTree: (tree: TreeId, purge = false) =>
      ask<unknown>('DELETE', treePath(tree), { query: { purge: purge || undefined } }),
    restoreTree: (tree: TreeId) => ask<unknown>('POST', `${treePath(tree)}/restore`, { body: {} }),
    keep: (tree: TreeId) => ask<WrittenAnswer>('POST', `${treePath(tree)}/keep`, { body: {} }),
    shapes: (ids: readonly TreeId[]) =>
      ask<{ readonly items: readonly TreeShape[] }>('GET', '/api/shapes', { query: { ids: ids.join(',') } }),
    allBookmarks: (cursor?: string) => ask<ListedTree<ListedBookmark>>('GET', '/api/bookmarks', { query: { cursor } }),
    folders: () =>
      ask<{ readonly items: readonly { readonly name: string; readonly count: number }[] }>('GET', '/api/folders'),
    tags: () =>
      ask<{ readonly items: readonly { readonly name: string; readonly count: number }[] }>('GET', '/api/tags'),

    page: (
      tree: TreeId,
      query: {
        readonly nodeId?: NodeId | undefined;
        readonly limit?: number;
        readonly before?: NodeId;
        readonly after?: NodeId;
      },
      signal?: AbortSignal,
    ) => ask<PageAnswer>('GET', `${treePath(tree)}/page`, { query: { ...query, siblings: true }, signal }),
    topology: (tree: TreeId, signal?: AbortSignal) =>
      ask<TopologyAnswer>('GET', `${treePath(tree)}/topology/columns`, { signal }),
    through: (tree: TreeId, id: NodeId, limit?: number) =>
      ask<{ readonly nodes: readonly Node[] }>('GET', `${nodePath(tree, id)}/path`, { query: { limit } }),
    node: (tree: TreeId, id: NodeId) =>
      ask<{ readonly node: Node; readonly bookmark: Bookmark | null }>('GET', nodePath(tree, id)),
    contents: (tree: TreeId, ids: readonly NodeId[]) =>
      ask<{ readonly messages: Readonly<Record<string, Message>> }>('GET', `${treePath(tree)}/contents`, {
        query: { ids: ids.join(',') },
      }),
    siblings: (tree: TreeId, id: NodeId) =>
      ask<{ readonly index: number; readonly total: number; readonly nodes: readonly Node[] }>(
        'GET',
        `${nodePath(tree, id)}/siblings`,
      ),
    impact: (tree: TreeId, id: NodeId, mode: 'splice' | 'cascade' | 'group') =>
      ask<ImpactAnswer>('GET', `${nodePath(tree, id)}/impact`, { query: { mode } }),
    context: (
      tree: TreeId,
      query: {
        readonly nodeId: NodeId | null;
        readonly model: string | null;
        /** How many messages; all of them if not given. */
        readonly limit?: number;
        readonly before?: NodeId;
      },
      signal?: AbortSignal,
    ) => ask<ContextAnswer>('GET', `${treePath(tree)}/context`, { query, signal }),
    history: (tree: TreeId, before?: number) =>
      ask<ListedTree<CommitSummary>>('GET', `${treePath(tree)}/history`, { query: { before, limit: 200 } }),
    asOf: (tree: TreeId, version: number) => ask<TopologyAnswer>('GET', `${treePath(tree)}/history/${version}`),
    pageAsOf: (
      tree: TreeId,
      version: number,
      query: { readonly nodeId?: NodeId; readonly limit?: number; readonly before?: NodeId },
    ) => ask<PageAnswer>('GET', `${treePath(tree)}/history/${version}/page`, { query }),
    trash: (tree: TreeId) => ask<ListedTree<TrashItem>>('GET', `${treePath(tree)}/trash`),
    search: (
      q: string,
      query: { readonly treeId?: TreeId; readonly limit?: number; readonly cursor?: string } = {},
      signal?: AbortSignal,
    ) => ask<ListedTree<SearchHit>>('GET', '/api/search', { query: { q, ...query }, signal }),
    bookmarks: (tree: TreeId) => ask<ListedTree<Bookmark>>('GET', `${treePath(tree)}/bookmarks`),

    append: (
      tree: TreeId,
      body: { readonly parentId?: NodeId; readonly messages: readonly OutMessage[] },
      version: number,
    ) => ask<WrittenAnswer>('POST', `${treePath(tree)}/messages`, { body: { ...body, onConflict: 'branch' }, version }),
    edit: (
      tree: TreeId,
      id: NodeId,
      body: {
        readonly content: string | readonly unknown[];
        readonly mode?: 'branch' | 'in-place' | 'prefix';
        readonly id?: NodeId;
        readonly select?: boolean;
      },
      version: number,
    ) =>
      ask<Edited>('POST', `${nodePath(tree, id)}/edit`, {
        body: { ...body, ...(body.mode === 'in-place' ? {} : { onConflict: 'branch' }) },
        version,
      }),
    split: (tree: TreeId, id: NodeId, position: number, version: number) =>
      ask<WrittenAnswer>('POST', `${nodePath(tree, id)}/split`, { body: { position }, version }),
    remove: (tree: TreeId, id: NodeId, mode: 'splice' | 'cascade' | 'group', version: number) =>
      ask<WrittenAnswer>('DELETE', nodePath(tree, id), { query: { mode }, version }),
    /** The version is that of the tree it goes to. */
    move: (
      tree: TreeId,
      id: NodeId,
      body: { readonly parentId: NodeId; readonly before?: NodeId; readonly treeId?: TreeId },
      version: number,
    ) => ask<WrittenAnswer>('POST', `${nodePath(tree, id)}/move`, { body, version }),
    cherryPick: (
      tree: TreeId,
      body: { readonly nodeId: NodeId; readonly to?: NodeId; readonly parentId?: NodeId; readonly from?: TreeId },
      version: number,
    ) => ask<WrittenAnswer>('POST', `${treePath(tree)}/cherry-pick`, { body, version }),
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
    ) => ask<WrittenAnswer>('POST', `${treePath(tree)}/merge`, { body, version, signal }),
    branch: (
      tree: TreeId,
      body: { readonly nodeId: NodeId; readonly summarize?: boolean; readonly focus?: string },
      version: number,
    ) => ask<WrittenAnswer>('POST', `${treePath(tree)}/branch`, { body, version }),
    select: (tree: TreeId, id: NodeId) =>
      ask<WrittenAnswer>('PUT', `${treePath(tree)}/active`, { body: { nodeId: id } }),
    navigate: (tree: TreeId, id: NodeId, direction: 'next' | 'previous') =>
      ask<WrittenAnswer>('POST', `${treePath(tree)}/navigate`, { body: { nodeId: id, direction } }),
    bookmark: (tree: TreeId, id: NodeId, title: string) =>
      ask<WrittenAnswer>('PUT', `${nodePath(tree, id)}/bookmark`, { body: { title } }),
    unbookmark: (tree: TreeId, id: NodeId) => ask<WrittenAnswer>('DELETE', `${nodePath(tree, id)}/bookmark`),
    tag: (tree: TreeId, id: NodeId, tags: readonly string[]) =>
      ask<WrittenAnswer>('PUT', `${nodePath(tree, id)}/tags`, { body: { tags } }),
    title: (tree: TreeId, id: NodeId, title: string) =>
      ask<WrittenAnswer>('PUT', `${nodePath(tree, id)}/title`, { body: { title } }),
    annotate: (tree: TreeId, id: NodeId, set: Readonly<Record<string, unknown>>) =>
      ask<WrittenAnswer>('PATCH', `${nodePath(tree, id)}/meta`, { body: { set } }),
    undo: (tree: TreeId, body: { readonly force?: boolean; readonly actId?: string }, version: number) =>
      takeBackBody(ask, `${treePath(tree)}/undo`, body, version),
    undoAnywhere: (force = false) => ask<UndoneAnywhere>('POST', '/api/undo', { body: { force } }),
    redoAnywhere: () => ask<UndoneAnywhere>('POST', '/api/redo', { body: {} }),
    redo: (tree: TreeId, version: number) => takeBackBody(ask, `${treePath(tree)}/redo`, {}, version),
    restoreNode: async (tree: TreeId, id: NodeId) =>
      takeBackBody(
        ask,
        `${treePath(tree)}/trash/${id}/restore`,
        {},
        (await ask<TreeViewData>('GET', treePath(tree))).version,
      ),
    purgeNode: (tree: TreeId, id: NodeId) => ask<unknown>('DELETE', `${treePath(tree)}/trash/${id}`),
    restoreVersion: (tree: TreeId, past: number, version: number) =>
      ask<WrittenAnswer>('POST', `${treePath(tree)}/history/${past}/restore`, { body: {}, version }),
    compact: (
      tree: TreeId,
      body: { readonly nodeId?: NodeId; readonly focus?: string; readonly model?: string },
      version: number,
    ) => ask<WrittenAnswer>('POST', `${treePath(tree)}/compact`, { body, version }),

    generate: (tree: TreeId, body: GenerationRequest) =>
      ask<BegunAnswer>('POST', `${treePath(tree)}/generations`, { body }),
    running: (tree: TreeId) =>
      ask<{ readonly items: readonly { readonly actId: string; readonly nodeId: NodeId }[] }>(
        'GET',
        `${treePath(tree)}/generations`,
      ),
    abort: (tree: TreeId, id: NodeId) => ask<unknown>('POST', `${nodePath(tree, id)}/abort`, { body: {} }),
    approve: (act: string, call: string, approve: boolean, remember: boolean) =>
      ask<unknown>('POST', `/api/generations/${encodeURIComponent(act)}/approvals/${encodeURIComponent(call)}`, {
        body: { approve, remember },
      }),

    share: (
      tree: TreeId,
      body: {
        readonly nodeId: NodeId;
        readonly fields?: readonly string[];
        readonly title?: string;
        readonly expiresAt?: number;
      },
    ) =>
      ask<{ readonly share: ShareView; readonly token: string; readonly url: string }>(
        'POST',
        `${treePath(tree)}/shares`,
        {
          body,
        },
      ),
    shares: (tree: TreeId) => ask<ListedTree<ShareView>>('GET', `${treePath(tree)}/shares`),
    unshare: (id: string) => ask<unknown>('DELETE', `/api/shares/${encodeURIComponent(id)}`),
    /** Has a link show its messages as they are now. */
    updateShare: (id: string) => ask<unknown>('POST', `/api/shares/${encodeURIComponent(id)}/update`),
    shared: (token: string) => ask<SharedAnswer>('GET', `/api/shared/${encodeURIComponent(token)}`),

    commands: () => ask<{ readonly items: readonly CommandView[] }>('GET', '/api/commands'),
    command: (tree: TreeId, line: string, view: CommandPlaceBody) =>
      ask<CommandAnswer>('POST', `${treePath(tree)}/commands`, { body: { line, ...view } }),
    complete: (tree: TreeId, line: string, activeNodeId: NodeId | null) =>
      ask<{
        readonly from: number;
        readonly items: readonly { readonly value: string; readonly label: string; readonly about: string }[];
      }>('POST', `${treePath(tree)}/commands/complete`, { body: { line, activeNodeId } }),
    models: () => ask<{ readonly items: readonly ModelView[]; readonly default?: string }>('GET', '/api/models'),
    refreshModels: () => ask<unknown>('POST', '/api/models/refresh', { body: {} }),
    tools: () =>
      ask<{
        readonly items: readonly {
          readonly name: string;
          readonly description?: string;
          readonly sideEffects?: boolean;
        }[];
      }>('GET', '/api/tools'),
    mcp: () => ask<{ readonly servers: readonly McpServerView[] }>('GET', '/api/mcp'),
    settings: () => ask<SettingsView>('GET', '/api/settings'),
    recorder: () => ask<RecorderView>('GET', '/api/proxy'),
    me: () => ask<{ readonly id?: string; readonly name?: string; readonly role?: string }>('GET', '/api/me'),
  } as const;
}

/** The requests that the page makes, by their meaning. */
export type Api = ReturnType<typeof createApi>;

/** The server that the page came from. */
export const api: Api = createApi(request);
