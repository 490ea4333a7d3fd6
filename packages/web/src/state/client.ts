/** Every route that the page calls, by its meaning, on the types that are generated from the server's routes. */
import type { Bookmark, Message, Node, NodeId, TreeId, TreeQuery } from '@coppice/core';
import type { paths } from '@coppice/server/client';
import createClient, { type Client } from 'openapi-fetch';
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
  PastPage,
  RecorderView,
  SearchHit,
  SettingsView,
  SharedAnswer,
  ShareView,
  ToolView,
  TopologyAnswer,
  TrashItem,
  TreeShape,
  TreeViewData,
  UndoneAnywhere,
  WrittenAnswer,
} from './api-types.ts';
import type { AsSent } from './as-sent.ts';
import { HttpProblem, problemFrom } from './http.ts';

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
  readonly content: string | Message['content'];
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

/** The address of a tree in the API, for streams and downloads. */
export function treePath(tree: TreeId): string {
  return `/api/trees/${encodeURIComponent(tree)}`;
}

/** What a link may show beside the messages. */
export type SharedField = 'models' | 'system-prompt' | 'thinking' | 'times' | 'tools' | 'usage';

/** A name and how many trees have it. */
interface NamedCount {
  readonly name: string;
  readonly count: number;
}

/** Leaves out what is not given. */
function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> };
function given(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function sentContent(content: string | Message['content']) {
  return typeof content === 'string' ? content : content.map((block) => ({ ...block }));
}

/** Messages as the generated types take them, which know no list that cannot be changed. */
function sent(messages: readonly OutMessage[] | undefined) {
  return messages?.map(({ content, ...rest }) => ({
    ...rest,
    content: sentContent(content),
  }));
}

/** How requests are made: by the browser's own `fetch`, or by that of a test. */
export interface Transport {
  /** Where the server is; requests name paths below it. */
  readonly baseUrl: string;
  fetch(request: Request): Promise<Response>;
}

/** What openapi-fetch gives for a request. */
interface Reply<D> {
  readonly data?: D;
  readonly error?: unknown;
  readonly response: Response;
}

/** Takes an answer whose shape the compiler has checked as what the page calls it; ids are told apart from here on. */
function named<T>(answer: AsSent<T>): T;
function named(answer: unknown): unknown {
  return answer;
}

/** Waits for an answer; rejects with a {@link HttpProblem} where there is none, or a refusal. */
export async function read<T>(asked: Promise<Reply<AsSent<T>>>): Promise<T> {
  let reply: Reply<AsSent<T>>;
  try {
    reply = await asked;
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === 'AbortError')
      throw new HttpProblem('page/aborted', 'Nobody waits for this any more.', -1);
    throw new HttpProblem(
      'page/offline',
      thrown instanceof Error ? thrown.message : 'The server cannot be reached.',
      0,
    );
  }
  const { data, error, response } = reply;
  if (!response.ok || data === undefined) throw problemFrom(error, response.status);
  return named<T>(data);
}

/** Waits for an answer of which only the success matters. */
async function done(asked: Promise<Reply<unknown>>): Promise<void> {
  await read<unknown>(asked.then((reply) => (reply.response.ok ? { ...reply, data: true } : reply)));
}

/** The header that names the version a write is based on. */
function seen(version: number | undefined): Record<string, string> {
  return version === undefined ? {} : { 'if-match': `"${version}"` };
}

/**
 * Takes back, does again or brings back. Where the tree went on before the page heard of it, it is asked once more under
 * the version that the refusal tells: what others did on top of it is refused by itself, whatever was seen.
 */
async function atCurrentVersion(
  write: (version: number) => Promise<WrittenAnswer>,
  version: number,
): Promise<WrittenAnswer> {
  try {
    return await write(version);
  } catch (thrown) {
    const now =
      thrown instanceof HttpProblem && thrown.code === 'tree/version-conflict' ? thrown.data.version : undefined;
    if (typeof now !== 'number') throw thrown;
    return write(now);
  }
}

/** The routes by their generated types. */
export type Routes = Client<paths>;

/** Opens the routes on a transport. */
export function createRoutes({ baseUrl, fetch }: Transport): Routes {
  return createClient<paths>({ baseUrl, fetch, credentials: 'same-origin', cache: 'no-store' });
}

