/** Writes the node index of a session, completely or as an update with the changed nodes. */
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type FieldMap, isUuid, type Node, type NodeId, type RowChange, type Tree } from '@coppice/core';
import { allBookmarks, allNodes, childIds, findAnyNode, rowOf } from '@coppice/core/tree';
import { AtomicWriter, withFileErrors } from '../disk/atomic-files.ts';
import {
  type ByteRange,
  DamagedNodeIndexError,
  encodeIndexFooter,
  type IndexFooter,
  nodeIndexPathOf,
  nodeRecordBytes,
  readBytesAt,
  readIndexFooter,
  type SessionFileState,
} from './node-index.ts';
import { sidecarFolderOf } from './paths.ts';

// The number of rows in one write call, and of bytes in one copy.
const rowBatch = 1_000;
const copySize = 1 << 20;
// If more nodes have changed, an update is not much faster than a complete index.
const changedMost = 256;

/**
 * Deletes the index of a session before its file is replaced. After a purge the index would still contain purged rows.
 */
export function deleteNodeIndex(session: string): void {
  const path = nodeIndexPathOf(session);
  withFileErrors(path, () => rmSync(path, { force: true }));
}

/** Whether the index of a session describes this state of its file. */
export function isNodeIndexCurrent(session: string, state: SessionFileState): boolean {
  return withIndex(session, state, () => true) ?? false;
}

/** Runs work on the index of a session. Returns null if there is no index for this state of the file. */
function withIndex<T>(
  session: string,
  state: SessionFileState,
  work: (handle: number, footer: IndexFooter) => T,
): T | null {
  let handle: number | null = null;
  try {
    handle = openSync(nodeIndexPathOf(session), 'r');
    const footer = readIndexFooter(handle, state);
    return footer === null ? null : work(handle, footer);
  } catch (error) {
    // The index is missing, unreadable or damaged. The caller continues without it.
    if (handle === null || error instanceof DamagedNodeIndexError) return null;
    throw error;
  } finally {
    if (handle !== null) closeSync(handle);
  }
}

/** Collects the nodes that changed since the index was written, as long as the index can be updated. */
export class ChangedNodes {
  /** The state of the file that the index describes. */
  readonly state: SessionFileState;
  // For each changed node, whether it is new. Null after a change that needs a complete index.
  #nodes: Map<NodeId, boolean> | null = new Map();

  constructor(state: SessionFileState) {
    this.state = state;
  }

  get nodes(): ReadonlyMap<NodeId, boolean> | null {
    return this.#nodes;
  }

