/** What every answer tells a browser, whatever it holds. */
import { createMiddleware } from 'hono/factory';
import type { ServerEnv } from '../env.ts';

/** The policy of answers that are no page: they load nothing, run nothing and stand in no frame. */
export const apiPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

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

/** Sets the headers before the handler runs, so that refusals have them too; a handler may say another policy. */
export const securityHeaders = createMiddleware<ServerEnv>(async (context, next) => {
  context.header('X-Content-Type-Options', 'nosniff');
  context.header('X-Frame-Options', 'DENY');
  context.header('Referrer-Policy', 'no-referrer');
  context.header('Cross-Origin-Resource-Policy', 'same-origin');
  context.header('Cross-Origin-Opener-Policy', 'same-origin');
  context.header('Content-Security-Policy', apiPolicy);
  context.header('Cache-Control', 'no-store');
  await next();
});
