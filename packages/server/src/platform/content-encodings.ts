/** Parses the content encodings of a body, for the compression modules of both platforms. */

/** The largest number of encodings of one body. More of them are an attack or a mistake. */
export const maxEncodings = 4;

/** Returns the encodings in a header in the order in which they are removed, the last one first. */
export function listEncodings(header: string): readonly string[] {
  const names = header.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '' && name !== 'identity').reverse();
}
