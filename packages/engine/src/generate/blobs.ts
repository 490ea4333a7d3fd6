/** Pictures and attachments that the store keeps, put back into a request just before it is sent. */

import type { BlobSource, FileBlock, ImageBlock } from '@coppice/content';
import { isFileBlock, isImage } from '@coppice/content/wires';
import type { BlobStore, Block, Message } from '@coppice/core';

/** A picture or an attachment that lies in the store. */
type StoredBlock = (ImageBlock | FileBlock) & { readonly source: BlobSource };

function isStoredBlock(block: Block): block is StoredBlock {
  return (isImage(block) || isFileBlock(block)) && block.source.type === 'blob';
}

// What a provider that takes no such file can still be told in words.
const inWords = /^(?:text\/|application\/(?:json|xml|toml|yaml|x-yaml|javascript|x-ndjson)\b|[^;]+\+(?:json|xml)\b)/i;

/**
 * The messages with the bytes of what is stored in them: as base64, or as words where an attachment is text. The newest
 * come first: what does not fit into so many bytes any more, and what the store does not have, stays as it is, and a
 * provider is told its name and kind in its place. Messages that need nothing stay the same objects.
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
