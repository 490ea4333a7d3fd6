// Attachments whose bytes lie beside the messages go out inside them, where a format holds bytes.
import type { Block, Message } from '@coppice/core';
import { toBase64 } from '../base64.ts';
import { isByteSource } from '../blocks/source.ts';
import type { WriteOptions } from './contract.ts';

/** A message with the bytes of its attachments in it, as far as they are at hand. */
export async function withBytes(message: Message, options: WriteOptions): Promise<Message> {
  const { blob } = options;
  if (blob === undefined || !message.content.some(isStoredBlob)) return message;
  const content: Block[] = [];
  for (const block of message.content) {
    const source = 'source' in block ? block.source : undefined;
    const bytes = isByteSource(source) && source.type === 'blob' ? await blob(source.hash) : null;
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

/** Whether the bytes of a block lie elsewhere. */
export function isStoredBlob(block: Block): boolean {
  return 'source' in block && isByteSource(block.source) && block.source.type === 'blob';
}
