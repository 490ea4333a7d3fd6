/** The routes of the server as methods, with types that are generated from the routes. */
import type { Bookmark, JsonObject, Message, Node, NodeId, TreeId, TreeQuery } from '@coppice/core';
import createClient, { type Client, type Middleware } from 'openapi-fetch';
import type {
  CommandAnswer,
  CommandPhrase,
  CommandView,
  CommitSummary,
  ContextAnswer,
  DeleteImpactAnswer,
  EditAnswer,
  GenerationStartedAnswer,
  ListedBookmark,
  ListPage,
  McpServerView,
  ModelView,
  PageAnswer,
  PastPageAnswer,
  RecorderView,
  ReversibleAct,
  SearchHit,
  SettingsView,
  SharedChatAnswer,
  ShareView,
  ToolView,
  TopologyAnswer,
  TrashItem,
  TreeShape,
  TreeViewData,
  UndoAnywhereAnswer,
  WriteResponse,
} from './api-types.ts';
import type { JsonShapeOf } from './as-sent.ts';
import { HttpProblem, parseProblemBody } from './http.ts';
import type { paths } from './paths.ts';

/** Returns the path of the attachments of a share link. */
export function sharedAttachmentsPath(token: string): string {
  return `/api/shared/${encodeURIComponent(token)}/attachments`;
}

/** Filters of the list of trees. */
export type TreeFilter = TreeQuery;

/** A message to send. */
export interface OutgoingMessage {
  readonly id?: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string | Message['content'];
}

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

/** The position at which a slash command runs: the end of the view, and the nodes that it may refer to by number. */
export interface CommandPositionInput {
  readonly activeNodeId: NodeId | null;
  readonly list: readonly NodeId[];
}

/** Returns the path of a tree in the API, for streams and downloads. */
export function treePath(tree: TreeId): string {
  return `/api/trees/${encodeURIComponent(tree)}`;
}

/** The data that a share link may show besides the messages. */
export type SharedField = 'models' | 'system-prompt' | 'thinking' | 'times' | 'tools' | 'usage';

/** A name, and the number of trees with it. */
interface NamedCount {
  readonly name: string;
  readonly count: number;
}

/** Removes undefined fields. */
function omitUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> };
function omitUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function mutableContent(content: string | Message['content']) {
  return typeof content === 'string' ? content : content.map((block) => ({ ...block }));
}

/** Converts messages to mutable lists, which the generated types require. */
function mutableMessages(messages: readonly OutgoingMessage[] | undefined) {
  return messages?.map(({ content, ...rest }) => ({
    ...rest,
    content: mutableContent(content),
  }));
}

export interface Transport {
  /** The URL of the server, without a path. */
  readonly baseUrl: string;
  fetch(request: Request): Promise<Response>;
  /** Whether the browser sends cookies: only to the origin of the page, or never. */
  readonly credentials: 'same-origin' | 'omit';
}

/** The result of a request by openapi-fetch. */
interface Reply<D> {
  readonly data?: D;
  readonly error?: unknown;
  readonly response: Response;
}

/** Gives a response the types of core with branded ids. The compiler has checked its shape. */
function brandIds<T>(answer: JsonShapeOf<T>): T;
function brandIds(answer: unknown): unknown {
  return answer;
}

/** Waits for the data of a response. Rejects with a {@link HttpProblem} if the server refuses or does not respond. */
export async function readResponse<T>(asked: Promise<Reply<JsonShapeOf<T>>>): Promise<T> {
  let reply: Reply<JsonShapeOf<T>>;
  try {
    reply = await asked;
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === 'AbortError')
      throw new HttpProblem('page/aborted', 'The request was aborted.', -1);
    throw new HttpProblem(
      'page/offline',
      thrown instanceof Error ? thrown.message : 'The server cannot be reached.',
      0,
    );
  }
  const { data, error, response } = reply;
  if (!response.ok || data === undefined) throw parseProblemBody(error, response.status);
  return brandIds<T>(data);
}

