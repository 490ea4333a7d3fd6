/** Replaces references to earlier items by the recorded content of the items. */
import { canonicalJson } from '@coppice/content';
import {
  ask,
  type Block,
  isToolUse,
  type JsonObject,
  type Message,
  type NodeId,
  nodeId,
  type Store,
} from '@coppice/core';
import { isJsonObject, listOrEmpty } from '@coppice/core/decode';
import { type ResponseItemSpan, readTextField } from './exchange.ts';

/** The type of a block that references an item. */
export const itemReferenceType = 'item_reference';

/** The external id format of the ids that a service gives to items. */
export const itemIdFormat = 'openai-item';

/** The recorded content of a referenced item. */
interface Referenced {
  readonly nodeId: NodeId;
  readonly message: Message;
  /** The blocks of this item; all blocks of the message if the recording has no spans. */
  readonly blocks: readonly Block[];
  readonly isWhole: boolean;
}

function isReference(block: Block): block is Block & { readonly id: string } {
  return block.type === itemReferenceType && 'id' in block && typeof block.id === 'string';
}

/** Returns the history with references replaced. A reference to an item that was never recorded is kept. */
export async function resolveItemReferences(
  store: Store,
  project: string,
  history: readonly Message[],
): Promise<readonly Message[]> {
  const ids = history.flatMap(({ content }) => content.filter(isReference).map(({ id }) => id));
  if (ids.length === 0) return history;
  const found = await findReferenced(store, project, [...new Set(ids)]);
  return found.size === 0 ? history : history.flatMap((message) => resolveMessage(message, found));
}

async function findReferenced(store: Store, project: string, ids: readonly string[]): Promise<Map<string, Referenced>> {
  const rows = await store.findExternalIds(itemIdFormat, project, ids);
  const nodes = new Map<string, { readonly message: Message; readonly items: readonly ResponseItemSpan[] } | null>();
  const found = new Map<string, Referenced>();
  for (const { id, treeId, nodeId: at } of rows) {
    if (at == null) continue;
    if (!nodes.has(at)) {
      const node = await store.read(treeId, () => ask('node', { id: nodeId(at) })).catch(() => null);
      const items = node?.meta.source === undefined ? [] : itemsIn(node.meta.source);
      nodes.set(at, node?.message == null ? null : { message: node.message, items });
    }
    const node = nodes.get(at);
    if (node == null) continue;
    const blocks = blocksOfItem(node.message, node.items, id);
    const { message } = node;
    found.set(id, { nodeId: at, message, blocks: blocks ?? message.content, isWhole: blocks === null });
  }
  return found;
}

function itemsIn(source: JsonObject): ResponseItemSpan[] {
  return listOrEmpty(source, 'items').flatMap((item) => {
    const id = isJsonObject(item) ? readTextField(item, 'id') : null;
    const blocks = isJsonObject(item) ? item['blocks'] : null;
    return id !== null && typeof blocks === 'number' ? [{ id, blocks }] : [];
  });
}

/** Returns the blocks of an item; null if the recording has no spans for the message. */
function blocksOfItem(message: Message, items: readonly ResponseItemSpan[], id: string): readonly Block[] | null {
  const total = items.reduce((sum, { blocks }) => sum + blocks, 0);
  // The spans do not match: the message was edited later, or was too large to be recorded completely.
  if (total !== message.content.length) return null;
  let from = 0;
  for (const item of items) {
    if (item.id === id) return message.content.slice(from, from + item.blocks);
    from += item.blocks;
  }
  return null;
}

/** Consecutive blocks that belong to one message, some of which were references. */
interface Segment {
  node: NodeId | null;
  reply: Message | null;
  blocks: { readonly block: Block; readonly isReferenced: boolean }[];
}

/**
 * Returns a message with its references replaced. It becomes several messages if the references belong to several
 * recorded ones.
 */
function resolveMessage(message: Message, found: ReadonlyMap<string, Referenced>): readonly Message[] {
  if (!message.content.some((block) => isReference(block) && found.has(block.id))) return [message];
  const messages: Message[] = [];
  let segment: Segment = { node: null, reply: null, blocks: [] };
  const close = () => {
    const content = withoutRepeats(segment);
    if (content.length > 0) messages.push({ ...message, content });
    segment = { node: null, reply: null, blocks: [] };
  };
  const whole = new Set<NodeId>();
  for (const block of message.content) {
    const referenced = isReference(block) ? found.get(block.id) : undefined;
    if (referenced === undefined) {
      segment.blocks.push({ block, isReferenced: false });
      continue;
    }
    const { nodeId: node, message: reply, blocks, isWhole } = referenced;
    // Without spans, all items of a reply refer to the same blocks, which are added only once.
    if (isWhole && whole.has(node)) continue;
    if (isWhole) whole.add(node);
    if (segment.node !== null && segment.node !== node) close();
    if (reply.role !== message.role) {
      close();
      messages.push(reply);
      continue;
    }
    segment.node = node;
    segment.reply = reply;
    for (const each of blocks) segment.blocks.push({ block: each, isReferenced: true });
  }
  close();
  return messages;
}

/**
 * Returns the blocks of a segment without duplicates: a client may reference an item and also send it. Of two calls
 * with the same id, the client's version is kept at the position of the first.
 */
function withoutRepeats({ blocks, reply }: Segment): readonly Block[] {
  const recorded = countBlocks(reply?.content ?? []);
  const sent = countBlocks(blocks.filter(({ isReferenced }) => !isReferenced).map(({ block }) => block));
  const sentCalls = new Map<string, Block>();
  for (const { block, isReferenced } of blocks)
    if (!isReferenced && isToolUse(block) && !sentCalls.has(block.id)) sentCalls.set(block.id, block);
  const calls = new Set<string>();
  const used = new Map<string, number>();
  const kept: Block[] = [];
  for (const { block } of blocks) {
    if (isToolUse(block)) {
      if (calls.has(block.id)) continue;
      calls.add(block.id);
      kept.push(sentCalls.get(block.id) ?? block);
      continue;
    }
    const key = canonicalJson(block);
    const count = (used.get(key) ?? 0) + 1;
    used.set(key, count);
    if (count <= Math.max(recorded.get(key) ?? 0, sent.get(key) ?? 0)) kept.push(block);
  }
  return kept;
}

function countBlocks(blocks: readonly Block[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const block of blocks) {
    const key = canonicalJson(block);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
