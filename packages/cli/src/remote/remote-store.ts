/**
 * Gives access to the trees of a running server through the interface of a store, so that subcommands work as on a
 * local store. Operations that only the server itself can do are refused with an explanation.
 */
import { type CoppiceClient, HttpProblem, parseProblemBody, readResponse, type TreeViewData } from '@coppice/client';
import {
  AppError,
  type BlobStore,
  type Command,
  type CommandOutcome,
  type ExternalId,
  type NodeId,
  type Page,
  type PurgeReport,
  type ReadProgram,
  type RemoteCommandOptions,
  type RemoteCommands,
  type Store,
  type TreeId,
  type TreeQuery,
  type TreeSummary,
  treeId,
} from '@coppice/core';

/** The owner is unknown here, because the server finds the user by the token. */
const owner = 'server';

/** Opens the trees of a server. The first read connects. */
export function openRemoteStore(client: CoppiceClient, place: string): Store {
  const store: Store = {
    owner,
    supports: { durable: true, processes: true, search: true, crossProcessFeed: true, history: true },
    elsewhere: commandsOn(client),
    forOwner: () => refuseHere('--owner', 'The token identifies the user.'),
    read: (id, reading) => readOn(client, id, reading),
    change: () => refuseHere('this change', 'Run it on the computer of the server.'),
    feed: () => refuseHere('following a chat', 'Open the page of the server.'),
    async content(id, ids) {
      const { messages } = await translateServerErrors(client.api.contents(id, ids));
      return new Map(
        ids.flatMap((each) => (messages[each] === undefined ? [] : [[each, JSON.stringify(messages[each])]])),
      );
    },
    close: async () => undefined,
    info: async () => ({ kind: 'server', place, readOnly: false, schemaVersion: 0, notes: [] }),
    trees: (query) => listTrees(client, query),
    async formatOf(id) {
      const found = await ifFound(client.api.tree(id));
      return found === null ? null : formatOf(found);
    },
    async search({ text, treeId: tree, limit, cursor, project, roles }) {
      const found = await translateServerErrors(
        readResponse<Page<Awaited<ReturnType<Store['search']>>['items'][number]>>(
          client.routes.GET('/api/search', {
            params: {
              query: {
                q: text,
                ...(tree === undefined ? {} : { treeId: tree }),
                ...(limit === undefined ? {} : { limit }),
                ...(cursor === undefined ? {} : { cursor }),
                ...(project === undefined ? {} : { project }),
                ...(roles === undefined ? {} : { roles: roles.join(',') }),
              },
            },
          }),
        ),
      );
      return found;
    },
    history: async (id, { before, limit } = {}) => {
      const { items } = await translateServerErrors(
        readResponse<{ readonly items: Awaited<ReturnType<Store['history']>> }>(
          client.routes.GET('/api/trees/{tree}/history', {
            params: {
              path: { tree: id },
              query: { ...(before === undefined ? {} : { before }), ...(limit === undefined ? {} : { limit }) },
            },
          }),
        ),
      );
      return items;
    },
    newestAct: () => refuseHere('this', 'Name a chat.'),
    trash: async (id) => (await translateServerErrors(client.api.trash(id))).items,
    purge: (id, what) => purgeOn(client, id, what),
    async purgeTree(id) {
      await translateServerErrors(client.api.removeTree(id, true));
      return emptyPurge;
    },
    trimHistory: () => refuseHere('trim', maintenanceHint),
    feedAll: () => refuseHere('following the chats', 'Open the page of the server.'),
    // The server recovers its own replies.
    runs: {
      start: () => refuseHere('a reply of this computer', 'The server generates replies.'),
      beat: async () => false,
      note: async () => false,
      append: async () => false,
      chunks: async () => [],
      find: async () => null,
      list: async () => [],
      claimStale: async () => [],
      claimStaleOfAll: async () => [],
      end: async () => undefined,
    },
    blobs: blobsOn(client),
    get accounts() {
      return refuseHere('users and tokens', 'Use the page of the server, or run it on its computer.');
    },
    sealed: null,
    shared: null,
    putExternalIds: () => refuseHere('import', importHint),
    async findExternalIds(format, scope, ids) {
      const { items }: ExternalIds = await postJson(client, '/api/external-ids/find', { format, scope, ids });
      return items;
    },
    externalIdsOf: async (id) =>
      (
        await translateServerErrors(
          readResponse<ExternalIds>(
            client.routes.GET('/api/trees/{tree}/external-ids', { params: { path: { tree: id } } }),
          ),
        )
      ).items,
    addProvenance: () => refuseHere('recording', 'Point the program at the proxy of the server.'),
    provenanceOf: async () => [],
    putLinear: () => refuseHere('import', importHint),
    backfill: () => refuseHere('backfill', maintenanceHint),
    fsck: () => refuseHere('fsck', maintenanceHint),
    backup: () => refuseHere('backup', maintenanceHint),
  };
  return store;
}

