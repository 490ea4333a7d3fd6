/** What every answer tells a browser, whatever it holds. */
import type { ServerContext } from '../env.ts';
import { guardStream } from './guard-stream.ts';

/** The policy of answers that are no page: they load nothing, run nothing and stand in no frame. */
const apiPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** The policy of the page: its own files alone, pictures from its own data, no other host for anything. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Formulas and highlighted code carry their sizes and colours in attributes; those cannot load or run anything.
  "style-src-attr 'unsafe-inline'",
  "font-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "manifest-src 'self'",
  "worker-src 'self'",
  "frame-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The policy of an attachment that is opened by itself: even a document with scripts in it does nothing. */
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

/** What an answer may hold. */
export type ResponseBody = ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string | null;

/** The one place where an answer is made, refusals and files included; what it says of itself counts above the rest. */
export function respond(
  context: ServerContext,
  body: ResponseBody,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  context.set('status', status);
  const sent = body instanceof ReadableStream ? guardStream(context, body) : body;
  return new Response(sent, { status, headers: { ...everyAnswer, ...context.get('cors'), ...headers } });
}