/** The server, as the page knows it. Everything rejects with a `HttpProblem`. */
export function createApi(routes: Routes) {
  const of = (tree: TreeId) => ({ path: { tree } });
  const on = (tree: TreeId, node: NodeId) => ({ path: { tree, node } });
  return {
    trees: (filter: TreeFilter = {}) =>
      read<ListedTree<TreeViewData>>(routes.GET('/api/trees', { params: { query: { ...filter } } })),
    tree: (tree: TreeId) => read<TreeViewData>(routes.GET('/api/trees/{tree}', { params: of(tree) })),
    create: ({
      messages,
      ...rest
    }: {
      readonly title?: string;
      readonly systemPrompt?: string;
      readonly temporary?: boolean;
      readonly messages?: readonly OutMessage[];
    }) => read<WrittenAnswer>(routes.POST('/api/trees', { body: { ...rest, ...given({ messages: sent(messages) }) } })),
    patch: (tree: TreeId, { tags, ...rest }: Partial<Pick<TreeViewData, 'title' | 'tags' | 'folder' | 'pinned'>>) =>
      read<WrittenAnswer>(
        routes.PATCH('/api/trees/{tree}', {
          params: of(tree),
          body: { ...rest, ...given({ tags: tags && [...tags] }) },
        }),
      ),
    setPrompt: (tree: TreeId, systemPrompt: string, whole: boolean, version: number) =>
      read<WrittenAnswer>(
        routes.PUT('/api/trees/{tree}/system-prompt', {
          params: of(tree),
          body: { systemPrompt, whole },
          headers: seen(version),
        }),
      ),
    duplicate: (tree: TreeId, body: { readonly nodeId?: NodeId; readonly whole?: boolean; readonly title?: string }) =>
      read<WrittenAnswer>(routes.POST('/api/trees/{tree}/duplicate', { params: of(tree), body })),
    removeTree: (tree: TreeId, purge = false) =>
      done(routes.DELETE('/api/trees/{tree}', { params: { ...of(tree), query: purge ? { purge } : {} } })),
    restoreTree: (tree: TreeId) => done(routes.POST('/api/trees/{tree}/restore', { params: of(tree) })),
    keep: (tree: TreeId) => done(routes.POST('/api/trees/{tree}/keep', { params: of(tree) })),
    shapes: (ids: readonly TreeId[]) =>
      read<{ readonly items: readonly TreeShape[] }>(
        routes.GET('/api/shapes', { params: { query: { ids: ids.join(',') } } }),
      ),
    allBookmarks: (cursor?: string) =>
      read<ListedTree<ListedBookmark>>(routes.GET('/api/bookmarks', { params: { query: given({ cursor }) } })),
    folders: () => read<{ readonly items: readonly NamedCount[] }>(routes.GET('/api/folders')),
    tags: () => read<{ readonly items: readonly NamedCount[] }>(routes.GET('/api/tags')),

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
      read<PageAnswer>(
        routes.GET('/api/trees/{tree}/page', {
          params: { ...of(tree), query: { ...given(query), siblings: true } },
          ...given({ signal }),
        }),
      ),
    topology: (tree: TreeId, signal?: AbortSignal) =>
      read<TopologyAnswer>(
        routes.GET('/api/trees/{tree}/topology/columns', { params: of(tree), ...given({ signal }) }),
      ),
    through: (tree: TreeId, id: NodeId, limit?: number) =>
      read<{ readonly nodes: readonly Node[] }>(
        routes.GET('/api/trees/{tree}/nodes/{node}/path', { params: { ...on(tree, id), query: given({ limit }) } }),
      ),
    node: (tree: TreeId, id: NodeId) =>
      read<{ readonly node: Node; readonly bookmark: Bookmark | null }>(
        routes.GET('/api/trees/{tree}/nodes/{node}', { params: on(tree, id) }),
      ),
    contents: (tree: TreeId, ids: readonly NodeId[]) =>
      read<{ readonly messages: Readonly<Record<string, Message>> }>(
        routes.GET('/api/trees/{tree}/contents', { params: { ...of(tree), query: { ids: ids.join(',') } } }),
      ),
    siblings: (tree: TreeId, id: NodeId) =>
      read<{ readonly index: number; readonly total: number; readonly nodes: readonly Node[] }>(
        routes.GET('/api/trees/{tree}/nodes/{node}/siblings', { params: on(tree, id) }),
      ),
    impact: (tree: TreeId, id: NodeId, mode: 'splice' | 'cascade' | 'group') =>
      read<ImpactAnswer>(
        routes.GET('/api/trees/{tree}/nodes/{node}/impact', { params: { ...on(tree, id), query: { mode } } }),
      ),
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
    ) =>
      read<ContextAnswer>(
        routes.GET('/api/trees/{tree}/context', {
          params: {
            ...of(tree),
            query: given({ ...query, nodeId: query.nodeId ?? undefined, model: query.model ?? undefined }),
          },
          ...given({ signal }),
        }),
      ),
    history: (tree: TreeId, before?: number) =>
      read<{ readonly items: readonly CommitSummary[] }>(
        routes.GET('/api/trees/{tree}/history', {
          params: { ...of(tree), query: { ...given({ before }), limit: 200 } },
        }),
      ),
    pageAsOf: (
      tree: TreeId,
      version: number,
      query: { readonly nodeId?: NodeId; readonly limit?: number; readonly before?: NodeId },
    ) =>
      read<PastPage>(
        routes.GET('/api/trees/{tree}/history/{version}/page', {
          params: { path: { tree, version }, query },
        }),
      ),
    trash: (tree: TreeId) =>
      read<{ readonly items: readonly TrashItem[] }>(routes.GET('/api/trees/{tree}/trash', { params: of(tree) })),
    search: (
      q: string,
      query: { readonly treeId?: TreeId; readonly limit?: number; readonly cursor?: string } = {},
      signal?: AbortSignal,
    ) =>
      read<ListedTree<SearchHit>>(
        routes.GET('/api/search', { params: { query: { q, ...query } }, ...given({ signal }) }),
      ),

    append: (
      tree: TreeId,
      body: { readonly parentId?: NodeId; readonly messages: readonly OutMessage[] },
      version: number,
    ) =>
      read<WrittenAnswer>(
        routes.POST('/api/trees/{tree}/messages', {
          params: of(tree),
          body: { ...body, messages: sent(body.messages) ?? [], onConflict: 'branch' },
          headers: seen(version),
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
      read<Edited>(
        routes.POST('/api/trees/{tree}/nodes/{node}/edit', {
          params: on(tree, id),
          body: {
            ...body,
            content: sentContent(body.content),
            ...(body.mode === 'in-place' ? {} : { onConflict: 'branch' }),
          },
          headers: seen(version),
        }),
      ),
    split: (tree: TreeId, id: NodeId, position: number, version: number) =>
      read<WrittenAnswer>(
        routes.POST('/api/trees/{tree}/nodes/{node}/split', {
          params: on(tree, id),
          body: { position },
          headers: seen(version),
        }),
      ),
    remove: (tree: TreeId, id: NodeId, mode: 'splice' | 'cascade' | 'group', version: number) =>
      read<WrittenAnswer>(
        routes.DELETE('/api/trees/{tree}/nodes/{node}', {
          params: { ...on(tree, id), query: { mode } },
          headers: seen(version),
        }),
      ),
    /** The version is that of the tree it goes to. */
    move: (
      tree: TreeId,
      id: NodeId,
      body: { readonly parentId: NodeId; readonly before?: NodeId; readonly treeId?: TreeId },
      version: number,
    ) =>
      read<WrittenAnswer>(
        routes.POST('/api/trees/{tree}/nodes/{node}/move', { params: on(tree, id), body, headers: seen(version) }),
      ),
    cherryPick: (
      tree: TreeId,
      body: { readonly nodeId: NodeId; readonly to?: NodeId; readonly parentId?: NodeId; readonly from?: TreeId },
      version: number,
    ) =>
      read<WrittenAnswer>(
        routes.POST('/api/trees/{tree}/cherry-pick', { params: of(tree), body, headers: seen(version) }),
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
      read<WrittenAnswer>(
        routes.POST('/api/trees/{tree}/merge', {
          params: of(tree),
          body,
          headers: seen(version),
          ...given({ signal }),
        }),
      ),
    select: (tree: TreeId, id: NodeId) =>
      read<WrittenAnswer>(routes.PUT('/api/trees/{tree}/active', { params: of(tree), body: { nodeId: id } })),
    bookmark: (tree: TreeId, id: NodeId, title: string) =>
      read<WrittenAnswer>(
        routes.PUT('/api/trees/{tree}/nodes/{node}/bookmark', { params: on(tree, id), body: { title } }),
      ),
    unbookmark: (tree: TreeId, id: NodeId) =>
      read<WrittenAnswer>(routes.DELETE('/api/trees/{tree}/nodes/{node}/bookmark', { params: on(tree, id) })),
    tag: (tree: TreeId, id: NodeId, tags: readonly string[]) =>
      read<WrittenAnswer>(
        routes.PUT('/api/trees/{tree}/nodes/{node}/tags', { params: on(tree, id), body: { tags: [...tags] } }),
      ),
    title: (tree: TreeId, id: NodeId, title: string) =>
      read<WrittenAnswer>(
        routes.PUT('/api/trees/{tree}/nodes/{node}/title', { params: on(tree, id), body: { title } }),
      ),
    annotate: (tree: TreeId, id: NodeId, set: Readonly<Record<string, unknown>>) =>
      read<WrittenAnswer>(routes.PATCH('/api/trees/{tree}/nodes/{node}/meta', { params: on(tree, id), body: { set } })),
    undo: (tree: TreeId, body: { readonly force?: boolean; readonly actId?: string }, version: number) =>
      atCurrentVersion(
        (now) =>
          read<WrittenAnswer>(routes.POST('/api/trees/{tree}/undo', { params: of(tree), body, headers: seen(now) })),
        version,
      ),
    redo: (tree: TreeId, version: number) =>
      atCurrentVersion(
        (now) =>
          read<WrittenAnswer>(
            routes.POST('/api/trees/{tree}/redo', { params: of(tree), body: {}, headers: seen(now) }),
          ),
        version,
      ),
    undoAnywhere: () => read<UndoneAnywhere>(routes.POST('/api/undo', { body: {} })),
    redoAnywhere: () => read<UndoneAnywhere>(routes.POST('/api/redo', { body: {} })),
    restoreNode: async (tree: TreeId, id: NodeId) => {
      const { version } = await read<TreeViewData>(routes.GET('/api/trees/{tree}', { params: of(tree) }));
      return atCurrentVersion(
        (now) =>
          read<WrittenAnswer>(
            routes.POST('/api/trees/{tree}/trash/{node}/restore', { params: on(tree, id), headers: seen(now) }),
          ),
        version,
      );
    },
    restoreVersion: (tree: TreeId, past: number, version: number) =>
      read<WrittenAnswer>(
        routes.POST('/api/trees/{tree}/history/{version}/restore', {
          params: { path: { tree, version: past } },
          headers: seen(version),
        }),
      ),
    compact: (
      tree: TreeId,
      body: { readonly nodeId?: NodeId; readonly focus?: string; readonly model?: string },
      version: number,
    ) =>
      read<WrittenAnswer>(routes.POST('/api/trees/{tree}/compact', { params: of(tree), body, headers: seen(version) })),

    generate: (tree: TreeId, { messages, models, tools, ...body }: GenerationRequest) =>
      read<BegunAnswer>(
        routes.POST('/api/trees/{tree}/generations', {
          params: of(tree),
          body: {
            ...body,
            ...given({ messages: sent(messages), models: models && [...models], tools: tools && [...tools] }),
          },
        }),
      ),
    abort: (tree: TreeId, id: NodeId) =>
      done(routes.POST('/api/trees/{tree}/nodes/{node}/abort', { params: on(tree, id) })),
    approve: (act: string, call: string, approve: boolean, remember: boolean) =>
      done(
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
      read<{ readonly share: ShareView; readonly token: string; readonly url: string }>(
        routes.POST('/api/trees/{tree}/shares', {
          params: of(tree),
          body: { ...rest, ...given({ fields: fields && [...fields] }) },
        }),
      ),
    shares: (tree: TreeId) =>
      read<{ readonly items: readonly ShareView[] }>(routes.GET('/api/trees/{tree}/shares', { params: of(tree) })),
    unshare: (id: string) => done(routes.DELETE('/api/shares/{id}', { params: { path: { id } } })),
    /** Has a link show its messages as they are now. */
    updateShare: (id: string) => done(routes.POST('/api/shares/{id}/update', { params: { path: { id } } })),
    shared: (token: string) => read<SharedAnswer>(routes.GET('/api/shared/{token}', { params: { path: { token } } })),

    commands: () => read<{ readonly items: readonly CommandView[] }>(routes.GET('/api/commands')),
    command: (tree: TreeId, line: string, { activeNodeId, list }: CommandPlaceBody) =>
      read<CommandAnswer>(
        routes.POST('/api/trees/{tree}/commands', { params: of(tree), body: { line, activeNodeId, list: [...list] } }),
      ),
    complete: (tree: TreeId, line: string, activeNodeId: NodeId | null) =>
      read<{
        readonly from: number;
        readonly items: readonly { readonly value: string; readonly label: string; readonly about: string }[];
      }>(routes.POST('/api/trees/{tree}/commands/complete', { params: of(tree), body: { line, activeNodeId } })),
    models: () => read<{ readonly items: readonly ModelView[]; readonly default?: string }>(routes.GET('/api/models')),
    refreshModels: () => done(routes.POST('/api/models/refresh')),
    tools: () => read<{ readonly items: readonly ToolView[] }>(routes.GET('/api/tools')),
    mcp: () => read<{ readonly servers: readonly McpServerView[] }>(routes.GET('/api/mcp')),
    settings: () => read<SettingsView>(routes.GET('/api/settings')),
    recorder: () => read<RecorderView>(routes.GET('/api/proxy')),
  } as const;
}

/** The requests that the page makes, by their meaning. */
export type Api = ReturnType<typeof createApi>;

/** The routes of the server that the page came from. */
export const routes: Routes = createRoutes({
  baseUrl: globalThis.location?.origin ?? '',
  fetch: (request) => fetch(request),
});

/** The server that the page came from. */
export const api: Api = createApi(routes);