interface ExternalIds {
  readonly items: readonly ExternalId[];
}

const importHint = 'Import on the page of the server, or run it on its computer.';
const maintenanceHint = 'Run it on the computer of the server, with --store.';
const emptyPurge: PurgeReport = { nodes: 0, contents: 0, copies: [], waitingAttachments: 0, uncleared: [] };

function refuseHere(what: string, instead: string): never {
  throw new AppError({
    code: 'cli/not-on-server',
    kind: 'refused',
    message: `With --server, ${what} is not possible. ${instead}`,
  });
}

/** Waits for a response. An error of the server becomes the error that a local store would throw. */
export async function translateServerErrors<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (thrown) {
    throw thrown instanceof HttpProblem ? toAppError(thrown) : thrown;
  }
}

async function ifFound<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (thrown) {
    if (thrown instanceof HttpProblem && thrown.status === 404) return null;
    throw thrown instanceof HttpProblem ? toAppError(thrown) : thrown;
  }
}

/** Converts an error of the server to the error that a local store would throw. */
export function toAppError({ code, kind, message, status, data }: HttpProblem): AppError {
  if (status === 0 || status === 502 || status === 504)
    return new AppError({
      code: 'cli/server-unreachable',
      kind: 'unavailable',
      message: `The server cannot be reached: ${message}. Check --server or COPPICE_SERVER, and that the server is running.`,
    });
  if (status === 401)
    return new AppError({
      code: 'cli/signed-out',
      kind: 'refused',
      message:
        'The server does not accept the token. Put one into COPPICE_TOKEN: coppice token shows it on the computer of the server.',
    });
  return new AppError({ code, kind, message, data });
}

interface ReadReply {
  readonly version: number | null;
  readonly answer: unknown;
}

/** Posts JSON to a route whose answers have the types of core, and returns the parsed answer. */
export async function postJson<T>(client: CoppiceClient, path: string, body: object): Promise<T> {
  let response: Response;
  try {
    const headers = { 'content-type': 'application/json' };
    response = await client.send(path, { method: 'POST', headers, body: JSON.stringify(body) });
  } catch (thrown) {
    throw toAppError(new HttpProblem('page/offline', describeFetchCause(thrown), 0));
  }
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  let problem: unknown = null;
  try {
    problem = JSON.parse(text);
  } catch {
    // The body is not JSON, for example the page of a proxy. The status is enough for the error.
  }
  throw toAppError(parseProblemBody(problem, response.status));
}

/** Returns the reason of a failed fetch, such as a refused connection. */
export function describeFetchCause(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error && thrown.cause.message !== '' ? thrown.cause.message : thrown.message;
}

// After this many changes during a read, the result is used although the tree has changed.
const readAgainAtMost = 5;

/**
 * Runs a read program by requesting each of its reads. If the tree changes meanwhile, the program starts again, so that
 * all answers belong to one version.
 */
