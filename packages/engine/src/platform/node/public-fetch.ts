/**
 * Fetches URLs that a user of a shared server entered. The name is resolved once, and the connection uses exactly the
 * address that was checked, as protection against DNS rebinding.
 */
import { lookup } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { AppError } from '@coppice/core';
import { isPrivateIp } from '../../connections/private-address.ts';

/** The options of `fetch` that are used here; redirects are never followed. */
export interface PublicFetchOptions {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

function refusedAddress(host: string): AppError {
  return new AppError({
    code: 'keys/address',
    kind: 'refused',
    message: `${host} is an address of this machine or of a private network. Such addresses come from the configuration of the operator.`,
  });
}

/** Resolves a host name. Fails unless all its addresses are public. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error !== null || first === undefined) return callback(error ?? new Error(`No address of ${hostname}.`), '', 0);
    if (addresses.some(({ address }) => isPrivateIp(address))) return callback(refusedAddress(hostname), '', 0);
    if (options.all === true) return callback(null, addresses);
    return callback(null, first.address, first.family);
  });
};

/** Sends a request to a public address. Rejects with `keys/address` for a private one, before anything is sent. */
export function fetchPublicAddress(address: string | URL, init: PublicFetchOptions = {}): Promise<Response> {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // A URL with an IP address is not resolved, so the address is checked here.
  if (isIP(host) !== 0 && isPrivateIp(host)) return Promise.reject(refusedAddress(host));
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = send(
      url,
      {
        method: init.method ?? 'GET',
        headers: { ...init.headers },
        lookup: publicLookup,
        // Opens a new connection, because a pooled one may lead to an address that was not checked.
        agent: false,
        ...(init.signal === undefined ? {} : { signal: init.signal }),
      },
      (answer) => {
        const headers = new Headers();
        for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2)
          headers.append(answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? '');
        const status = answer.statusCode ?? 502;
        const hasBody = status !== 204 && status !== 304 && status >= 200;
        if (!hasBody) answer.resume();
        resolve(new Response(hasBody ? toWebStream(answer) : null, { status: hasBody ? status : 204, headers }));
      },
    );
    sent.on('error', reject);
    sent.end(init.body ?? undefined);
  });
}

function toWebStream(answer: Readable): ReadableStream<Uint8Array> {
  const reader = answer[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.next();
      if (done === true) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    async cancel() {
      answer.destroy();
    },
  });
}
