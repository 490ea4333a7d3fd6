/** Which addresses the page follows, and which it only shows. */

const allowed: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/**
 * The address to follow, or null where the scheme is none of http, https and mailto. Relative addresses are none of
 * ours: what a model wrote has no place on this server.
 */
export function safeAddress(address: string): string | null {
  // The parser of addresses skips these; so a scheme could hide behind them from any comparison of text.
  const text = address.trim();
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return null;
  }
  return allowed.has(url.protocol) ? url.href : null;
}

/** Whether an image may be shown without asking: it comes with the message, and no one else learns that it was read. */
export function isOwnImage(address: string): boolean {
  return (
    /^data:image\/(?:png|jpeg|gif|webp|avif);base64,/i.test(address) ||
    /^\/api\/attachments\/[0-9a-f]{64}$/.test(address)
  );
}
