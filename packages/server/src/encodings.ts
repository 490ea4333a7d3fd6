/** Compresses responses: chooses the encoding that a client accepts, and compresses JSON with it. */
import { type ContentEncoding, compressFast, contentEncodings } from '#platform/compression';

export type { ContentEncoding };

/** The length from which a text is compressed. Shorter texts fit into one packet, so compressing them saves nothing. */
export const minLengthToCompress = 1_000;

/** Returns the best encoding that an `Accept-Encoding` header allows; null if the client accepts neither. */
export function chooseEncoding(header: string | undefined): ContentEncoding | null {
  const names = new Set(
    (header ?? '')
      .split(',')
      .map((each) => each.trim().toLowerCase())
      .filter((each) => !/;\s*q=0(?:\.0*)?$/.test(each))
      .map((each) => each.split(';', 1)[0]),
  );
  return contentEncodings.find((encoding) => names.has(encoding)) ?? null;
}

/** Compresses a text that is sent once, so fast settings matter more than size. */
export function compressText(text: string, encoding: ContentEncoding): Promise<Uint8Array<ArrayBuffer>> {
  return compressFast(new TextEncoder().encode(text), encoding);
}