  /**
   * Adds the nodes that a commit changed. A move, a removal or too many changes mean that a complete index is needed.
   */
  add(changes: readonly RowChange[]): void {
    for (const change of changes) {
      if (change.op === 'marked' || (change.op === 'updated' && isMove(change))) this.#nodes = null;
      if (this.#nodes === null) return;
      if (change.op === 'added') this.#nodes.set(change.node.id, true);
      if (change.op === 'updated') for (const id of change.nodeIds) this.#nodes.set(id, this.#nodes.get(id) ?? false);
      if (this.#nodes.size > changedMost) this.#nodes = null;
    }
  }
}

function isMove({ set }: Extract<RowChange, { op: 'updated' }>): boolean {
  return set.parentId !== undefined || set.position !== undefined;
}

/** The tree and the file that an index is written for. */
export interface NodeIndexSource {
  readonly tree: Tree;
  readonly state: SessionFileState;
  /** The changes since the existing index was written; null if there is no index to update. */
  readonly changed: ChangedNodes | null;
  /** Returns the line with the content of a node; null if no single line contains it. */
  lineOf(node: Node): ByteRange | null;
}

/** Writes the index of a session. Does nothing if an id of the tree is not a UUID. */
export function writeNodeIndex(session: string, source: NodeIndexSource): void {
  const { changed } = source;
  const write = (pieces: Iterable<Uint8Array>) =>
    new AtomicWriter(join(sidecarFolderOf(session), 'making')).replace(
      nodeIndexPathOf(session),
      pieces,
      'session',
      false,
    );
  const nodes = changed?.nodes ?? null;
  const isUpdated =
    changed !== null &&
    nodes !== null &&
    withIndex(session, changed.state, (handle, footer) => {
      // If more than half of the bytes are outdated rows, a complete index is written instead.
      if (footer.stale * 2 > footer.recordsAt) return false;
      write(new IndexUpdate(source, nodes, handle, footer).pieces());
      return true;
    });
  if (isUpdated === true) return;
  const all = allNodes(source.tree);
  if (all.every(({ id }) => isUuid(id))) write(wholeIndex(source, all));
}

function* wholeIndex(source: NodeIndexSource, nodes: readonly Node[]): Generator<Uint8Array, void, undefined> {
  const numbers = new Map<string, number>();
  for (let no = 0; no < nodes.length; no++) numbers.set(nodes[no]?.id ?? '', no);
  const numberOf = (id: string) => numbers.get(id) ?? -1;
  const records = Buffer.alloc(nodes.length * nodeRecordBytes);
  let rowsEnd = 0;
  for (let no = 0; no < nodes.length; no += rowBatch) {
    const some = nodes.slice(no, no + rowBatch);
    const rows = fillRecords(source, some, { records, numberOf, rowsEnd });
    for (const node of some) linkChildren(source.tree, node, records, numberOf);
    rowsEnd += rows.length;
    yield rows;
  }
  for (let no = 0; no < nodes.length; no++) sealRecord(records, no);
  yield* recordsAndEnd(source, { records, numberOf, rowsEnd }, 0);
}

/** The records of a new index, and how many bytes of rows were written so far. */
interface RecordsDraft {
  readonly records: Buffer;
  readonly rowsEnd: number;
  /** Returns the index of a node's record; −1 if it has none. */
  numberOf(id: string): number;
}

/**
 * Returns the rows of some nodes, and fills their records without the links to children. This is a plain function,
 * because V8 optimises it sooner than a generator body.
 */
function fillRecords(source: NodeIndexSource, nodes: readonly Node[], draft: RecordsDraft): Uint8Array {
  const { records, rowsEnd } = draft;
  const lines = nodes.map((node) => (node.message === null ? null : source.lineOf(node)));
  const texts = nodes.map((node, index) => JSON.stringify(lines[index] === null ? node : shortRow(node)));
  const rows = Buffer.from(texts.join(''));
  // If every character takes one byte, the texts need not be measured one by one.
  const isPlain = texts.reduce((sum, text) => sum + text.length, 0) === rows.length;
  let offset = 0;
  for (let index = 0; index < nodes.length; index++) {
    const [node, text, line] = [nodes[index], texts[index], lines[index]];
    if (node === undefined || text === undefined) continue;
    const at = draft.numberOf(node.id) * nodeRecordBytes;
    const length = isPlain ? text.length : Buffer.byteLength(text);
    records.write(node.id.replaceAll('-', ''), at, 'hex');
    records.writeUInt32LE(node.parentId === null ? 0 : draft.numberOf(node.parentId) + 1, at + 16);
    records.writeUInt32LE(line?.length ?? 0, at + 28);
    records.writeDoubleLE(line?.offset ?? 0, at + 32);
    records.writeDoubleLE(rowsEnd + offset, at + 40);
    records.writeUInt32LE(length, at + 48);
    records.writeUInt32LE(crc32(rows.subarray(offset, offset + length)), at + 52);
    records.writeUInt32LE(node.removedIn === null ? 0 : 1, at + 56);
    offset += length;
  }
  return rows;
}

/**
 * Writes the link to the first child into a node's record, and the link to the next sibling into each child's record.
 */
function linkChildren(tree: Tree, node: Node, records: Buffer, numberOf: (id: string) => number): void {
  let place = numberOf(node.id) * nodeRecordBytes + 20;
  for (const id of childIds(tree, node.id)) {
    const no = numberOf(id);
    records.writeUInt32LE(no + 1, place);
    place = no * nodeRecordBytes + 24;
  }
}

function sealRecord(records: Buffer, no: number): void {
  const end = no * nodeRecordBytes + nodeRecordBytes - 4;
  records.writeUInt32LE(crc32(records.subarray(no * nodeRecordBytes, end)), end);
}

/**
 * Returns the fields of a row that the node's line does not contain or that may have changed since. Default values are
 * left out.
 */
function shortRow(node: Node): FieldMap {
  const { position, seq, createdAt, tokens, addedIn, key } = node;
  const row: Record<string, unknown> = { position, seq, createdAt, tokens, addedIn, key };
  if (node.kind !== 'message') row['kind'] = node.kind;
  if (node.status !== 'success') row['status'] = node.status;
  if (node.groupId !== 0) row['groupId'] = node.groupId;
  if (node.matchParent !== node.parentId) row['matchParent'] = node.matchParent;
  if (node.contentIn !== addedIn) row['contentIn'] = node.contentIn;
  if (node.removedIn !== null) row['removedIn'] = node.removedIn;
  if (node.lastChildId !== null) row['lastChildId'] = node.lastChildId;
  if (Object.keys(node.meta).length > 0) row['meta'] = node.meta;
  if (node.marker !== null) row['marker'] = node.marker;
  if (node.aliases.length > 0) row['aliases'] = node.aliases;
  return row;
}

function* recordsAndEnd(
  { tree, state }: NodeIndexSource,
  { records, numberOf, rowsEnd }: RecordsDraft,
  stale: number,
): Generator<Uint8Array, void, undefined> {
  yield records;
  const numbers = { root: numberOf(tree.rootId), active: numberOf(tree.activeNodeId ?? '') };
  const head = Buffer.from(JSON.stringify({ row: rowOf(tree), bookmarks: allBookmarks(tree), ...numbers }));
  yield head;
  const place = { offset: rowsEnd + records.length, length: head.length, sum: crc32(head) };
  yield encodeIndexFooter({ count: records.length / nodeRecordBytes, recordsAt: rowsEnd, head: place, stale }, state);
}

/** Updates an existing index. Throws {@link DamagedNodeIndexError} if a record that has to change is damaged. */
class IndexUpdate {
  readonly #source: NodeIndexSource;
  readonly #handle: number;
  readonly #footer: IndexFooter;
  readonly #records: Buffer;
  readonly #numbers = new Map<string, number>();
  readonly #touched = new Set<number>();
  readonly #added: Node[] = [];
  readonly #updated: Node[] = [];

  constructor(source: NodeIndexSource, changed: ReadonlyMap<NodeId, boolean>, handle: number, footer: IndexFooter) {
    this.#source = source;
    this.#handle = handle;
    this.#footer = footer;
    for (const [id, isNew] of changed) {
      const node = findAnyNode(source.tree, id);
      if (node === undefined) throw new DamagedNodeIndexError();
      if (isNew) this.#numbers.set(id, footer.count + this.#added.length);
      (isNew ? this.#added : this.#updated).push(node);
    }
    const before = readBytesAt(handle, footer.recordsAt, footer.count * nodeRecordBytes);
    this.#records = Buffer.concat([before, Buffer.alloc(this.#added.length * nodeRecordBytes)]);
  }

  *pieces(): Generator<Uint8Array, void, undefined> {
    const { recordsAt, stale } = this.#footer;
    let replaced = 0;
    for (const { id } of this.#updated)
      replaced += this.#records.readUInt32LE(this.#touch(this.#numberOf(id)) * nodeRecordBytes + 48);
    for (const { id } of this.#added) this.#touched.add(this.#numberOf(id));
    const draft = { records: this.#records, rowsEnd: recordsAt, numberOf: (id: string) => this.#numberOf(id) };
    const rows = fillRecords(this.#source, [...this.#updated, ...this.#added], draft);
    for (const node of this.#added) this.#link(node);
    for (const no of this.#touched) sealRecord(this.#records, no);
    for (let at = 0; at < recordsAt; at += copySize)
      yield readBytesAt(this.#handle, at, Math.min(copySize, recordsAt - at));
    yield rows;
    yield* recordsAndEnd(this.#source, { ...draft, rowsEnd: recordsAt + rows.length }, stale + replaced);
  }

  /** Checks a record before its first change, and returns its index. */
  #touch(no: number): number {
    if (this.#touched.has(no)) return no;
    const [from, end] = [no * nodeRecordBytes, no * nodeRecordBytes + nodeRecordBytes - 4];
    if (no < 0 || this.#records.readUInt32LE(end) !== crc32(this.#records.subarray(from, end)))
      throw new DamagedNodeIndexError();
    this.#touched.add(no);
    return no;
  }

  /**
   * Links a new node to its siblings and its parent. Existing children were neither moved nor removed, so their links
   * stay valid.
   */
  #link({ id, parentId }: Node): void {
    const siblings = childIds(this.#source.tree, parentId ?? '');
    const at = siblings.indexOf(id);
    if (at < 0 || parentId === null) throw new DamagedNodeIndexError();
    const no = this.#numberOf(id);
    const [before, after] = [siblings[at - 1], siblings[at + 1]];
    const link = (from: string, to: number, field: number) =>
      this.#records.writeUInt32LE(to + 1, this.#touch(this.#numberOf(from)) * nodeRecordBytes + field);
    link(before ?? parentId, no, before === undefined ? 20 : 24);
    link(id, after === undefined ? -1 : this.#numberOf(after), 24);
  }

  #numberOf(id: string): number {
    const known = this.#numbers.get(id);
    if (known !== undefined || !isUuid(id)) return known ?? -1;
    const wanted = Buffer.from(id.replaceAll('-', ''), 'hex');
    let at = this.#records.indexOf(wanted);
    while (at >= 0 && at % nodeRecordBytes !== 0) at = this.#records.indexOf(wanted, at + 1);
    const no = at < 0 ? -1 : at / nodeRecordBytes;
    this.#numbers.set(id, no);
    return no;
  }
}
