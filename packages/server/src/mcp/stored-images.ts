/** Offers the stored images of messages as MCP resources. */
import { type Block, type Node, refuse, type Store } from '@coppice/core';

type Picture = Block & { readonly source: { readonly type: string } };

function isPicture(block: Block): block is Picture {
  if (block.type !== 'image' || !('source' in block)) return false;
  const { source } = block;
  return (
    typeof source === 'object' &&
    source !== null &&
    'type' in source &&
    (source.type === 'base64' || source.type === 'blob')
  );
}

/** Returns the images of a message whose bytes are in the store. An image that is only a URL is part of the text. */
export function storedImagesOf({ message }: Pick<Node, 'message'>): readonly Picture[] {
  return (message?.content ?? []).filter(isPicture);
}

/** Reads an image by its index in the message, as base64. Throws if the message has no such image. */
export async function readStoredImage(store: Store, node: Node | undefined, index: string) {
  const at = /^\d{1,6}$/.test(index) ? Number(index) : -1;
  const found = node === undefined ? undefined : storedImagesOf(node)[at];
  if (found === undefined) return refuse('tree/unknown-node', 'There is no such image.', {});
  const { source } = found;
  const mediaType = 'mediaType' in found && typeof found.mediaType === 'string' ? found.mediaType : 'image/png';
  if ('data' in source && typeof source.data === 'string') return { mediaType, bytes: source.data };
  const hash = 'hash' in source && typeof source.hash === 'string' ? source.hash : '';
  const bytes = await store.blobs.read(hash);
  if (bytes === null) return refuse('tree/unknown-node', 'The bytes of this image are missing in the store.', {});
  const info = await store.blobs.find(hash);
  return { mediaType: info?.mediaType ?? mediaType, bytes: Buffer.from(bytes).toString('base64') };
}
