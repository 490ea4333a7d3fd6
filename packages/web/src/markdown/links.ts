/** Decides which URLs are links and which are only shown. */

const allowed: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/**
 * Returns a URL that is safe to follow, or null if its scheme is not http, https or mailto. Relative URLs are refused:
 * a model's text must not link to this server.
 */
export function toSafeAddress(address: string): string | null {
  // The URL parser skips whitespace and control characters, which could hide a scheme from a text comparison.
  const text = address.trim();
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return null;
  }
  return allowed.has(url.protocol) ? url.href : null;
}

/** Returns the address of the installed documentation for a `coppice:docs/` link of the guide; null for other links. */
export function toDocumentAddress(address: string): string | null {
  const [, name, anchor = ''] = /^coppice:docs\/([a-z0-9-]+(?:\/[a-z0-9-]+)*)(#[\p{L}\p{N}_-]+)?$/u.exec(address) ?? [];
  return name === undefined ? null : `/docs/${name}.html${anchor}`;
}

/** Whether an image may be shown without asking: its bytes are in the message or on this server, and on no other. */
export function isOwnImageAddress(address: string): boolean {
  return (
    /^data:image\/(?:png|jpeg|gif|webp|avif);base64,/i.test(address) ||
    /^\/api\/attachments\/[0-9a-f]{64}$/.test(address)
  );
}
