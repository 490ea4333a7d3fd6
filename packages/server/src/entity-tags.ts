/** Whether what a browser has is still what there is. */

/** Whether `If-None-Match` names an entity tag: alone, in a list, as weak, which proxies that pack make of it, or all by a star. */
export function noneMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((each) => ['*', etag, `W/${etag}`].includes(each.trim()));
}
