/** Compares entity tags with the header `If-None-Match`. */

/**
 * Whether `If-None-Match` contains an entity tag: alone, in a list, as a weak tag, to which compressing proxies change
 * it, or as `*`.
 */
export function matchesEntityTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((each) => ['*', etag, `W/${etag}`].includes(each.trim()));
}