/** Reports which part of the response body has been read, from 0 to 1. Reports nothing if its length is unknown. */
function followBody(onProgress: (share: number) => void): NonNullable<Middleware['onResponse']> {
  return ({ response }) => {
    // The header has the length of the compressed body, but the decompressed body is read.
    const length = response.headers.get(
      response.headers.has('content-encoding') ? 'x-uncompressed-length' : 'content-length',
    );
    const whole = Number(length ?? Number.NaN);
    if (response.body === null || !(whole > 0)) return undefined;
    let read = 0;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          read += chunk.byteLength;
          onProgress(Math.min(1, read / whole));
          controller.enqueue(chunk);
        },
      }),
    );
    return new Response(counted, response);
  };
}

/** Waits for a response without data. */
async function readSuccess(asked: Promise<Reply<unknown>>): Promise<void> {
  await readResponse<unknown>(asked.then((reply) => (reply.response.ok ? { ...reply, data: true } : reply)));
}

/** Returns the header with the version on which a write is based. */
function ifMatch(version: number | undefined): Record<string, string> {
  return version === undefined ? {} : { 'if-match': `"${version}"` };
}

/**
 * Undoes, redoes or restores. If the tree has changed meanwhile, the request is sent once more with the version in the
 * error. That is safe, because the server refuses a conflicting undo.
 */
