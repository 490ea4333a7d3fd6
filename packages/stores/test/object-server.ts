/**
 * A small server with the interface of S3, for tests: buckets are created on first use, requests must be signed, and
 * objects are in memory. It can be made to fail.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type S3Credentials, signS3Request } from '../src/postgres/objects/s3-signature.ts';

/** A running object server. */
export interface ObjectServer {
  readonly url: string;
  /** The objects by `bucket/key`. */
  readonly objects: Map<string, Uint8Array>;
  /** The requests so far, such as `PUT bucket/key`. */
  readonly requests: string[];
  /** While set, requests of these methods are answered with 503. */
  failing: ReadonlySet<string>;
  close(): Promise<void>;
}

/** Sets the variables with which a store reaches an object server. Returns a function that restores the variables. */
export function setObjectServerVariables(server: ObjectServer, credentials: S3Credentials): () => void {
  const variables = {
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_S3: server.url,
    AWS_REGION: credentials.region,
    AWS_SESSION_TOKEN: '',
  };
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
}

/** Whether a request has a valid signature, and its body has the hash that was signed. */
function isSigned(request: IncomingMessage, body: Uint8Array, credentials: S3Credentials): boolean {
  const { authorization = '', host = '' } = request.headers;
  const [, names = ''] = /SignedHeaders=([^,]+),/.exec(authorization) ?? [];
  const header = (name: string) => String(request.headers[name] ?? '');
  const own = new Set(['host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token']);
  const others = names.split(';').filter((name) => !own.has(name));
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(header('x-amz-date')) ?? [];
  const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (!(Math.abs(at.getTime() - Date.now()) < 900_000)) return false;
  const { method } = request;
  if (method !== 'GET' && method !== 'PUT' && method !== 'HEAD' && method !== 'DELETE') return false;
  const expected = signS3Request(
    {
      method,
      url: new URL(`http://${host}${request.url}`),
      headers: Object.fromEntries(others.map((name) => [name, header(name)])),
      bodyHash: header('x-amz-content-sha256'),
    },
    credentials,
    at,
  );
  return (
    expected['authorization'] === authorization &&
    createHash('sha256').update(body).digest('hex') === header('x-amz-content-sha256')
  );
}

export async function startObjectServer(credentials: S3Credentials): Promise<ObjectServer> {
  const objects = new Map<string, Uint8Array>();
  const requests: string[] = [];
  const state = { failing: new Set<string>() as ReadonlySet<string> };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { method = '', url = '' } = request;
    const key = url.slice(1);
    requests.push(`${method} ${key}`);
    const answer = (status: number, bytes: Uint8Array | string = '') =>
      response.writeHead(status, { 'content-length': bytes.length }).end(method === 'HEAD' ? undefined : bytes);
    if (state.failing.has(method)) return answer(503, '<Error><Code>SlowDown</Code></Error>');
    if (!isSigned(request, body, credentials)) return answer(403, '<Error><Code>SignatureDoesNotMatch</Code></Error>');
    if (method === 'PUT') {
      objects.set(key, new Uint8Array(body));
      return answer(200);
    }
    if (!key.includes('/')) return answer(200);
    const found = objects.get(key);
    if (method === 'DELETE') {
      objects.delete(key);
      return answer(204);
    }
    if (found === undefined) return answer(404, '<Error><Code>NoSuchKey</Code></Error>');
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (from === undefined) return answer(200, found);
    return Number(from) >= found.length ? answer(416) : answer(206, found.slice(Number(from), Number(to) + 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    objects,
    requests,
    get failing() {
      return state.failing;
    },
    set failing(methods) {
      state.failing = methods;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
