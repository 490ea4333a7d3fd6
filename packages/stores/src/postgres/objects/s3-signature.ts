/** Signs requests to S3 with AWS Signature Version 4, which all compatible servers accept. */
import { createHash, createHmac } from 'node:crypto';

/** The keys and the region of a signature. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
  readonly region: string;
}

/** A request to sign. Its path is encoded already, and it has no query. */
export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'HEAD' | 'DELETE';
  readonly url: URL;
  /** The headers to sign besides those that every signature has, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body in lower-case hex. */
  readonly bodyHash: string;
}

/** SHA-256 of an empty body. */
export const emptyBodyHash = createHash('sha256').digest('hex');

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Returns the headers of a request with its signature at a time. */
export function signS3Request(request: S3Request, credentials: S3Credentials, at: Date): Record<string, string> {
  const { method, url, bodyHash } = request;
  const { accessKeyId, secretAccessKey, sessionToken, region } = credentials;
  const time = at.toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const headers: Record<string, string> = {
    ...request.headers,
    host: url.host,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': time,
    ...(sessionToken === null ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const signed = names.join(';');
  const lines = names.map((name) => `${name}:${headers[name]?.trim()}\n`).join('');
  const canonical = [method, url.pathname, '', lines, signed, bodyHash].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${secretAccessKey}`, day), region));
  const signature = hmac(key, toSign).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
  return { ...headers, authorization };
}
