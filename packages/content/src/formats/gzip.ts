// Unpacks single gzip files. The unpacked size is not known in advance, so it is checked while unpacking.
import { isAppError } from '@coppice/core';
import { Gunzip } from 'fflate';
import { copyBytes, joinBytes } from './bytes.ts';
import { refuseImport } from './findings.ts';
import { crc32, defaultZipLimits, type ZipLimits } from './zip.ts';

/** Whether bytes begin like a gzip file. */
export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b && head[2] === 8;
}

/** Returns a file name without its `.gz` extension. */
export function removeGzExtension(name: string): string {
  return name.replace(/\.gz$/i, '');
}

// At a ratio of a thousand to one, a slice of this size unpacks to at most eight megabytes.
const sliceBytes = 8 * 1024;
const harmlessSize = 1024 * 1024;
const trailer = 8;

function damagedGzip(name: string, why: string): never {
  return refuseImport('import/damaged', `The file ${name} cannot be unpacked: ${why}.`, { name });
}

function unsafeGzip(name: string, why: string): never {
  return refuseImport('import/unsafe-archive', `The file ${name} is not unpacked: it ${why}.`, { name });
}

/** Checks the checksums of unpacked data member by member. A gzip file may have several members. */
class MemberChecksums {
  readonly #name: string;
  /** The last bytes read, because the end of a member may be split between two pieces. */
  #recent: Uint8Array = new Uint8Array(0);
  #read = 0;
  #crc = 0;
  #size = 0;

  constructor(name: string) {
    this.#name = name;
  }

  take(packed: Uint8Array): void {
    this.#recent = joinBytes([this.#recent.subarray(-sliceBytes), copyBytes(packed)]);
    this.#read += packed.length;
  }

  add(bytes: Uint8Array): void {
    this.#crc = crc32(bytes, this.#crc);
    this.#size += bytes.length;
  }

  /** Checks the member that ends at an offset of the file. */
  check(end = this.#read): void {
    const at = this.#recent.length - (this.#read - end) - trailer;
    if (at < 0) damagedGzip(this.#name, 'it is cut off');
    const view = new DataView(this.#recent.buffer, this.#recent.byteOffset + at, trailer);
    if (view.getUint32(0, true) !== this.#crc || view.getUint32(4, true) !== this.#size % 2 ** 32)
      damagedGzip(this.#name, 'it is cut off, or does not match its sum');
    this.#crc = 0;
    this.#size = 0;
  }
}

/** Unpacks a stream and checks its checksums. Throws as soon as the output is far larger than the input allows. */
export async function* unpackGzip(
  name: string,
  stream: AsyncIterable<Uint8Array>,
  given: Partial<ZipLimits> = {},
): AsyncGenerator<Uint8Array> {
  const limits: ZipLimits = { ...defaultZipLimits, ...given };
  const sums = new MemberChecksums(name);
  let out: Uint8Array[] = [];
  let size = 0;
  let packed = 0;
  const gunzip = new Gunzip((data) => {
    if (data.length === 0) return;
    sums.add(data);
    size += data.length;
    out.push(data);
  });
  gunzip.onmember = (start) => sums.check(start);
  for await (const chunk of stream)
    for (let at = 0; at < chunk.length; at += sliceBytes) {
      const bytes = copyBytes(chunk, at, Math.min(chunk.length, at + sliceBytes));
      sums.take(bytes);
      packed += bytes.length;
      try {
        gunzip.push(bytes, false);
      } catch (cause) {
        if (isAppError(cause)) throw cause;
        damagedGzip(name, cause instanceof Error ? cause.message : 'it is no packed file');
      }
      if (size > harmlessSize && size > packed * limits.ratio)
        unsafeGzip(name, `unpacks to more than ${limits.ratio} times its size`);
      if (size > limits.bytes) unsafeGzip(name, `unpacks to more than ${limits.bytes} bytes`);
      const ready = out;
      out = [];
      yield* ready;
    }
  sums.check();
}
