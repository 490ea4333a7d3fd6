/** Chooses the request headers to forward: all except those of the connection and those for Coppice. */
import type { WireService } from './wire-error.ts';

// Headers about the connection to this server, about the web page that sends the request, or about proxies between the
// client and this server. They are not forwarded.
const connectionHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'keep-alive',
  'origin',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'referer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  'x-real-ip',
]);
const connectionPrefixes = ['sec-fetch-', 'sec-ch-', 'sec-websocket-', 'x-forwarded-'];

const isForCoppice = (name: string) => name === 'cookie' || name === 'cookie2' || name.startsWith('x-coppice-');

/** The headers in which clients send their API key. */
const keyHeaders = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const;

// Content encodings that the recorder can decompress. Other encodings are not requested from the service.
const unpackable = /^(?:gzip|x-gzip|deflate|br|identity|\*)(?:\s*;|$)/i;

// A shorter value is not removed from headers, because it may be an ordinary word and no token.
const shortestToken = 8;

export interface ForwardedHeadersInput {
  readonly service: WireService;
  /** All headers of the request, by their names in lower case. */
  readonly received: Readonly<Record<string, string>>;
  /** The header in which a reverse proxy names the user; undefined without such a proxy. */
  readonly userHeader: string | undefined;
  /** The operator's key for the service; null if none is configured for its host. */
  readonly secret: string | null;
}

/**
 * Returns the headers for the service. If the token has its own header, the client's key is forwarded. Otherwise the
 * client sends our token as its key, and the operator's key replaces it.
 */
export function buildForwardedHeaders({
  service,
  received,
  userHeader,
  secret,
}: ForwardedHeadersInput): Record<string, string> {
  const named = new Set((received['connection'] ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const isOwn = received['x-coppice-token'] !== undefined;
  const token = tokenIn(received);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(received)) {
    if (connectionHeaders.has(name) || named.has(name) || isForCoppice(name)) continue;
    if (connectionPrefixes.some((prefix) => name.startsWith(prefix))) continue;
    if (name === userHeader?.toLowerCase()) continue;
    if (!isOwn && keyHeaders.some((header) => header === name)) continue;
    if (token !== null && value.includes(token)) continue;
    headers[name] = value;
  }
  const packed = headers['accept-encoding']?.split(',').map((one) => one.trim());
  if (packed !== undefined)
    headers['accept-encoding'] = packed.filter((one) => unpackable.test(one)).join(', ') || 'identity';
  return isOwn || secret === null ? headers : { ...headers, ...keyHeader(service, secret) };
}

/** Returns the token of Coppice that the client sent; null if it sent none. */
function tokenIn(received: Readonly<Record<string, string>>): string | null {
  const ownHeaderToken = received['x-coppice-token'];
  const [, bearer] = /^bearer +(\S+)$/i.exec(received['authorization'] ?? '') ?? [];
  const token = ownHeaderToken ?? bearer ?? received['x-api-key'] ?? received['x-goog-api-key'];
  return token === undefined || token.length < shortestToken ? null : token;
}

function keyHeader(service: WireService, secret: string): Record<string, string> {
  if (service === 'openai') return { authorization: `Bearer ${secret}` };
  return service === 'anthropic' ? { 'x-api-key': secret } : { 'x-goog-api-key': secret };
}

/**
 * Headers that make Node send chunks at once. Without them the HTTP adapter would buffer a stream to compute its
 * length.
 */
export const chunkedHeaders: Readonly<Record<string, string>> = { 'Transfer-Encoding': 'chunked' };
