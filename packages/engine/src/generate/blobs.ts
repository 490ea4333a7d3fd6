/** Loads stored images and attachments into a request just before it is sent. */
import type { BlobSource, FileBlock, ImageBlock } from '@coppice/content';
import { isFileBlock, isImageBlock } from '@coppice/content/wires';
import type { BlobStore, Block, Message, Role } from '@coppice/core';
import { encodeBase64 } from '#platform/system';
import { decodeText, isCutText } from '../files/extract-text.ts';
import type { FileTextExtractor } from '../files/file-text-extractor.ts';
import type { ProviderNotice } from '../providers/contract.ts';

/** An image or an attachment whose bytes are in the store. */
type StoredBlock = (ImageBlock | FileBlock) & { readonly source: BlobSource };

function isStoredBlock(block: Block): block is StoredBlock {
  return (isImageBlock(block) || isFileBlock(block)) && block.source.type === 'blob';
}

// Media types whose files contain plain text.
const textMediaType =
  /^(?:text\/|application\/(?:json|xml|toml|yaml|x-yaml|javascript|x-ndjson)\b|[^;]+\+(?:json|xml)\b)/i;

/** The blob store and the limits for loading files into a request. */
export interface StoredBytesOptions {
  readonly blobs: BlobStore;
  readonly mostBytes: number;
  /** Whether the model accepts a block in this form. */
  readonly accepts: (block: Block, role: Role) => boolean;
  readonly fileTexts: FileTextExtractor;
  /** Called for each file that is sent as its extracted text, in part, or not at all. */
  readonly onNotice: (notice: ProviderNotice) => void;
}

/**
 * Returns the messages with the bytes of their stored files: as base64 if the model accepts such files, otherwise as
 * their text. The newest messages are loaded first. A file beyond the size limit or missing from the store is not sent,
 * and a notice reports it. For such a file, and for one without text, the provider gets name and type. Messages without
 * stored files stay the same objects.
 */
export async function loadStoredBytes(
  messages: readonly Message[],
  options: StoredBytesOptions,
): Promise<readonly Message[]> {
  const { blobs, mostBytes, onNotice } = options;
  if (!messages.some((message) => message.content.some(isStoredBlock))) return messages;
  const known = new Map<string, Uint8Array | null>();
  let left = mostBytes;
  const bytesOf = async (block: StoredBlock): Promise<Uint8Array | null> => {
    const { hash } = block.source;
    const name = isFileBlock(block) ? block.name : (block.mediaType ?? 'image');
    const size = known.get(hash)?.byteLength ?? (await blobs.find(hash))?.size;
    const isTooLarge = size !== undefined && size > left;
    const bytes = size === undefined || isTooLarge ? null : (known.get(hash) ?? (await blobs.read(hash)));
    if (bytes === null) {
      onNotice(isTooLarge ? { type: 'file-left-out', name, limit: mostBytes } : { type: 'file-missing', name });
      return null;
    }
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
      if (bytes === null || !isStoredBlock(block)) content.push(block);
      else content.push(await withBlobBytes(block, bytes, message.role, options));
    }
    sent[at] = { ...message, content };
  }
  return sent;
}

async function withBlobBytes(
  block: StoredBlock,
  bytes: Uint8Array,
  role: Role,
  { accepts, fileTexts, onNotice }: StoredBytesOptions,
): Promise<Block> {
  if (isImageBlock(block)) {
    const image: ImageBlock = { ...block, source: { type: 'base64', data: encodeBase64(bytes) } };
    return image;
  }
  if (textMediaType.test(block.mediaType))
    return withText(block, decodeText(bytes) ?? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  const file: FileBlock = { ...block, source: { type: 'base64', data: encodeBase64(bytes) } };
  if (accepts(file, role)) return file;
  // Files with program code often have no media type of their own.
  const plain = decodeText(bytes);
  if (plain !== null) return withText(block, plain);
  const text = await fileTexts.textOf(block.source.hash, bytes);
  if (text === null) return file;
  onNotice({ type: 'file-as-text', name: block.name });
  if (isCutText(text)) onNotice({ type: 'file-cut', name: block.name });
  return withText(block, text);
}

function withText(block: FileBlock, text: string): FileBlock {
  return { ...block, source: { type: 'text', text } };
}
