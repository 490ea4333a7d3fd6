/**
 * The node index of a session. For each node it stores the row, the neighbours, and the byte range of the content in
 * the session file, so that one branch can be read without the rest of the file. It can be deleted without a loss, and
 * is valid only for one state of the session file.
 *
 * The index file contains the rows as JSON, one record of fixed size per node, the tree row, and a footer with the
 * state of the session file.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type FieldMap, isUuid, type NodeId, nodeId } from '@coppice/core';
import { isFieldMap } from '@coppice/core/decode';
import { sidecarFolderOf } from './paths.ts';

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * The record of one node. It refers to other nodes by the index of their record; −1 means no node, and is stored as 0.
 */
export interface NodeRecord {
  readonly no: number;
  readonly id: NodeId;
  readonly parent: number;
  readonly firstChild: number;
  readonly nextSibling: number;
  readonly isRemoved: boolean;
  /** The line with the node's content; null if the index row contains the content. */
  readonly line: ByteRange | null;
  readonly row: ByteRange & { readonly sum: number };
}

/** The state of a session file. An index is valid only while the file has the same state. */
export interface SessionFileState {
  readonly size: number;
  readonly ino: bigint;
  readonly mtimeNs: bigint;
  // The system sets the change time at every change, and programs cannot set it.
  readonly ctimeNs: bigint;
  /** The checksum of the last bytes of the file. */
  readonly tail: number;
}

/** The size of a record, which ends with its checksum. */
export const nodeRecordBytes = 64;
const footerSize = 88;
const formatVersion = 1;
const magic = Buffer.from('coppidx\n');
const tailSize = 256;
// Records are read in blocks of this many, because the records of a branch are often close together.
const blockRecords = 128;
// Ranges with a gap of at most this many bytes are read together, up to a maximum length.
const gapMost = 8_192;
const readMost = 1 << 20;

export function nodeIndexPathOf(session: string): string {
  return join(sidecarFolderOf(session), 'nodes.index');
}

export function readFileState(handle: number): SessionFileState {
  const { size, ino, mtimeNs, ctimeNs } = fstatSync(handle, { bigint: true });
  const end = Number(size);
  const tail = crc32(readBytesAt(handle, Math.max(0, end - tailSize), Math.min(end, tailSize)));
  return { size: end, ino: BigInt.asUintN(64, ino), mtimeNs, ctimeNs, tail };
}

/** Reads bytes at an offset; fewer at the end of the file. */
export function readBytesAt(handle: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const count = readSync(handle, bytes, read, length - read, offset + read);
    if (count === 0) break;
    read += count;
  }
  return bytes.subarray(0, read);
}

/** The end of an index file: the offsets of its parts, and the state of the session file. */
export interface IndexFooter {
  readonly count: number;
  /** The offset at which the records begin, after the rows. */
  readonly recordsAt: number;
  readonly head: ByteRange & { readonly sum: number };
  /** The number of bytes of outdated rows, which newer rows replaced. */
  readonly stale: number;
}

export function encodeIndexFooter({ count, recordsAt, head, stale }: IndexFooter, state: SessionFileState): Buffer {
  const bytes = Buffer.alloc(footerSize);
  magic.copy(bytes);
  bytes.writeUInt32LE(formatVersion, 8);
  bytes.writeUInt32LE(count, 12);
  bytes.writeDoubleLE(recordsAt, 16);
  bytes.writeUInt32LE(head.length, 24);
  bytes.writeUInt32LE(head.sum, 28);
  bytes.writeDoubleLE(state.size, 32);
  bytes.writeBigUInt64LE(state.ino, 40);
  bytes.writeBigInt64LE(state.mtimeNs, 48);
  bytes.writeBigInt64LE(state.ctimeNs, 56);
  bytes.writeUInt32LE(state.tail, 64);
  bytes.writeDoubleLE(stale, 68);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, footerSize - 4)), footerSize - 4);
  return bytes;
}

