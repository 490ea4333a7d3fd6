// Reads archives by their central directory. Every name and size is checked before anything is unpacked.
import { Inflate, strFromU8 } from 'fflate';
import { refuseImport } from './findings.ts';
import type { InputFile } from './input.ts';

/** How large an archive may be before it is refused as a zip bomb. */
export interface ZipLimits {
  /** The maximum number of files in one archive. */
  readonly members: number;
  /** The maximum number of unpacked bytes of all members together. */
  readonly bytes: number;
  /**
   * The maximum ratio of unpacked to packed size, for members over a megabyte. Text compresses ten to one, a zip bomb a
   * thousand to one.
   */
  readonly ratio: number;
}

/** The limits for callers that pass none. */
export const defaultZipLimits: ZipLimits = { members: 200_000, bytes: 64 * 1024 ** 3, ratio: 100 };

const harmlessSize = 1024 * 1024;
const piece = 64 * 1024;

interface RandomAccess {
  readonly name: string;
  readonly size: number;
  read(start: number, end: number): Promise<Uint8Array>;
}

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
}

/** Whether bytes begin with the signature of a zip archive, even an empty one. */
export function isZip(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && ((head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6));
}

const crcTable = new Uint32Array(256);
for (let byte = 0; byte < 256; byte++) {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  crcTable[byte] = value >>> 0;
}

/** Computes the CRC-32 of bytes; `before` continues an earlier computation. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}

function dataViewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function damagedZip(name: string, why: string): never {
  return refuseImport('import/damaged', `The archive ${name} cannot be read: ${why}.`, { name });
}

/** Returns why a member's name is refused, or undefined. A name may come from an attacker. */
function nameProblem(name: string): string | undefined {
  if (name === '' || name.includes('\0')) return 'has no proper name';
  if (name.includes('\\')) return 'has a backslash in its name';
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'has an absolute path';
  if (name.split('/').includes('..')) return 'leads out of the archive';
  return undefined;
}

function unsafeZip(archive: string, member: string, why: string): never {
  const shown = JSON.stringify(member.slice(0, 120));
  return refuseImport('import/unsafe-archive', `The archive ${archive} is not opened: its member ${shown} ${why}.`, {
    name: archive,
    member: member.slice(0, 120),
  });
}

interface Directory {
  readonly start: number;
  readonly size: number;
  readonly count: number;
}

/** Finds the end record, which points to the directory. Archives over 4 GB have a 64-bit end record. */
async function findDirectory(source: RandomAccess): Promise<Directory> {
  const from = Math.max(0, source.size - 65_557);
  const tail = await source.read(from, source.size);
  const view = dataViewOf(tail);
  for (let at = tail.length - 22; at >= 0; at--) {
    if (view.getUint32(at, true) !== 0x06054b50) continue;
    const count = view.getUint16(at + 10, true);
    const size = view.getUint32(at + 12, true);
    const start = view.getUint32(at + 16, true);
    if (count !== 0xffff && size !== 0xffffffff && start !== 0xffffffff) return { start, size, count };
    if (at < 20 || view.getUint32(at - 20, true) !== 0x07064b50) return { start, size, count };
    const big = Number(view.getBigUint64(at - 12, true));
    if (!Number.isSafeInteger(big) || big + 56 > source.size) damagedZip(source.name, 'its end record lies outside it');
    const record = dataViewOf(await source.read(big, big + 56));
    if (record.byteLength < 56 || record.getUint32(0, true) !== 0x06064b50)
      damagedZip(source.name, 'its second end record is missing');
    return {
      count: Number(record.getBigUint64(32, true)),
      size: Number(record.getBigUint64(40, true)),
      start: Number(record.getBigUint64(48, true)),
    };
  }
  return damagedZip(source.name, 'it has no end record; it may be cut off');
}

/** Returns the 64-bit numbers of an entry whose 32-bit fields are full. */
function readWideNumbers(extra: Uint8Array, narrow: { size: number; packed: number; offset: number }) {
  const wide = { ...narrow };
  const view = dataViewOf(extra);
  for (let at = 0; at + 4 <= extra.length; ) {
    const id = view.getUint16(at, true);
    const length = view.getUint16(at + 2, true);
    let field = at + 4;
    at = field + length;
    if (id !== 1 || at > extra.length) continue;
    for (const name of ['size', 'packed', 'offset'] as const) {
      if (narrow[name] !== 0xffffffff || field + 8 > at) continue;
      wide[name] = Number(view.getBigUint64(field, true));
      field += 8;
    }
  }
  return wide;
}

