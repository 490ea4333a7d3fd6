/** Compresses and decompresses with the streams of browsers. */
import { listEncodings, maxEncodings } from '../content-encodings.ts';
import type { ContentEncoding } from '../node/compression.ts';
import { refuseInBrowser } from './refuse.ts';

export type { ContentEncoding };

/** Empty: a response that never leaves the browser is not compressed. */
export const contentEncodings: readonly ContentEncoding[] = [];

/** Throws, because no encoding is offered. */
export async function compressFast(): Promise<Uint8Array<ArrayBuffer>> {
  return refuseInBrowser('Compressing a response');
}

/** Throws, because no encoding is offered. */
export function compressFile(): Uint8Array<ArrayBuffer> {
  return refuseInBrowser('Compressing a file of the page');
}

/** Compresses a stream without a header, for a zip archive. */
export async function* deflateStream(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new CompressionStream('deflate-raw');
  yield* throughStream(source, readable, writable);
}

const formats: ReadonlyMap<string, 'gzip' | 'deflate'> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
]);

/**
 * Decompresses a body, which may be truncated and have several encodings; null if the browser does not know one of them
 * or there are too many.
 */
export function decompress(bytes: Uint8Array, encoding: string): AsyncIterable<Uint8Array> | null {
  const layers = listEncodings(encoding).map((name) => formats.get(name));
  if (layers.length > maxEncodings) return null;
  let source: AsyncIterable<Uint8Array> = once(bytes);
  for (const format of layers) {
    if (format === undefined) return null;
    const { readable, writable } = new DecompressionStream(format);
    source = throughStream(source, readable, writable);
  }
  return source;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* throughStream(
  source: AsyncIterable<Uint8Array>,
  readable: ReadableStream<Uint8Array>,
  writable: WritableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array> {
  const writer = writable.getWriter();
  const writing = (async () => {
    try {
      for await (const bytes of source) await writer.write(new Uint8Array(bytes));
      await writer.close();
    } catch (error) {
      await writer.abort(error);
    }
  })().catch(() => undefined);
  const reader = readable.getReader();
  try {
    for (let piece = await reader.read(); piece.value !== undefined; piece = await reader.read()) yield piece.value;
    await writing;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
