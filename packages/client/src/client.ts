/** Creates the client of one Coppice server. */
import { type OptionNames, type TreeId, treeId } from '@coppice/core';
import { assertOptionNames, omitUndefined } from '@coppice/core/decode';
import { type Api, createApi } from './api/create-api.ts';
import { createRoutes, type Routes } from './api/request.ts';
import { type Connection, followEvents, openEventStream } from './connection.ts';
import {
  type ClientEnvironment,
  canStreamResponses,
  createDefaultEnvironment,
  createStreamingRequest,
  findMissingGlobals,
  pageOrigin,
} from './environment.ts';
import { HttpProblem, readProblem, toRequestProblem } from './http.ts';
import { openRequestEvents } from './request-events.ts';
import { TreeSession } from './session.ts';
import { UnsentMessages } from './unsent.ts';

/** The options of a client. A page that the server itself delivers needs none of them. */
export interface ClientOptions extends Partial<ClientEnvironment> {
  /**
   * The URL of the server, for example `http://127.0.0.1:4747`. Defaults to the origin of the page. Without a URL and a
   * page, for example in server-side rendering, each request fails with `client/no-address`.
   */
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
  openTree(treeId: string): TreeSession;
  /**
   * Calls `changed` with the id of each tree of the user that changes, and with null when the connection is open, after
   * which any tree may have changed.
   */
  followTrees(changed: (treeId: TreeId | null) => void): { close(): void };
  /** Uploads a file. The same bytes give the same attachment. */
  upload(file: Blob, signal?: AbortSignal): Promise<StoredAttachment>;
  /** Whether writes wait for an unreachable server. They would be lost if the program was closed now. */
  hasWaitingWrites(): boolean;
}

/**
 * Creates a client. It sends no request until it is used. Throws `client/missing-global` where the environment lacks
 * `fetch` or a class that belongs to it.
 */
export function createClient(options: ClientOptions = {}): CoppiceClient {
  const defaults = createDefaultEnvironment();
  const optionNames: OptionNames<ClientOptions> = { baseUrl: 1, token: 1, onSignedOut: 1, ...defaults };
  assertOptionNames('createClient', options, optionNames);
  assertGlobals(options);
  const environment: ClientEnvironment = { ...defaults, ...omitUndefined(options) };
  // `fetch` is called without an object, because `window.fetch` throws when it is called as a method of another object.
  const { fetch: fetchRequest } = environment;
  const { baseUrl: address = pageOrigin(), token } = options;
  const noAddress = checkAddress(address);
  // `new Request` throws without an absolute URL. With the placeholder, the request is created and fails when it is
  // sent.
  const baseUrl = noAddress === null ? address.replace(/\/+$/, '') : placeholder;
  const credentials = token === undefined ? 'same-origin' : 'omit';
  const fresh = { credentials, cache: 'no-store' } as const;
  const sendRequest = async (request: Request): Promise<Response> => {
    if (noAddress !== null) throw noAddress;
    if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`);
    const response = await fetchRequest(request);
    if (response.status === 401) options.onSignedOut?.();
    return response;
  };
  const send: Connection['send'] = async (path, init) =>
    sendRequest(new Request(baseUrl + path, { ...fresh, ...init }));
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
    openEvents(path, listener) {
      // A given `fetch` is expected to stream. The built-in one of React Native would wait for the end of the stream.
      const isStreamed = options.fetch !== undefined || noAddress !== null || canStreamResponses();
      const request = isStreamed ? null : createStreamingRequest();
      if (request === null) return openEventStream(send, path, listener);
      return openRequestEvents(request, { url: baseUrl + path, token, onSignedOut: options.onSignedOut }, listener);
    },
    openTree: (id) => new TreeSession(treeId(id), client),
    followTrees: (changed) =>
      followEvents(client, {
        path: () => '/api/feed',
        connected: (connected) => {
          if (connected) changed(null);
        },
        event: (name, data) => {
          if (name === 'tree') changed((data as { readonly treeId: TreeId }).treeId);
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
        throw toRequestProblem(thrown);
      }
      if (!response.ok) throw await readProblem(response);
      const stored: StoredAttachment = JSON.parse(await response.text());
      return stored;
    },
    hasWaitingWrites: () => client.waitingQueues.size > 0,
  };
  return client;
}

const placeholder = 'http://no-address.invalid';

/** Returns the error of an address that no request can be sent to; null if requests can be sent. */
function checkAddress(address: string): HttpProblem | null {
  const isAbsolute = (url: string) => /^[a-z][a-z\d+.-]*:\/\/[^/]/i.test(url);
  if (isAbsolute(address) || (/^(?:\/|$)/.test(address) && isAbsolute(pageOrigin()))) return null;
  const help = 'Pass the URL of the server as `baseUrl`, such as http://127.0.0.1:4747.';
  const what = address === '' || address === 'null' ? 'There is no page here' : `"${address}" is not a URL`;
  return new HttpProblem('client/no-address', `${what}. ${help}`, -1);
}

function assertGlobals({ fetch }: ClientOptions): void {
  if (fetch !== undefined && typeof fetch !== 'function')
    throw new TypeError('The option `fetch` must be a function from a Request to a Response.');
  const missing = findMissingGlobals(fetch !== undefined);
  if (missing.length === 0) return;
  const names = missing.join(', ');
  const help = 'Define it before you create the client; `fetch` can also be passed as an option.';
  throw new HttpProblem('client/missing-global', `This environment has no ${names}. ${help}`, -1, { missing });
}
