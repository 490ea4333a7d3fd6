/** Adds the security headers to all responses. */
import type { ServerContext } from '../env.ts';
import { guardStream } from './guard-stream.ts';

/**
 * The Content-Security-Policy of responses that are not a page: they load nothing, run nothing and cannot be framed.
 */
const apiPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** The Content-Security-Policy of the page: only its own files and images, and no other host. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Formulas and highlighted code have sizes and colours in style attributes, which cannot load or run anything.
  "style-src-attr 'unsafe-inline'",
  "font-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "manifest-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The Content-Security-Policy of frames in which the page shows HTML or drawings of a model. Scripts run without an
 * origin, so they can reach neither the page nor its cookies. Network requests are blocked.
 */
export const framePolicy = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  'media-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** The Content-Security-Policy of an attachment that is opened on its own. Scripts of a document do not run. */
export const attachmentPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";

const everyAnswer: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Content-Security-Policy': apiPolicy,
  'Cache-Control': 'no-store',
};

export type ResponseBody = ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string | null;

/** Creates a response with the security headers. The given headers take precedence. */
export function createResponse(
  context: ServerContext,
  body: ResponseBody,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  context.set('status', status);
  const sent = body instanceof ReadableStream ? guardStream(context, body) : body;
  // A forwarded response keeps the request id of its service, because the support of that service asks for it.
  const id = 'x-request-id' in headers ? {} : { 'X-Request-Id': context.get('requestId') };
  return new Response(sent, { status, headers: { ...everyAnswer, ...id, ...context.get('cors'), ...headers } });
}
