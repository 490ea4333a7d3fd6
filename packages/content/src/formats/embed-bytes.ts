// Embeds stored attachments in messages, for formats that can contain bytes.
import type { Block, Message } from '@coppice/core';
import { toBase64 } from '../base64.ts';
import { byteSourceOf } from '../blocks/source.ts';
import type { WriteOptions } from './contract.ts';

/**
 * Returns a message with the bytes of its attachments embedded. Attachments whose bytes are missing stay references.
 */
export async function embedBytes(message: Message, options: WriteOptions): Promise<Message> {
  const { blob } = options;
  if (blob === undefined || !message.content.some(hasBlobSource)) return message;
  const content: Block[] = [];
  for (const block of message.content) {
    const source = byteSourceOf(block);
    const bytes = source?.type === 'blob' ? await blob(source.hash) : null;
    if (bytes === null) content.push(block);
    else {
      const inside: Block & { readonly source: unknown } = {
        ...block,
        source: { type: 'base64', data: toBase64(bytes) },
      };
      content.push(inside);
    }
  }
  return { ...message, content };
}

/** Whether the bytes of a block are in the blob store. */
export function hasBlobSource(block: Block): boolean {
  return byteSourceOf(block)?.type === 'blob';
}
