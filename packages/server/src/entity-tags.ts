/** Checks If-None-Match. */

/**
 * Whether `If-None-Match` contains an entity tag: alone, in a list, as a weak tag (compressing proxies change it to
 * that), or as `*`.
 */
export function matchesEntityTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((each) => ['*', etag, `W/${etag}`].includes(each.trim()));
}