async function readOn<T>(client: CoppiceClient, id: TreeId, reading: () => ReadProgram<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const program = reading();
    let seen: number | null | undefined;
    let changed = false;
    let next = program.next();
    while (next.done !== true && !changed) {
      const { ask: name, ...args } = next.value;
      if (name === 'pause') {
        next = program.next(null);
        continue;
      }
      const reply: ReadReply = await postJson(client, `/api/trees/${id}/reads`, { name, with: args });
      const { version, answer } = reply;
      changed = seen !== undefined && seen !== version && attempt < readAgainAtMost;
      seen = version;
      if (!changed) next = program.next(answer);
    }
    if (next.done === true) return next.value;
  }
}

function commandsOn(client: CoppiceClient): RemoteCommands {
  // Undefined options are left out by JSON.
  const post = (command: object, options: RemoteCommandOptions = {}): Promise<CommandOutcome<unknown>> =>
    postJson(client, '/api/run', { command, ...options });
  return {
    run: (command: Command, options) => post(command, options),
    reverse: (type, force) => post({ type, force }),
  };
}

async function listTrees(client: CoppiceClient, query: TreeQuery = {}): Promise<Page<TreeSummary>> {
  const { items, cursor } = await translateServerErrors(client.api.trees(query));
  return { items: items.map(toSummary), cursor };
}

function formatOf(view: TreeViewData): TreeSummary['format'] {
  return view.conversation_format === 'linear' ? 'linear' : 'tree';
}

function toSummary(view: TreeViewData): TreeSummary {
  const { title, autoTitle, systemPrompt, project, folder, pinned, tags, metadata, copiedFrom, deletedAt } = view;
  return {
    id: treeId(view.id),
    owner,
    rootId: view.rootId,
    version: view.version,
    structureVersion: view.structureVersion,
    activeNodeId: view.activeNodeId,
    // Only planners use this number, and they run on the server.
    nextSeq: 0,
    createdAt: view.createdAt,
    updatedAt: view.updatedAt,
    format: formatOf(view),
    attributes: {
      ...(title === null ? {} : { title }),
      ...(autoTitle === null ? {} : { autoTitle }),
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(project === null ? {} : { project }),
      ...(folder === null ? {} : { folder }),
      ...(pinned ? { pinned } : {}),
      ...(tags.length === 0 ? {} : { tags }),
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
      ...(copiedFrom === null ? {} : { copiedFrom }),
      ...(deletedAt === null ? {} : { trashedAt: deletedAt }),
    },
  };
}

type Purged = Omit<PurgeReport, 'uncleared'> & { readonly uncleared: boolean };

async function purgeOn(
  client: CoppiceClient,
  id: TreeId,
  what: { readonly nodeId: NodeId } | { readonly upTo: number },
): Promise<PurgeReport> {
  const params = { path: { tree: id } };
  const report = await translateServerErrors(
    'upTo' in what
      ? readResponse<Purged>(client.routes.DELETE('/api/trees/{tree}/trash', { params }))
      : readResponse<Purged>(
          client.routes.DELETE('/api/trees/{tree}/trash/{node}', { params: { path: { tree: id, node: what.nodeId } } }),
        ),
  );
  const { nodes, contents, copies, waitingAttachments, uncleared } = report;
  // The server does not send the names of its files.
  return { nodes, contents, copies, waitingAttachments, uncleared: uncleared ? ['a file of the server'] : [] };
}

function blobsOn(client: CoppiceClient): BlobStore {
  const get = async (hash: string): Promise<Response | null> => {
    const response = await client.send(`/api/attachments/${hash}`);
    return response.ok ? response : null;
  };
  return {
    put: (bytes, mediaType) =>
      translateServerErrors(client.upload(new Blob([new Uint8Array(bytes)], { type: mediaType }))),
    async find(hash) {
      const response = await get(hash);
      if (response === null) return null;
      const bytes = await response.arrayBuffer();
      return {
        hash,
        size: bytes.byteLength,
        mediaType: response.headers.get('content-type') ?? 'application/octet-stream',
      };
    },
    async read(hash, range) {
      const response = await get(hash);
      if (response === null) return null;
      const bytes = new Uint8Array(await response.arrayBuffer());
      return range === undefined ? bytes : bytes.slice(range.start, range.end);
    },
  };
}
