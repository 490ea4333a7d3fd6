/** Replaces items that a client only names by what was recorded of them. */
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
import { isWireObject, type ReplyItem, wireListAt, wireTextAt } from './exchange.ts';

/** The type of a block that stands for an item which the client names and does not send again. */
export const itemReference = 'item_reference';

/** The format under which items of a reply are found again by the ids that the service gave them. */
export const itemFormat = 'openai-item';

/** What a reference stands for. */
interface Referenced {
  readonly nodeId: NodeId;
  readonly message: Message;
  /** The blocks of this item alone; the whole message where the recording does not say which they are. */
  readonly blocks: readonly Block[];
  readonly isWhole: boolean;
}

function isReference(block: Block): block is Block & { readonly id: string } {
  return block.type === itemReference && 'id' in block && typeof block.id === 'string';
}

/** The history with the items put in that the client only names. What was never recorded stays a reference. */
export async function resolveReferences(
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
  const rows = await store.findExternalIds(itemFormat, project, ids);
  const nodes = new Map<string, { readonly message: Message; readonly items: readonly ReplyItem[] } | null>();
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

function itemsIn(source: JsonObject): ReplyItem[] {
  return wireListAt(source, 'items').flatMap((item) => {
    const id = isWireObject(item) ? wireTextAt(item, 'id') : null;
    const blocks = isWireObject(item) ? item['blocks'] : null;
    return id !== null && typeof blocks === 'number' ? [{ id, blocks }] : [];
  });
}

/** Null where the recording does not say which blocks of the message the item is. */
function blocksOfItem(message: Message, items: readonly ReplyItem[], id: string): readonly Block[] | null {
  const total = items.reduce((sum, { blocks }) => sum + blocks, 0);
  // The message was edited since, or was too large to be kept whole.
  if (total !== message.content.length) return null;
  let from = 0;
  for (const item of items) {
    if (item.id === id) return message.content.slice(from, from + item.blocks);
    from += item.blocks;
  }
  return null;
}

/** A run of blocks that belong to one message, some of which came by reference. */
interface Segment {
  node: NodeId | null;
  reply: Message | null;
  blocks: { readonly block: Block; readonly isReferenced: boolean }[];
}

/** A message with its references replaced; several where the references lead to several recorded messages. */
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
    // All items of such a reply stand for the same blocks.
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
 * The blocks of a segment, each as often as the reply or the client has it: a client may name an item and send it as well.
 * Of two calls with one id the one that the client sent counts, at the place of the first.
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
