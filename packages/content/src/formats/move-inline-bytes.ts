// Moves inline images and files of an imported conversation to the blob store, and returns them to exported records.
import type { ImportNode, Json, Message, Node, NodeMeta } from '@coppice/core';
import { toBase64 } from '../base64.ts';
import { extractInlineBytes, hasInlineBytes } from '../store-inline-bytes.ts';
import type { ExportedTree, ImportedBlob, WriteOptions } from './contract.ts';
import { type CooperativeTask, itemsPerPause } from './cooperative.ts';
import {
  moveBytesOfRecord,
  type RecordBytes,
  readImportMetadata,
  recordBytesOf,
  unpackRecordBytes,
} from './original-record.ts';
import type { StorableTree } from './to-command.ts';

/** A conversation whose messages refer to their bytes by hash, and these bytes. */
export interface TreeWithBlobs {
  readonly tree: StorableTree;
  /** The bytes to store before the command runs, each once. */
  readonly blobs: readonly ImportedBlob[];
}

/**
 * Replaces inline images and files in the messages of a conversation, and in their original records, by references. A
 * conversation without inline bytes stays the same object.
 */
export function* moveInlineBytes(tree: StorableTree): CooperativeTask<TreeWithBlobs> {
  const blobs = new Map<string, ImportedBlob>();
  const { nodes } = tree.command;
  let made: ImportNode[] | undefined;
  for (const [index, node] of nodes.entries()) {
    if (hasInlineBytes(node.message)) {
      made ??= nodes.slice(0, index);
      made.push(moveBytesOfNode(node, blobs));
      // Pauses for each picture, because moving one may take as long as many messages.
      yield;
    } else made?.push(node);
    if (index % itemsPerPause === 0) yield;
  }
  if (made === undefined) return { tree, blobs: [] };
  return { tree: { ...tree, command: { ...tree.command, nodes: made } }, blobs: [...blobs.values()] };
}

function moveBytesOfNode(node: ImportNode, blobs: Map<string, ImportedBlob>): ImportNode {
  const moved: (RecordBytes & { readonly data: string })[] = [];
  const content = node.message.content.map((block) => {
    const taken = extractInlineBytes(block);
    if (taken === undefined) return block;
    const { bytes, data, mediaType } = taken;
    const { hash } = taken.block.source;
    if (!blobs.has(hash)) blobs.set(hash, { hash, size: bytes.length, mediaType, read: async () => bytes });
    if (isRestorable(data, bytes)) moved.push({ type: 'blob', hash, size: bytes.length, mediaType, data });
    return taken.block;
  });
  const message: Message = { ...node.message, content };
  const imported = readImportMetadata(node.meta ?? {});
  if (imported === undefined) return { ...node, message };
  const meta: NodeMeta = { ...node.meta, imported: moveBytesOfRecord(imported, node.message, message, moved) };
  return { ...node, message, meta };
}

/** Whether encoding the bytes gives the same base64. The last group may have other unused bits. */
function isRestorable(data: string, bytes: Uint8Array): boolean {
  const last = Math.floor((bytes.length - 1) / 3) * 3;
  return toBase64(bytes.subarray(last)) === data.slice(-4);
}

/**
 * Restores the bytes in the original records of a tree, so that a writer can write them as they were read. A record
 * whose bytes are not available stays packed, and its message is written instead.
 */
export async function restoreRecordBytes(tree: ExportedTree, { blob }: WriteOptions): Promise<ExportedTree> {
  if (blob === undefined || !tree.nodes.some((node) => recordBytesOf(node).length > 0)) return tree;
  const nodes: Node[] = [];
  for (const node of tree.nodes) nodes.push(await restoreBytesOfNode(node, blob));
  return { ...tree, nodes };
}

async function restoreBytesOfNode(node: Node, blob: NonNullable<WriteOptions['blob']>): Promise<Node> {
  const imported = readImportMetadata(node.meta);
  const bytes = recordBytesOf(node);
  if (imported?.record === undefined || bytes.length === 0) return node;
  const data: string[] = [];
  for (const { hash } of bytes) {
    const found = await blob(hash);
    if (found === null) return node;
    data.push(toBase64(found));
  }
  const record: Json = unpackRecordBytes(imported.record, (index) => data[index] ?? '');
  const { bytes: _, ...rest } = imported;
  return { ...node, meta: { ...node.meta, imported: { ...rest, record } } };
}
