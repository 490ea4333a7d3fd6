/**
 * Keeps the bytes of attachments in an object store with the interface of S3. The rows of attachments stay in the
 * database, each with the address of its object. Keys and region come from the environment variables that other programs
 * for S3 use.
 */
import { randomUUID } from 'node:crypto';
import { AppError, refusalKinds, refuse } from '@coppice/core';
import type { AttachmentObjectStore, ObjectByteRange } from '../../sql/attachment-objects.ts';
import { emptyBodyHash, type S3Credentials, type S3Request, signS3Request } from './s3-signature.ts';

/** The variables of the environment with the keys, the region and the address of the server. */
export interface S3Environment {
  readonly [name: string]: string | undefined;
}

interface ObjectAddress {
  readonly bucket: string;
  readonly key: string;
}

const tries = 3;
const firstWaitMs = 200;
// The time limit of a whole request, long enough for a slow upload.
const requestMs = 120_000;

// Only characters that need no encoding in a URL.
const validAddress = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/((?:[\w-][\w.-]*\/)*[\w-][\w.-]*)?)?$/;

/** Parses `s3://bucket/key`. Throws if the address has another form. */
function parseAddress(address: string): ObjectAddress {
  const [, bucket = '', key = ''] = validAddress.exec(address) ?? [];
  if (bucket === '')
    refuse(
      'command/invalid',
      `The object store ${JSON.stringify(address)} cannot be read; it looks like s3://bucket/folder.`,
    );
  return { bucket, key };
}

/** The object store for attachments on one server with the interface of S3. */
export class S3ObjectStore implements AttachmentObjectStore {
  readonly #prefix: string | null;
  readonly #env: S3Environment;
  readonly #now: () => Date;

  /**
   * `prefix` is `s3://bucket/folder`. Null: new attachments go into the database, and existing objects can be read.
   */
  constructor(prefix: string | null, env: S3Environment, now: () => Date = () => new Date()) {
    this.#prefix = prefix === null ? null : prefix.replace(/\/+$/, '');
    if (this.#prefix !== null) parseAddress(this.#prefix);
    this.#env = env;
    this.#now = now;
    if (prefix !== null) this.#credentials();
  }

  get place(): string | null {
    return this.#prefix;
  }

  newAddress(): string | null {
    return this.#prefix === null ? null : `${this.#prefix}/${randomUUID()}`;
  }

  async put(address: string, bytes: Uint8Array, hash: string): Promise<void> {
    const response = await this.#send('PUT', address, { body: bytes, bodyHash: hash });
    if (!response.ok) throw await this.#failure(response, `could not store ${address}`);
  }

  async read(address: string, range: ObjectByteRange | null): Promise<Uint8Array | null> {
    if (range !== null && range.length === 0) return (await this.size(address)) === null ? null : new Uint8Array();
    const headers = range === null ? {} : { range: `bytes=${range.start}-${range.start + range.length - 1}` };
    const response = await this.#send('GET', address, { headers });
    if (response.status === 404) return null;
    // The range begins behind the end.
    if (response.status === 416) return new Uint8Array();
    if (!response.ok) throw await this.#failure(response, `could not read ${address}`);
    const bytes = await response.arrayBuffer().catch((error: unknown) => {
      throw unavailable(`The connection broke off while ${address} was read.`, error);
    });
    return new Uint8Array(bytes);
  }

  async size(address: string): Promise<number | null> {
    const response = await this.#send('HEAD', address, {});
    if (response.status === 404) return null;
    if (!response.ok) throw await this.#failure(response, `could not find ${address}`);
    return Number(response.headers.get('content-length'));
  }

  async remove(address: string): Promise<void> {
    const response = await this.#send('DELETE', address, {});
    if (!response.ok && response.status !== 404) throw await this.#failure(response, `could not delete ${address}`);
  }

  async check(): Promise<string | null> {
    if (this.#prefix === null) return null;
    try {
      const { status } = await this.#send('HEAD', `s3://${parseAddress(this.#prefix).bucket}`, {});
      return status === 200 ? null : `the server answered ${status}`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #credentials(): S3Credentials {
    const accessKeyId = this.#env.AWS_ACCESS_KEY_ID;
    const secretAccessKey = this.#env.AWS_SECRET_ACCESS_KEY;
    if (!accessKeyId || !secretAccessKey)
      throw unavailable('Attachments are in an object store: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.');
    return {
      accessKeyId,
      secretAccessKey,
      sessionToken: this.#env.AWS_SESSION_TOKEN || null,
      region: this.#env.AWS_REGION || this.#env.AWS_DEFAULT_REGION || 'us-east-1',
    };
  }

  #urlOf({ bucket, key }: ObjectAddress, region: string): URL {
    const endpoint = this.#env.AWS_ENDPOINT_URL_S3 || this.#env.AWS_ENDPOINT_URL;
    // Other servers than that of Amazon often have no host name for each bucket.
    if (endpoint) return new URL(`${endpoint.replace(/\/+$/, '')}/${bucket}${key === '' ? '' : `/${key}`}`);
    return new URL(`https://${bucket}.s3.${region}.amazonaws.com/${key}`);
  }

  /** Sends a request, again if the server is busy or cannot be reached. Repeating is harmless. */
  async #send(
    method: S3Request['method'],
    address: string,
    request: {
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: Uint8Array;
      readonly bodyHash?: string;
    },
  ): Promise<Response> {
    const credentials = this.#credentials();
    const url = this.#urlOf(parseAddress(address), credentials.region);
    const { headers = {}, body, bodyHash = emptyBodyHash } = request;
    for (let attempt = 1; ; attempt++) {
      // Signed again each time, because a signature is valid only for some minutes.
      const { host: _, ...signed } = signS3Request({ method, url, headers, bodyHash }, credentials, this.#now());
      const options = { method, headers: signed, redirect: 'error', signal: AbortSignal.timeout(requestMs) } as const;
      try {
        const response = await fetch(url, body === undefined ? options : { ...options, body: body.slice() });
        if ((response.status < 500 && response.status !== 429) || attempt === tries) return response;
        await response.body?.cancel();
      } catch (error) {
        if (attempt === tries)
          throw unavailable(`The object store at ${url.origin} cannot be reached: ${String(error)}`, error);
      }
      await new Promise((resolve) => setTimeout(resolve, firstWaitMs * 2 ** attempt * Math.random()));
    }
  }

  async #failure(response: Response, what: string): Promise<AppError> {
    const [, code = ''] = /<Code>(\w{1,60})<\/Code>/.exec(await response.text().catch(() => '')) ?? [];
    return unavailable(`The object store ${what}: ${[response.status, code].join(' ').trim()}.`);
  }
}

function unavailable(message: string, cause?: unknown): AppError {
  return new AppError({ code: 'store/unavailable', kind: refusalKinds['store/unavailable'], message, cause });
}
