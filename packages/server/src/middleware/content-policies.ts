/** The Content-Security-Policies of the page, of frames and of attachments. */

/** The Content-Security-Policy of the page: only its own files and images, and no other host. */
export const pageContentPolicy = [
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
export const frameContentPolicy = [
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
export const attachmentContentPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";
