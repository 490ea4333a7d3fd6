// Moves inline images and files of messages to the blob store, so that reading a tree does not load their bytes.
import type { BlobStore, Block, Message } from '@coppice/core';
import { fromBase64, isBase64, isCanonicalBase64, toBase64 } from './base64.ts';
import type { FileBlock } from './blocks/file/index.ts';
import type { ImageBlock } from './blocks/image/index.ts';
import { type Base64Source, type BlobSource, byteSourceOf } from './blocks/source.ts';
import { sha256Hex } from './sha256.ts';

/** An image or a file whose bytes are in the message. */
type InlineBlock = (ImageBlock | FileBlock) & { readonly source: Base64Source };

/** Bytes that were in a message, and the block that refers to them by their hash. */
export interface ExtractedBytes {
  readonly block: (ImageBlock | FileBlock) & { readonly source: BlobSource };
  readonly bytes: Uint8Array;
  /** The base64 of the bytes, as the message had it. */
  readonly data: string;
  readonly mediaType: string;
}

function isInlineBlock(block: Block): block is InlineBlock {
  if (block.type !== 'image' && block.type !== 'file') return false;
  return byteSourceOf(block)?.type === 'base64';
}

/** Whether a message has an image or a file with inline bytes. A malformed message has none; the planner refuses it. */
export function hasInlineBytes({ content }: Message): boolean {
  return Array.isArray(content) && content.some(isInlineBlock);
}

/**
 * Returns the bytes of an inline image or file; undefined for other blocks, and for data that its bytes would not
 * restore exactly.
 */
export function extractInlineBytes(block: Block): ExtractedBytes | undefined {
  if (!isInlineBlock(block)) return undefined;
  const { data } = block.source;
  if (data === '' || !isBase64(data) || !isCanonicalBase64(data)) return undefined;
  const bytes = fromBase64(data);
  const source: BlobSource = { type: 'blob', hash: sha256Hex(bytes), size: bytes.length };
  return { block: { ...block, source }, bytes, data, mediaType: block.mediaType ?? 'application/octet-stream' };
}

/**
 * Moves inline images and files of a message to the blob store. Both forms are equal for matching. Data that is not
 * valid base64 stays unchanged; a message without inline bytes stays the same object.
 */
export async function storeInlineBytes(message: Message, blobs: BlobStore): Promise<Message> {
  if (!hasInlineBytes(message)) return message;
  return { ...message, content: await storeInlineBlocks(message.content, blobs) };
}

/** Like {@link storeInlineBytes}, for the blocks of a message. */
export function storeInlineBlocks(content: readonly Block[], blobs: BlobStore): Promise<readonly Block[]> {
  return Promise.all(content.map((block) => storeBlock(block, blobs)));
}

/** Like {@link storeInlineBytes}, for a list of items that each may have a message. */
export function storeInlineMessages<T extends { readonly message?: Message }>(
  items: readonly T[],
  blobs: BlobStore,
): Promise<readonly T[]> {
  return Promise.all(
    items.map(async (item) => {
      const message = item.message === undefined ? undefined : await storeInlineBytes(item.message, blobs);
      return message === item.message ? item : { ...item, message };
    }),
  );
}

async function storeBlock(block: Block, blobs: BlobStore): Promise<Block> {
  const moved = extractInlineBytes(block);
  if (moved === undefined) return block;
  // An existing blob is not stored again: `put` would keep it from being purged until a message refers to it.
  if ((await blobs.find(moved.block.source.hash)) === null) await blobs.put(moved.bytes, moved.mediaType);
  return moved.block;
}

/** Whether a block is an image or a file whose bytes are in the blob store. */
function isStoredBlock(block: Block): block is (ImageBlock | FileBlock) & { readonly source: BlobSource } {
  return (block.type === 'image' || block.type === 'file') && byteSourceOf(block)?.type === 'blob';
}

/** Whether some blocks refer to the blob store. */
export function hasStoredBytes(content: readonly Block[]): boolean {
  return content.some(isStoredBlock);
}

/**
 * Reverses {@link storeInlineBlocks}: returns blocks that contain the bytes of their images and files. A block whose
 * bytes are missing in the store stays a reference.
 */
export function restoreInlineBlocks(content: readonly Block[], blobs: BlobStore): Promise<readonly Block[]> {
  return Promise.all(content.map((block) => restoreBlock(block, blobs)));
}

async function restoreBlock(block: Block, blobs: BlobStore): Promise<Block> {
  if (!isStoredBlock(block)) return block;
  const bytes = await blobs.read(block.source.hash);
  if (bytes === null) return block;
  const source: Base64Source = { type: 'base64', data: toBase64(bytes) };
  const inline: Block & { readonly source: Base64Source } = { ...block, source };
  return inline;
}
