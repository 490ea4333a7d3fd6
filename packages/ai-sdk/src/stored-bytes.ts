/**
 * Keeps the bytes of images and files in the blob store: nodes refer to them by hash, and the messages that a page or a
 * model gets contain them.
 */
import { extractInlineBytes, hasStoredBytes, restoreInlineBlocks, storeInlineMessages } from '@coppice/content';
import type { BlobStore, Block, Node } from '@coppice/core';
import { toUiNodes, type UiMessageJson, type UiNode } from './ui-nodes.ts';

/** The base64 of the images and files in posted messages, by the hash of their bytes. */
export type KnownBytes = ReadonlyMap<string, string>;

const hasDataUrl = ({ parts }: UiMessageJson) =>
  parts.some(({ url }) => typeof url === 'string' && /^data:/i.test(url));

/**
 * Returns the bytes that posted messages contain. They are needed to compare a stored node, which refers to its bytes
 * by hash, with the posted message.
 */
export function bytesInMessages(messages: readonly UiMessageJson[]): KnownBytes {
  const known = new Map<string, string>();
  for (const { message } of messages.filter(hasDataUrl).flatMap(toUiNodes))
    for (const block of message.content) {
      const moved = extractInlineBytes(block);
      if (moved !== undefined) known.set(moved.block.source.hash, moved.data);
    }
  return known;
}

function withKnownBlock(block: Block, known: KnownBytes): Block {
  const { source }: { readonly source?: unknown } & Block = block;
  if (typeof source !== 'object' || source === null || !('hash' in source)) return block;
  const data = typeof source.hash === 'string' ? known.get(source.hash) : undefined;
  const inline: Block & { readonly source: object } = { ...block, source: { type: 'base64', data } };
  return data === undefined ? block : inline;
}

/** Returns stored nodes as they were posted, as far as the posted messages contain the bytes. */
export function withKnownBytes(nodes: readonly Node[], known: KnownBytes): readonly Node[] {
  if (known.size === 0) return nodes;
  return nodes.map((node) =>
    node.message === null || !hasStoredBytes(node.message.content)
      ? node
      : {
          ...node,
          message: { ...node.message, content: node.message.content.map((each) => withKnownBlock(each, known)) },
        },
  );
}

const refersToBytes = ({ message }: Node) => message !== null && hasStoredBytes(message.content);

/**
 * Returns stored nodes with the bytes of their images and files; the same list if they have none. A block stays a
 * reference if its bytes are missing.
 */
export async function restoreNodeBytes(nodes: readonly Node[], blobs: BlobStore): Promise<readonly Node[]> {
  if (!nodes.some(refersToBytes)) return nodes;
  return Promise.all(
    nodes.map(async (node) => {
      const { message } = node;
      if (message === null || !hasStoredBytes(message.content)) return node;
      return { ...node, message: { ...message, content: await restoreInlineBlocks(message.content, blobs) } };
    }),
  );
}

/** Moves the bytes of new nodes to the blob store. */
export function storeBytes<T extends UiNode>(nodes: readonly T[], blobs: BlobStore): Promise<readonly T[]> {
  return storeInlineMessages(nodes, blobs);
}
