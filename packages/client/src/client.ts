/** Creates the client of one Coppice server. */
import type { TreeId } from '@coppice/core';
import { type Api, createApi } from './api/create-api.ts';
import { createRoutes, type Routes } from './api/request.ts';
import { type Connection, followEvents, makeOfflineProblem, openEventStream } from './connection.ts';
import { type ClientEnvironment, defaultEnvironment, pageOrigin } from './environment.ts';
import { readProblem } from './http.ts';
import { TreeSession } from './session.ts';
import { UnsentMessages } from './unsent.ts';

/** The options of a client. A page that the server itself delivers needs none of them. */
export interface ClientOptions extends Partial<ClientEnvironment> {
  /** The URL of the server, for example `http://127.0.0.1:4460`. Defaults to the origin of the page. */
  readonly baseUrl?: string;
  /** A bearer token of the server. If it is set, no cookie is sent. */
  readonly token?: string;
  /** Called for each 401 response. The client keeps writes that wait, and sends them after the user has signed in. */
  readonly onSignedOut?: () => void;
}

/** The hash, media type and size under which the server stores an uploaded file. */
export interface StoredAttachment {
  readonly hash: string;
  readonly size: number;
  readonly mediaType: string;
}

export interface CoppiceClient extends Connection {
  /** The routes with their generated types, for requests that `api` does not have. */
  readonly routes: Routes;
  /** Messages that could not be sent. */
  readonly unsent: UnsentMessages;
  /** Opens a tree. Call `open()` on the result to read it, and `close()` when it is no longer shown. */
  openTree(treeId: TreeId): TreeSession;
  /** Calls `changed` when a tree of the user changes, and once when the connection is open. */
  followTrees(changed: () => void): { close(): void };
  /** Uploads a file. The same bytes give the same attachment. */
  upload(file: Blob, signal?: AbortSignal): Promise<StoredAttachment>;
  /** Whether writes wait for an unreachable server. They would be lost if the program was closed now. */
  hasWaitingWrites(): boolean;
}

/** Creates a client. It sends no request until it is used. */
export function createClient(options: ClientOptions = {}): CoppiceClient {
  const environment: ClientEnvironment = { ...defaultEnvironment(), ...options };
  const { baseUrl = pageOrigin(), token } = options;
  const credentials = token === undefined ? 'same-origin' : 'omit';
  const fresh = { credentials, cache: 'no-store' } as const;
  const sendRequest = (request: Request): Promise<Response> => {
    if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`);
    return environment.fetch(request).then((response) => {
      if (response.status === 401) options.onSignedOut?.();
      return response;
    });
  };
  const send: Connection['send'] = (path, init) => sendRequest(new Request(baseUrl + path, { ...fresh, ...init }));
  const routes = createRoutes({ baseUrl, fetch: sendRequest, credentials });
  const api: Api = createApi(routes);
  const { storage, now, newId, isVisible, onVisibilityChange } = environment;
  const client: CoppiceClient = {
    api,
    routes,
    send,
    storage,
    now,
    newId,
    isVisible,
    onVisibilityChange,
    waitingQueues: new Set(),
    unsent: new UnsentMessages(storage),
    openEvents: (path, listener) => openEventStream(send, path, listener),
    openTree: (treeId) => new TreeSession(treeId, client),
    followTrees: (changed) =>
      followEvents(client, {
        path: () => '/api/feed',
        connected: (connected) => {
          if (connected) changed();
        },
        event: (name) => {
          if (name === 'tree') changed();
        },
      }),
    async upload(file, signal) {
      let response: Response;
      try {
        response = await send('/api/attachments', {
          method: 'POST',
          headers: { 'content-type': file.type || 'application/octet-stream' },
          body: file,
          ...(signal === undefined ? {} : { signal }),
        });
      } catch (thrown) {
        throw makeOfflineProblem(thrown);
      }
      if (!response.ok) throw await readProblem(response);
      const stored: StoredAttachment = JSON.parse(await response.text());
      return stored;
    },
    hasWaitingWrites: () => client.waitingQueues.size > 0,
  };
  return client;
}