function zipEntries(source: RandomAccess, bytes: Uint8Array, count: number, limits: ZipLimits): ZipEntry[] {
  const view = dataViewOf(bytes);
  const entries: ZipEntry[] = [];
  let total = 0;
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50)
      damagedZip(source.name, `its directory is incomplete at member ${index}`);
    const flags = view.getUint16(at + 8, true);
    const method = view.getUint16(at + 10, true);
    const nameEnd = at + 46 + view.getUint16(at + 28, true);
    const extraEnd = nameEnd + view.getUint16(at + 30, true);
    const name = strFromU8(bytes.subarray(at + 46, nameEnd), (flags & 0x800) === 0 && !isUtf8(bytes, at + 46, nameEnd));
    const mode = (view.getUint32(at + 38, true) >>> 16) & 0xf000;
    const wide = readWideNumbers(bytes.subarray(nameEnd, extraEnd), {
      size: view.getUint32(at + 24, true),
      packed: view.getUint32(at + 20, true),
      offset: view.getUint32(at + 42, true),
    });
    const problem = nameProblem(name);
    if (problem !== undefined) unsafeZip(source.name, name, problem);
    if (mode === 0xa000) unsafeZip(source.name, name, 'is a link');
    if ((flags & 1) !== 0) unsafeZip(source.name, name, 'is encrypted');
    const crc = view.getUint32(at + 16, true);
    at = extraEnd + view.getUint16(at + 32, true);
    if (name.endsWith('/')) continue;
    if (method !== 0 && method !== 8)
      unsafeZip(source.name, name, `is packed by method ${method}, which is not known here`);
    if (wide.size > harmlessSize && wide.size > wide.packed * limits.ratio)
      unsafeZip(source.name, name, `would unpack to more than ${limits.ratio} times its size`);
    total += wide.size;
    if (total > limits.bytes) unsafeZip(source.name, name, `brings the archive past ${limits.bytes} unpacked bytes`);
    entries.push({ name, method, crc, ...wide });
  }
  return entries;
}

function isUtf8(bytes: Uint8Array, start: number, end: number): boolean {
  return !strFromU8(bytes.subarray(start, end)).includes('�');
}

async function* packedBytes(source: RandomAccess, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const header = dataViewOf(await source.read(entry.offset, entry.offset + 30));
  if (header.byteLength < 30 || header.getUint32(0, true) !== 0x04034b50)
    damagedZip(source.name, `its member ${entry.name} is not where the directory says`);
  const start = entry.offset + 30 + header.getUint16(26, true) + header.getUint16(28, true);
  const end = start + entry.packed;
  if (end > source.size) damagedZip(source.name, `its member ${entry.name} is cut off`);
  for (let at = start; at < end; at += piece) yield await source.read(at, Math.min(end, at + piece));
}

async function* inflateMember(source: RandomAccess, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  if (entry.method === 0) {
    yield* packedBytes(source, entry);
    return;
  }
  let out: Uint8Array[] = [];
  const inflate = new Inflate((data) => {
    if (data.length > 0) out.push(data);
  });
  const feed = (bytes: Uint8Array, last: boolean): void => {
    try {
      inflate.push(bytes, last);
    } catch (cause) {
      damagedZip(
        source.name,
        `its member ${entry.name} does not unpack (${cause instanceof Error ? cause.message : ''})`,
      );
    }
  };
  for await (const bytes of packedBytes(source, entry)) {
    feed(bytes, false);
    const ready = out;
    out = [];
    yield* ready;
  }
  feed(new Uint8Array(0), true);
  yield* out;
}

/** Yields the bytes of a member and compares them with the size and checksum in the directory. */
async function* checkedBytes(source: RandomAccess, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  let size = 0;
  let crc = 0;
  for await (const bytes of inflateMember(source, entry)) {
    size += bytes.length;
    if (size > entry.size) unsafeZip(source.name, entry.name, 'unpacks to more than its directory says');
    crc = crc32(bytes, crc);
    yield bytes;
  }
  if (size !== entry.size || crc !== entry.crc)
    damagedZip(source.name, `its member ${entry.name} does not match its sum`);
}

/**
 * Returns the members of an archive as files, in order, without folders. Before anything is unpacked, refuses absolute
 * names, names that leave the archive, links, encryption and zip bombs.
 */
export async function openZipMembers(source: RandomAccess, given: Partial<ZipLimits> = {}): Promise<InputFile[]> {
  const limits: ZipLimits = { ...defaultZipLimits, ...given };
  const { start, size, count } = await findDirectory(source);
  if (!(start + size <= source.size)) damagedZip(source.name, 'its directory is outside the file');
  if (count > limits.members) unsafeZip(source.name, '', `is one of ${count}; at most ${limits.members} are allowed`);
  const entries = zipEntries(source, await source.read(start, start + size), count, limits);
  return entries.map((entry) => ({
    name: entry.name,
    size: entry.size,
    stream: () => checkedBytes(source, entry),
  }));
}
