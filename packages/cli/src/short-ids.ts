/** Shortens ids for display to their end, because ids that were created at the same time begin alike. */

const shortest = 8;

/** Returns the last 8 characters of an id. Every command accepts them instead of the whole id. */
export function shortenId(id: string): string {
  return id.slice(-shortest);
}

const wholeId = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g;

/** Returns a message with shortened ids. Those that the user gave stay as they are. */
export function shortenIdsIn(message: string, given: readonly string[] = []): string {
  const shorten = createIdShortener(message.match(wholeId) ?? []);
  return message.replace(wholeId, (id) => (given.some((word) => word.includes(id)) ? id : shorten(id)));
}

/** Shortens the ids of one list. All get the same length: 8 characters, or more if two of the list would be equal. */
export function createIdShortener(ids: Iterable<string>): (id: string) => string {
  const all = [...new Set(ids)];
  let length = shortest;
  while (new Set(all.map((id) => id.slice(-length))).size < all.length) length++;
  return (id) => id.slice(-length);
}
