import type { Block, Json, Node } from '@coppice/core';
import { toBase64 } from '../../base64.ts';
import { byteSourceOf, mediaTypeOf } from '../../blocks/source.ts';
import type { ExportedTree, WriteEvent, WriteOptions } from '../contract.ts';
import { buildLossEvent } from '../exporting.ts';
import { formatIsoTime } from '../fields.ts';
import { recordBytesOf } from '../original-record.ts';
import { archiveVersion, blobPartBytes, LineChecksum } from './lines.ts';

const namesPerLine = 500;

interface ArchivedBlob {
  readonly hash: string;
  readonly mediaType: string;
}

function blobOf(block: Block): ArchivedBlob | undefined {
  const source = byteSourceOf(block);
  if (source?.type !== 'blob') return undefined;
  return { hash: source.hash, mediaType: mediaTypeOf(block) ?? 'application/octet-stream' };
}

/** Returns the blobs that the message of a node and its original record refer to. */
function blobsOfNode(node: Node): readonly ArchivedBlob[] {
  const blobs: ArchivedBlob[] = [...recordBytesOf(node)];
  for (const block of node.message?.content ?? []) {
    const blob = blobOf(block);
    if (blob !== undefined) blobs.push(blob);
  }
  return blobs;
}

/** Returns the stored fields of a node; fields that can be derived from the message are left out. */
function archiveNodeLine(node: Node): object {
  const { id, parentId, position, seq, kind, status, groupId, createdAt, message, meta, marker, removedIn } = node;
  return {
    type: 'node',
    id,
    parentId,
    position,
    seq,
    ...(kind === 'message' ? {} : { kind }),
    ...(status === 'success' ? {} : { status }),
    ...(groupId === 0 ? {} : { groupId }),
    createdAt,
    ...(removedIn === null ? {} : { removed: true }),
    message,
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
    ...(marker === null ? {} : { marker }),
  };
}

/**
 * Serialises one line as JSON and keeps the order of keys, so that an unknown block survives byte for byte.
 * Control characters are escaped here and not when the archive is printed, because the checksums cover the written
 * lines, and a terminal must not receive control characters.
 */
const archiveLine = (value: object) =>
  `${JSON.stringify(value).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}\n`;

async function* blobLines(hash: string, mediaType: string, options: WriteOptions): AsyncGenerator<string> {
  const bytes = (await options.blob?.(hash)) ?? null;
  if (bytes === null) return;
  const parts = Math.max(1, Math.ceil(bytes.length / blobPartBytes));
  for (let part = 0; part < parts; part++) {
    const data = toBase64(bytes.subarray(part * blobPartBytes, (part + 1) * blobPartBytes));
    yield archiveLine({ type: 'blob', hash, size: bytes.length, mediaType, part, parts, data });
  }
}

async function* treeLines(tree: ExportedTree): AsyncGenerator<string> {
  const { treeId: id, rootId, attributes, createdAt, updatedAt, activeNodeId } = tree;
  const all = [...tree.nodes, ...tree.trash].sort((a, b) => a.seq - b.seq);
  yield archiveLine({ type: 'tree', id, rootId, attributes, createdAt, updatedAt, activeNodeId, nodes: all.length });
  for (const node of all) yield archiveLine(archiveNodeLine(node));
  for (const bookmark of tree.bookmarks) yield archiveLine({ type: 'bookmark', ...bookmark });
  const names: Json[] = tree.names.map(({ nodeId, format, scope, id: name }) => ({ nodeId, format, scope, id: name }));
  for (let at = 0; at < names.length; at += namesPerLine)
    yield archiveLine({ type: 'names', names: names.slice(at, at + namesPerLine) });
}

/** Writes an archive of complete trees, line by line. */
export async function* write(trees: AsyncIterable<ExportedTree>, options: WriteOptions): AsyncGenerator<WriteEvent> {
  yield { type: 'file', name: 'archive.coppice.jsonl', mediaType: 'application/x-ndjson' };
  yield {
    type: 'text',
    text: archiveLine({
      type: 'archive',
      format: 'coppice',
      version: archiveVersion,
      exportedAt: formatIsoTime(options.now),
    }),
  };
  const kept = new Set<string>();
  const whole = new LineChecksum();
  let count = 0;
  for await (const tree of trees) {
    count++;
    for (const node of [...tree.nodes, ...tree.trash])
      for (const blob of blobsOfNode(node)) {
        if (kept.has(blob.hash)) continue;
        kept.add(blob.hash);
        let lines = 0;
        for await (const text of blobLines(blob.hash, blob.mediaType, options)) {
          lines++;
          yield { type: 'text', text };
        }
        if (lines === 0) yield buildLossEvent(tree, node, 'blobs', `The bytes of ${blob.hash} are not there.`);
      }
    const sum = new LineChecksum();
    for await (const text of treeLines(tree)) {
      sum.add(text);
      yield { type: 'text', text };
    }
    const end = archiveLine({ type: 'end', tree: tree.treeId, sum: sum.value });
    whole.add(end);
    yield { type: 'text', text: end };
    yield { type: 'count', written: tree.nodes.length };
  }
  yield { type: 'text', text: archiveLine({ type: 'end', trees: count, sum: whole.value }) };
}
