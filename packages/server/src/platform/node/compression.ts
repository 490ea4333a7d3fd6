/** Compresses and decompresses with Node. */
import { pipeline, Readable, Transform } from 'node:stream';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliDecompress,
  createDeflateRaw,
  createGunzip,
  createInflate,
  createInflateRaw,
  gzip,
  gzipSync,
} from 'node:zlib';
import { listEncodings, maxEncodings } from '../content-encodings.ts';

/** A content encoding that the server sends. */
export type ContentEncoding = 'br' | 'gzip';

/** The encodings of this platform. */
export const contentEncodings: readonly ContentEncoding[] = ['br', 'gzip'];

/**
 * Larger texts are compressed on another thread, because compressing them on this thread would delay other requests.
 */
const largeBytes = 64_000;

// With these options Brotli is as fast as gzip, and the result is a fifth smaller.
const brotliOptions = {
  params: {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: 4,
  },
};
const brotliLater = promisify(brotliCompress);
const gzipLater = promisify(gzip);

/** Compresses bytes with fast settings, because they are sent once. */
export async function compressFast(bytes: Uint8Array, encoding: ContentEncoding): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes.length < largeBytes)
    return new Uint8Array(encoding === 'br' ? brotliCompressSync(bytes, brotliOptions) : gzipSync(bytes));
  return new Uint8Array(await (encoding === 'br' ? brotliLater(bytes, brotliOptions) : gzipLater(bytes)));
}

// For larger files the best compression takes seconds and saves little.
const largeFileBytes = 500_000;

/** Compresses a file that is sent many times. */
export function compressFile(bytes: Uint8Array, encoding: ContentEncoding): Uint8Array<ArrayBuffer> {
  const quality = bytes.length > largeFileBytes ? 5 : 9;
  return new Uint8Array(
    encoding === 'br'
      ? brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
      : gzipSync(bytes),
  );
}

/** Compresses a stream without a header, for a zip archive. */
export function deflateStream(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const deflate = createDeflateRaw();
  // Errors of the source are thrown to the reader of the compressed bytes, so the callback is empty.
  pipeline(Readable.from(source, { objectMode: true }), deflate, () => undefined);
  return deflate;
}

const asFarAsThereIs = { finishFlush: constants.Z_SYNC_FLUSH };
type CreateDecompressor = (beginning: Uint8Array) => Transform;

const decompressors = new Map<string, CreateDecompressor>([
  ['gzip', () => createGunzip(asFarAsThereIs)],
  ['x-gzip', () => createGunzip(asFarAsThereIs)],
  // Some services send the bytes of deflate without the header of zlib, as clients accept them too.
  ['deflate', (bytes) => (hasZlibHeader(bytes) ? createInflate(asFarAsThereIs) : createInflateRaw(asFarAsThereIs))],
  ['br', () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })],
  ...zstdDecompressor(),
]);

/** Node has Zstandard from 22.15 on. */
function zstdDecompressor(): readonly (readonly [string, CreateDecompressor])[] {
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress');
  if (typeof create !== 'function') return [];
  const createStream = () => {
    const stream: unknown = create();
    if (!(stream instanceof Transform)) throw new TypeError('Zstandard has no stream here.');
    return stream;
  };
  return [['zstd', createStream]];
}

function hasZlibHeader([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

/**
 * Decompresses a body, which may be truncated and have several encodings, such as `gzip, br`; null if one of them is
 * unknown or there are too many. Reading throws at the first error.
 */
export function decompress(bytes: Uint8Array, encoding: string): AsyncIterable<Uint8Array> | null {
  const layers = listEncodings(encoding).map((name) => decompressors.get(name));
  if (layers.length > maxEncodings) return null;
  let source: AsyncIterable<Uint8Array> = Readable.from([bytes]);
  for (const layer of layers) {
    if (layer === undefined) return null;
    source = decompressLayer(source, layer);
  }
  return source;
}

async function* decompressLayer(
  source: AsyncIterable<Uint8Array>,
  create: CreateDecompressor,
): AsyncGenerator<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done === true) return;
  const { value: beginning } = first;
  const all = async function* (): AsyncGenerator<Uint8Array> {
    yield beginning;
    yield* { [Symbol.asyncIterator]: () => pieces };
  };
  const stream = create(beginning);
  // Errors of the source are thrown to the reader of the stream, so the callback is empty.
  pipeline(Readable.from(all()), stream, () => undefined);
  yield* stream;
}