/** Returns the footer of an index for this state of the session file; null if it has another state or is damaged. */
export function readIndexFooter(handle: number, state: SessionFileState): IndexFooter | null {
  const { size } = fstatSync(handle);
  const bytes = readBytesAt(handle, Math.max(0, size - footerSize), Math.min(size, footerSize));
  if (bytes.length < footerSize || !bytes.subarray(0, magic.length).equals(magic)) return null;
  const [count, recordsAt] = [bytes.readUInt32LE(12), bytes.readDoubleLE(16)];
  const head = {
    offset: recordsAt + count * nodeRecordBytes,
    length: bytes.readUInt32LE(24),
    sum: bytes.readUInt32LE(28),
  };
  const footer = { count, recordsAt, head, stale: bytes.readDoubleLE(68) };
  // The whole footer is compared: version, offsets, state and checksum must all be equal.
  if (head.offset + head.length + footerSize !== size || !encodeIndexFooter(footer, state).equals(bytes)) return null;
  return footer;
}

/** Returns a node's row with its default values added, but without message and text. */
function wholeRow(short: FieldMap, id: NodeId, parentId: NodeId | null): FieldMap {
  return {
    kind: 'message',
    status: 'success',
    groupId: 0,
    matchParent: parentId,
    contentIn: short['addedIn'],
    removedIn: null,
    lastChildId: null,
    meta: {},
    marker: null,
    aliases: [],
    ...short,
    id,
    parentId,
  };
}

/** Thrown if a checksum of the index is wrong, or if a line of the session file does not match the index. */
export class DamagedNodeIndexError extends Error {}

/**
 * An open index with its session file. All data is verified before it is returned; damage throws {@link
 * DamagedNodeIndexError}.
 */
export class NodeIndex {
  readonly count: number;
  readonly #index: number;
  readonly #session: number;
  readonly #recordsAt: number;
  readonly #head: ByteRange & { readonly sum: number };
  readonly #blocks = new Map<number, Buffer>();
  readonly #numbers = new Map<string, number>();
  #all: Buffer | null = null;

  private constructor(index: number, session: number, { count, recordsAt, head }: IndexFooter) {
    this.#index = index;
    this.#session = session;
    this.count = count;
    this.#recordsAt = recordsAt;
    this.#head = head;
  }

  /** Opens the index of a session. Returns null if there is no index for the current state of the file. */
  static open(session: string): NodeIndex | null {
    const handles: number[] = [];
    let opened: NodeIndex | null = null;
    try {
      const index = openSync(nodeIndexPathOf(session), 'r');
      handles.push(index);
      const lines = openSync(session, 'r');
      handles.push(lines);
      const footer = readIndexFooter(index, readFileState(lines));
      // The session file may have been replaced between the two open calls.
      if (footer !== null && statSync(session, { bigint: true }).ino === fstatSync(lines, { bigint: true }).ino)
        opened = new NodeIndex(index, lines, footer);
    } catch {
      // The caller reads the session file itself, which reports the error.
    }
    if (opened === null) for (const handle of handles) closeSync(handle);
    return opened;
  }

