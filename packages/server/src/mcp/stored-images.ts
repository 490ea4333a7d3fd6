/** Offers the stored images of messages as MCP resources. */
import { byteSourceOf, hasOwnBytes, mediaTypeOf } from '@coppice/content';
import { type Block, type Node, refuse, type Store } from '@coppice/core';
import { encodeBase64 } from '#platform/system';

/** Returns the images of a message whose bytes are in the store. An image that is only a URL is part of the text. */
export function storedImagesOf({ message }: Pick<Node, 'message'>): readonly Block[] {
  return (message?.content ?? []).filter((block) => block.type === 'image' && hasOwnBytes(block));
}

/** Reads an image by its index in the message, as base64. Throws if the message has no such image. */
export async function readStoredImage(store: Store, node: Node | undefined, index: string) {
  const at = /^\d{1,6}$/.test(index) ? Number(index) : -1;
  const found = node === undefined ? undefined : storedImagesOf(node)[at];
  const source = found === undefined ? undefined : byteSourceOf(found);
  if (found === undefined || source === undefined || source.type === 'url')
    return refuse('tree/unknown-node', 'There is no such image.', {});
  const mediaType = mediaTypeOf(found) ?? 'image/png';
  if (source.type === 'base64') return { mediaType, bytes: source.data };
  const { hash } = source;
  const bytes = await store.blobs.read(hash);
  if (bytes === null) return refuse('tree/unknown-node', 'The bytes of this image are missing in the store.', {});
  const info = await store.blobs.find(hash);
  return { mediaType: info?.mediaType ?? mediaType, bytes: encodeBase64(bytes) };
}
