/** The encodings of a body, which the modules of both platforms read alike. */

/** More encodings of one body are an attack or a mistake. */
export const maxEncodings = 4;

/** Returns the encodings of a header in the order in which they are removed, which is the reverse of the header's. */
export function listEncodings(header: string): readonly string[] {
  const names = header.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '' && name !== 'identity').reverse();
}