  /** Returns the tree row, the bookmarks, and the numbers of the records of the root and the active node, as JSON. */
  head(): FieldMap {
    return parseFields(this.#checked(readBytesAt(this.#index, this.#head.offset, this.#head.length), this.#head.sum));
  }

  record(no: number): NodeRecord {
    if (!(no >= 0 && no < this.count)) throw new DamagedNodeIndexError();
    const block = Math.floor(no / blockRecords);
    let bytes = this.#blocks.get(block);
    if (bytes === undefined) {
      const first = block * blockRecords;
      const length = Math.min(blockRecords, this.count - first) * nodeRecordBytes;
      bytes = readBytesAt(this.#index, this.#recordsAt + first * nodeRecordBytes, length);
      this.#blocks.set(block, bytes);
    }
    const at = (no - block * blockRecords) * nodeRecordBytes;
    const own = bytes.subarray(at, at + nodeRecordBytes);
    if (
      own.length < nodeRecordBytes ||
      own.readUInt32LE(nodeRecordBytes - 4) !== crc32(own.subarray(0, nodeRecordBytes - 4))
    )
      throw new DamagedNodeIndexError();
    const hex = own.toString('hex', 0, 16);
    const id = nodeId(
      `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`,
    );
    this.#numbers.set(id, no);
    const length = own.readUInt32LE(28);
    return {
      no,
      id,
      parent: own.readUInt32LE(16) - 1,
      firstChild: own.readUInt32LE(20) - 1,
      nextSibling: own.readUInt32LE(24) - 1,
      isRemoved: own.readUInt32LE(56) !== 0,
      line: length === 0 ? null : { offset: own.readDoubleLE(32), length },
      row: { offset: own.readDoubleLE(40), length: own.readUInt32LE(48), sum: own.readUInt32LE(52) },
    };
  }

  /** Returns the index of a node's record; −1 if there is no node with this id. */
  find(id: string): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    if (!isUuid(id)) return -1;
    this.#all ??= readBytesAt(this.#index, this.#recordsAt, this.count * nodeRecordBytes);
    const wanted = Buffer.from(id.replaceAll('-', ''), 'hex');
    for (let at = this.#all.indexOf(wanted); at >= 0; at = this.#all.indexOf(wanted, at + 1))
      if (at % nodeRecordBytes === 0 && this.record(at / nodeRecordBytes).id === id) return at / nodeRecordBytes;
    return -1;
  }

  /** Reads the rows of nodes, and the lines with their contents. */
  *contents(records: readonly NodeRecord[]): Generator<IndexedNode, void, undefined> {
    const rows = readRanges(
      this.#index,
      records.map(({ row }) => row),
    );
    const lines = readRanges(
      this.#session,
      records.map(({ line }) => line ?? { offset: 0, length: 0 }),
    );
    for (const [at, record] of records.entries()) {
      const row = parseFields(this.#checked(rows[at] ?? Buffer.alloc(0), record.row.sum));
      if (record.line === null) yield { record, row, line: null };
      else {
        const parentId = record.parent < 0 ? null : this.record(record.parent).id;
        yield { record, row: wholeRow(row, record.id, parentId), line: parseFields(lines[at] ?? Buffer.alloc(0)) };
      }
    }
  }

  #checked(bytes: Buffer, sum: number): Buffer {
    if (crc32(bytes) !== sum) throw new DamagedNodeIndexError();
    return bytes;
  }

  close(): void {
    closeSync(this.#index);
    closeSync(this.#session);
  }
}

/** A node of the index: its row, and the line that contains its message; `line` is null if the row is complete. */
export interface IndexedNode {
  readonly record: NodeRecord;
  readonly row: FieldMap;
  readonly line: FieldMap | null;
}

function parseFields(bytes: Buffer): FieldMap {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (isFieldMap(value)) return value;
  } catch {
    // Text that is not JSON is damage, like any other value that is not an object.
  }
  throw new DamagedNodeIndexError();
}

/**
 * Reads ranges of a file. Neighbouring ranges are read with one call. A range beyond the end of the file is shorter
 * than requested.
 */
function readRanges(handle: number, ranges: readonly ByteRange[]): Buffer[] {
  const found: Buffer[] = new Array(ranges.length);
  const order = [...ranges.keys()].sort((a, b) => (ranges[a]?.offset ?? 0) - (ranges[b]?.offset ?? 0));
  let group: number[] = [];
  let [start, end] = [0, 0];
  const flush = () => {
    const bytes = readBytesAt(handle, start, end - start);
    for (const at of group) {
      const { offset, length } = ranges[at] ?? { offset: 0, length: 0 };
      found[at] = bytes.subarray(offset - start, offset - start + length);
    }
    group = [];
  };
  for (const at of order) {
    const { offset, length } = ranges[at] ?? { offset: 0, length: 0 };
    if (group.length > 0 && (offset > end + gapMost || offset + length - start > readMost)) flush();
    if (group.length === 0) [start, end] = [offset, offset];
    group.push(at);
    end = Math.max(end, offset + length);
  }
  if (group.length > 0) flush();
  return found;
}