async function atCurrentVersion(
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

export type Routes = Client<paths>;

/** Creates the routes for a transport. */
export function createRoutes({ baseUrl, fetch, credentials }: Transport): Routes {
  const options = { baseUrl, fetch, credentials, cache: 'no-store' as const };
  return createClient<paths>(options);
}

/** Creates the methods of the API. Each rejects with a `HttpProblem`. */
export function createApi(routes: Routes) {
  const of = (tree: TreeId) => ({ path: { tree } });
  const on = (tree: TreeId, node: NodeId) => ({ path: { tree, node } });
  return {
    trees: (filter: TreeFilter = {}) =>
      readResponse<ListPage<TreeViewData>>(routes.GET('/api/trees', { params: { query: { ...filter } } })),
    tree: (tree: TreeId) => readResponse<TreeViewData>(routes.GET('/api/trees/{tree}', { params: of(tree) })),
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
        routes.POST('/api/trees', { body: { ...rest, ...omitUndefined({ messages: mutableMessages(messages) }) } }),
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
          params: of(tree),
          body: { ...rest, ...omitUndefined({ tags: tags && [...tags] }) },
        }),
      ),
    setPrompt: (tree: TreeId, systemPrompt: string, whole: boolean, version: number) =>
      readResponse<WriteResponse>(
        routes.PUT('/api/trees/{tree}/system-prompt', {
          params: of(tree),
          body: { systemPrompt, whole },
          headers: ifMatch(version),
        }),
      ),
    duplicate: (tree: TreeId, body: { readonly nodeId?: NodeId; readonly whole?: boolean; readonly title?: string }) =>
      readResponse<WriteResponse>(routes.POST('/api/trees/{tree}/duplicate', { params: of(tree), body })),
    removeTree: (tree: TreeId, purge = false) =>
      readSuccess(routes.DELETE('/api/trees/{tree}', { params: { ...of(tree), query: purge ? { purge } : {} } })),
    restoreTree: (tree: TreeId) => readSuccess(routes.POST('/api/trees/{tree}/restore', { params: of(tree) })),
    keep: (tree: TreeId) => readSuccess(routes.POST('/api/trees/{tree}/keep', { params: of(tree) })),
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

    page: (
      tree: TreeId,
      query: {
        readonly nodeId?: NodeId | undefined;
        readonly limit?: number;
        readonly before?: NodeId;
        readonly after?: NodeId;
      },
      signal?: AbortSignal,
    ) =>
      readResponse<PageAnswer>(
        routes.GET('/api/trees/{tree}/page', {
          params: { ...of(tree), query: { ...omitUndefined(query), siblings: true } },
          ...omitUndefined({ signal }),
        }),
      ),
    /** Reports which part has arrived, from 0 to 1, if the server sends the length. */
    topology: (tree: TreeId, signal?: AbortSignal, onProgress?: (share: number) => void) =>
      readResponse<TopologyAnswer>(
        routes.GET('/api/trees/{tree}/topology/columns', {
          params: of(tree),
          ...omitUndefined({ signal }),
          ...(onProgress === undefined ? {} : { middleware: [{ onResponse: followBody(onProgress) }] }),
        }),
      ),
    through: (tree: TreeId, id: NodeId, limit?: number) =>
      readResponse<{ readonly nodes: readonly Node[] }>(
        routes.GET('/api/trees/{tree}/nodes/{node}/path', {
          params: { ...on(tree, id), query: omitUndefined({ limit }) },
        }),
      ),
    node: (tree: TreeId, id: NodeId) =>
      readResponse<{ readonly node: Node; readonly bookmark: Bookmark | null }>(
        routes.GET('/api/trees/{tree}/nodes/{node}', { params: on(tree, id) }),
      ),
    contents: (tree: TreeId, ids: readonly NodeId[]) =>
      readResponse<{ readonly messages: Readonly<Record<string, Message>> }>(
        routes.GET('/api/trees/{tree}/contents', { params: { ...of(tree), query: { ids: ids.join(',') } } }),
      ),
    siblings: (tree: TreeId, id: NodeId) =>
      readResponse<{ readonly index: number; readonly total: number; readonly nodes: readonly Node[] }>(
        routes.GET('/api/trees/{tree}/nodes/{node}/siblings', { params: on(tree, id) }),
      ),
    impact: (tree: TreeId, id: NodeId, mode: 'splice' | 'cascade' | 'group') =>
      readResponse<DeleteImpactAnswer>(
        routes.GET('/api/trees/{tree}/nodes/{node}/impact', { params: { ...on(tree, id), query: { mode } } }),
      ),
    context: (
      tree: TreeId,
      query: {
        readonly nodeId: NodeId | null;
        readonly model: string | null;
        /** The number of messages. Defaults to all. */
        readonly limit?: number;
        readonly before?: NodeId;
        /** The names of the tools that are offered, separated by commas. */
        readonly tools?: string;
      },
      signal?: AbortSignal,
    ) =>
      readResponse<ContextAnswer>(
        routes.GET('/api/trees/{tree}/context', {
          params: {
            ...of(tree),
            query: omitUndefined({ ...query, nodeId: query.nodeId ?? undefined, model: query.model ?? undefined }),
          },
          ...omitUndefined({ signal }),
        }),
      ),
    history: (tree: TreeId, before?: number) =>
      readResponse<{ readonly items: readonly CommitSummary[] }>(
        routes.GET('/api/trees/{tree}/history', {
          params: { ...of(tree), query: { ...omitUndefined({ before }), limit: 200 } },
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
        routes.GET('/api/trees/{tree}/trash', { params: of(tree) }),
      ),
    search: (
      q: string,
      query: { readonly treeId?: TreeId; readonly limit?: number; readonly cursor?: string } = {},
      signal?: AbortSignal,
    ) =>
      readResponse<ListPage<SearchHit>>(
        routes.GET('/api/search', { params: { query: { q, ...query } }, ...omitUndefined({ signal }) }),
      ),

    append: (
      tree: TreeId,
      body: { readonly parentId?: NodeId; readonly messages: readonly OutgoingMessage[] },
      version: number,
    ) =>
      readResponse<WriteResponse>(
        routes.POST('/api/trees/{tree}/messages', {
          params: of(tree),
          body: { ...body, messages: mutableMessages(body.messages) ?? [], onConflict: 'branch' },
          headers: ifMatch(version),
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
          params: on(tree, id),
          body: {
            ...body,
            content: mutableContent(body.content),
            ...(body.mode === 'in-place' ? {} : { onConflict: 'branch' }),
          },
          headers: ifMatch(version),
        }),
      ),
    split: (tree: TreeId, id: NodeId, position: number, version: number) =>
      readResponse<WriteResponse>(
        routes.POST('/api/trees/{tree}/nodes/{node}/split', {
          params: on(tree, id),
          body: { position },
          headers: ifMatch(version),
        }),
      ),
    join: (tree: TreeId, id: NodeId, version: number) =>
      readResponse<WriteResponse>(
        routes.POST('/api/trees/{tree}/nodes/{node}/join', {
          params: on(tree, id),
          body: {},
          headers: ifMatch(version),
        }),
      ),
    remove: (tree: TreeId, id: NodeId, mode: 'splice' | 'cascade' | 'group', version: number) =>
      readResponse<WriteResponse>(
        routes.DELETE('/api/trees/{tree}/nodes/{node}', {
          params: { ...on(tree, id), query: { mode } },
          headers: ifMatch(version),
        }),
      ),
    /** `version` is the version of the target tree. */
    move: (
      tree: TreeId,
      id: NodeId,
      body: { readonly parentId: NodeId; readonly before?: NodeId; readonly treeId?: TreeId },
      version: number,
    ) =>
      readResponse<WriteResponse>(
        routes.POST('/api/trees/{tree}/nodes/{node}/move', { params: on(tree, id), body, headers: ifMatch(version) }),
      ),
    cherryPick: (
      tree: TreeId,
      body: { readonly nodeId: NodeId; readonly to?: NodeId; readonly parentId?: NodeId; readonly from?: TreeId },
      version: number,
    ) =>
      readResponse<WriteResponse>(
        routes.POST('/api/trees/{tree}/cherry-pick', { params: of(tree), body, headers: ifMatch(version) }),
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
          params: of(tree),
          body,
          headers: ifMatch(version),
          ...omitUndefined({ signal }),
        }),
      ),
    select: (tree: TreeId, id: NodeId) =>
      readResponse<WriteResponse>(routes.PUT('/api/trees/{tree}/active', { params: of(tree), body: { nodeId: id } })),
    bookmark: (tree: TreeId, id: NodeId, title: string) =>
      readResponse<WriteResponse>(
        routes.PUT('/api/trees/{tree}/nodes/{node}/bookmark', { params: on(tree, id), body: { title } }),
      ),
    unbookmark: (tree: TreeId, id: NodeId) =>
      readResponse<WriteResponse>(routes.DELETE('/api/trees/{tree}/nodes/{node}/bookmark', { params: on(tree, id) })),
    tag: (tree: TreeId, id: NodeId, tags: readonly string[]) =>
      readResponse<WriteResponse>(
        routes.PUT('/api/trees/{tree}/nodes/{node}/tags', { params: on(tree, id), body: { tags: [...tags] } }),
      ),
    title: (tree: TreeId, id: NodeId, title: string) =>
      readResponse<WriteResponse>(
        routes.PUT('/api/trees/{tree}/nodes/{node}/title', { params: on(tree, id), body: { title } }),
      ),
    annotate: (tree: TreeId, id: NodeId, set: Readonly<Record<string, unknown>>) =>
      readResponse<WriteResponse>(
        routes.PATCH('/api/trees/{tree}/nodes/{node}/meta', { params: on(tree, id), body: { set } }),
      ),
    /** Returns what an undo and a redo would change; null if there is nothing to undo or redo. */
    reversible: (tree: TreeId) =>
      readResponse<{ readonly undo: ReversibleAct | null; readonly redo: ReversibleAct | null }>(
        routes.GET('/api/trees/{tree}/reversible', { params: of(tree) }),
      ),
    undo: (tree: TreeId, body: { readonly force?: boolean; readonly actId?: string }, version: number) =>
      atCurrentVersion(
        (now) =>
          readResponse<WriteResponse>(
            routes.POST('/api/trees/{tree}/undo', { params: of(tree), body, headers: ifMatch(now) }),
          ),
        version,
      ),
    redo: (tree: TreeId, version: number) =>
      atCurrentVersion(
        (now) =>
          readResponse<WriteResponse>(
            routes.POST('/api/trees/{tree}/redo', { params: of(tree), body: {}, headers: ifMatch(now) }),
          ),
        version,
      ),
    undoAnywhere: () => readResponse<UndoAnywhereAnswer>(routes.POST('/api/undo', { body: {} })),
    redoAnywhere: () => readResponse<UndoAnywhereAnswer>(routes.POST('/api/redo', { body: {} })),
    restoreNode: async (tree: TreeId, id: NodeId) => {
      const { version } = await readResponse<TreeViewData>(routes.GET('/api/trees/{tree}', { params: of(tree) }));
      return atCurrentVersion(
        (now) =>
          readResponse<WriteResponse>(
            routes.POST('/api/trees/{tree}/trash/{node}/restore', { params: on(tree, id), headers: ifMatch(now) }),
          ),
        version,
      );
    },
    restoreVersion: (tree: TreeId, past: number, version: number) =>
      readResponse<WriteResponse>(
        routes.POST('/api/trees/{tree}/history/{version}/restore', {
          params: { path: { tree, version: past } },
          headers: ifMatch(version),
        }),
      ),
    compact: (
      tree: TreeId,
      body: { readonly nodeId?: NodeId; readonly focus?: string; readonly model?: string },
      version: number,
    ) =>
      readResponse<WriteResponse>(
        routes.POST('/api/trees/{tree}/compact', { params: of(tree), body, headers: ifMatch(version) }),
      ),

    generate: (tree: TreeId, { messages, models, tools, nodeIds, ...body }: GenerationRequest) =>
      readResponse<GenerationStartedAnswer>(
        routes.POST('/api/trees/{tree}/generations', {
          params: of(tree),
          body: {
            ...body,
            ...omitUndefined({
              messages: mutableMessages(messages),
              models: models && [...models],
              tools: tools && [...tools],
              nodeIds: nodeIds && [...nodeIds],
            }),
          },
        }),
      ),
    abort: (tree: TreeId, id: NodeId) =>
      readSuccess(routes.POST('/api/trees/{tree}/nodes/{node}/abort', { params: on(tree, id) })),
    approve: (act: string, call: string, approve: boolean, remember: boolean) =>
      readSuccess(
        routes.POST('/api/generations/{act}/approvals/{call}', {
          params: { path: { act, call } },
          body: { approve, remember },
        }),
      ),

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
          params: of(tree),
          body: { ...rest, ...omitUndefined({ fields: fields && [...fields] }) },
        }),
      ),
    shares: (tree: TreeId) =>
      readResponse<{ readonly items: readonly ShareView[] }>(
        routes.GET('/api/trees/{tree}/shares', { params: of(tree) }),
      ),
    unshare: (id: string) => readSuccess(routes.DELETE('/api/shares/{id}', { params: { path: { id } } })),
    /** Updates a share link to the current text of its messages. */
    updateShare: (id: string) => readSuccess(routes.POST('/api/shares/{id}/update', { params: { path: { id } } })),
    shared: (token: string) =>
      readResponse<SharedChatAnswer>(routes.GET('/api/shared/{token}', { params: { path: { token } } })),

    commands: () => readResponse<{ readonly items: readonly CommandView[] }>(routes.GET('/api/commands')),
    command: (tree: TreeId, line: string, { activeNodeId, list }: CommandPositionInput) =>
      readResponse<CommandAnswer>(
        routes.POST('/api/trees/{tree}/commands', { params: of(tree), body: { line, activeNodeId, list: [...list] } }),
      ),
    complete: (tree: TreeId, line: string, activeNodeId: NodeId | null) =>
      readResponse<{
        readonly from: number;
        readonly items: readonly {
          readonly value: string;
          readonly label: string;
          readonly about: string;
          readonly phrase?: CommandPhrase;
        }[];
      }>(routes.POST('/api/trees/{tree}/commands/complete', { params: of(tree), body: { line, activeNodeId } })),
    models: () =>
      // The list of models is long and rarely changes. The browser caches it, and checks whether it has changed.
      readResponse<{ readonly items: readonly ModelView[]; readonly default?: string }>(
        routes.GET('/api/models', { cache: 'no-cache' }),
      ),
    refreshModels: () => readSuccess(routes.POST('/api/models/refresh')),
    tools: () => readResponse<{ readonly items: readonly ToolView[] }>(routes.GET('/api/tools')),
    mcp: () => readResponse<{ readonly servers: readonly McpServerView[] }>(routes.GET('/api/mcp')),
    settings: () => readResponse<SettingsView>(routes.GET('/api/settings')),
    recorder: () => readResponse<RecorderView>(routes.GET('/api/proxy')),
  } as const;
}

export type Api = ReturnType<typeof createApi>;
