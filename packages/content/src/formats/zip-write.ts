// Builds the records of a zip archive. The caller writes the bytes of the members, so that they do not stay in memory.
import { strToU8 } from 'fflate';
import { refuseImport } from './findings.ts';
import { crc32 } from './zip.ts';

export { crc32 };

/** What the directory of an archive contains about one member. */
export interface ZipMember {
  /** The name of the member, with `/` as separator; never absolute, never with `..`. */
  readonly name: string;
  /** `store` writes the bytes uncompressed, `deflate` compresses them. */
  readonly method: 'store' | 'deflate';
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  /** The offset of the member's header in the archive. */
  readonly offset: number;
}

const full = 0xffff_ffff;
const namesAreUtf8 = 0x0800;
const sizesFollow = 0x0008;
const methods = { store: 0, deflate: 8 } as const;
// The earliest date that the format allows. A fixed date gives the same bytes for the same content.
const earliestDate = 0x0021;

function record(length: number, write: (view: DataView) => void, ...tail: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(tail.reduce((sum, part) => sum + part.length, length));
  write(new DataView(bytes.buffer));
  let at = length;
  for (const part of tail) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * Builds the header of a member. If its checksum and sizes are not known yet, they follow the bytes in a record of
 * {@link buildZipDescriptor}.
 */
export function buildZipHeader(
  member: Pick<ZipMember, 'name' | 'method'>,
  known?: Pick<ZipMember, 'crc' | 'packed' | 'size'>,
): Uint8Array {
  const name = strToU8(member.name);
  return record(
    30,
    (view) => {
      view.setUint32(0, 0x04034b50, true);
      view.setUint16(4, 20, true);
      view.setUint16(6, namesAreUtf8 | (known === undefined ? sizesFollow : 0), true);
      view.setUint16(8, methods[member.method], true);
      view.setUint16(12, earliestDate, true);
      view.setUint32(14, known?.crc ?? 0, true);
      view.setUint32(18, known?.packed ?? 0, true);
      view.setUint32(22, known?.size ?? 0, true);
      view.setUint16(26, name.length, true);
    },
    name,
  );
}

/** Builds the record after the bytes of a member whose sizes were unknown. Throws if the member is larger than 4 GB. */
export function buildZipDescriptor({ name, crc, packed, size }: Omit<ZipMember, 'offset' | 'method'>): Uint8Array {
  if (packed >= full || size >= full)
    refuseImport('import/too-large', `${name} is larger than 4 GB, the limit for a file in a zip archive.`);
  return record(16, (view) => {
    view.setUint32(0, 0x08074b50, true);
    view.setUint32(4, crc, true);
    view.setUint32(8, packed, true);
    view.setUint32(12, size, true);
  });
}

/**
 * Builds the end of an archive: its directory, which starts at offset `at`. `described` means that the files have data
 * descriptors, with their sizes after their bytes.
 */
export function* buildZipDirectory(
  members: readonly ZipMember[],
  at: number,
  described: boolean,
): Generator<Uint8Array> {
  let size = 0;
  for (const member of members) {
    const entry = directoryEntry(member, described);
    size += entry.length;
    yield entry;
  }
  const wide = members.length >= 0xffff || at >= full || size >= full;
  if (wide) yield* wideEnd(members.length, size, at);
  yield record(22, (view) => {
    const count = wide ? 0xffff : members.length;
    view.setUint32(0, 0x06054b50, true);
    view.setUint16(8, count, true);
    view.setUint16(10, count, true);
    view.setUint32(12, wide ? full : size, true);
    view.setUint32(16, wide ? full : at, true);
  });
}

function directoryEntry(member: ZipMember, described: boolean): Uint8Array {
  const name = strToU8(member.name);
  const far = member.offset >= full;
  const extra = far
    ? record(12, (view) => {
        view.setUint16(0, 1, true);
        view.setUint16(2, 8, true);
        view.setBigUint64(4, BigInt(member.offset), true);
      })
    : new Uint8Array(0);
  return record(
    46,
    (view) => {
      view.setUint32(0, 0x02014b50, true);
      view.setUint16(4, far ? 45 : 20, true);
      view.setUint16(6, far ? 45 : 20, true);
      view.setUint16(8, namesAreUtf8 | (described ? sizesFollow : 0), true);
      view.setUint16(10, methods[member.method], true);
      view.setUint16(14, earliestDate, true);
      view.setUint32(16, member.crc, true);
      view.setUint32(20, member.packed, true);
      view.setUint32(24, member.size, true);
      view.setUint16(28, name.length, true);
      view.setUint16(30, extra.length, true);
      view.setUint32(42, far ? full : member.offset, true);
    },
    name,
    extra,
  );
}

/** Builds the 64-bit form of the end record, for archives over 4 GB or 65,534 members. */
function* wideEnd(count: number, size: number, at: number): Generator<Uint8Array> {
  yield record(56, (view) => {
    view.setUint32(0, 0x06064b50, true);
    view.setBigUint64(4, 44n, true);
    view.setUint16(12, 45, true);
    view.setUint16(14, 45, true);
    view.setBigUint64(24, BigInt(count), true);
    view.setBigUint64(32, BigInt(count), true);
    view.setBigUint64(40, BigInt(size), true);
    view.setBigUint64(48, BigInt(at), true);
  });
  yield record(20, (view) => {
    view.setUint32(0, 0x07064b50, true);
    view.setBigUint64(8, BigInt(at + size), true);
    view.setUint32(16, 1, true);
  });
}
