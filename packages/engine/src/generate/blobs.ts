/** Loads stored images and attachments into a request just before it is sent. */

import type { BlobSource, FileBlock, ImageBlock } from '@coppice/content';
import { isFileBlock, isImage } from '@coppice/content/wires';
import type { BlobStore, Block, Message } from '@coppice/core';

/** An image or an attachment whose bytes are in the store. */
type StoredBlock = (ImageBlock | FileBlock) & { readonly source: BlobSource };

function isStoredBlock(block: Block): block is StoredBlock {
  return (isImage(block) || isFileBlock(block)) && block.source.type === 'blob';
}

// Media types that can be sent as text to a provider that does not accept such files.
const inWords = /^(?:text\/|application\/(?:json|xml|toml|yaml|x-yaml|javascript|x-ndjson)\b|[^;]+\+(?:json|xml)\b)/i;

/**
 * Returns the messages with the bytes of their stored blocks: as base64, or as text if an attachment is text. The
 * newest messages come first; blocks beyond the size limit and blobs missing from the store stay unchanged, and the
 * provider gets their name and type instead. Messages without stored blocks stay the same objects.
 */
export async function withStoredBytes(
  messages: readonly Message[],
  blobs: BlobStore,
  mostBytes: number,
): Promise<readonly Message[]> {
  if (!messages.some((message) => message.content.some(isStoredBlock))) return messages;
  const known = new Map<string, Uint8Array | null>();
  let left = mostBytes;
  const bytesOf = async ({ source: { hash } }: StoredBlock): Promise<Uint8Array | null> => {
    const size = known.get(hash)?.byteLength ?? (await blobs.find(hash))?.size;
    if (size === undefined || size > left) return null;
    const bytes = known.get(hash) ?? (await blobs.read(hash));
    if (bytes === null) return null;
    known.set(hash, bytes);
    left -= bytes.byteLength;
    return bytes;
  };
  const sent = [...messages];
  for (let at = sent.length - 1; at >= 0; at--) {
    const message = sent[at];
    if (message === undefined || !message.content.some(isStoredBlock)) continue;
    const content: Block[] = [];
    for (const block of message.content) {
      const bytes = isStoredBlock(block) ? await bytesOf(block) : null;
      content.push(bytes === null ? block : withBlobBytes(block, bytes));
    }
    sent[at] = { ...message, content };
  }
  return sent;
}

function withBlobBytes(block: Block, bytes: Uint8Array): Block {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const source = { type: 'base64', data: buffer.toString('base64') } as const;
  if (isImage(block)) {
    const image: ImageBlock = { ...block, source };
    return image;
  }
  if (!isFileBlock(block)) return block;
  const text = { type: 'text', text: buffer.toString('utf8') } as const;
  const file: FileBlock = { ...block, source: inWords.test(block.mediaType) ? text : source };
  return file;
}
