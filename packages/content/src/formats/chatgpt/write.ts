import type { Block, Json, JsonObject, Node, NodeId } from '@coppice/core';
import { isText } from '@coppice/core';
import { blockDefinitionOf } from '../../blocks/index.ts';
import type { ExportedTree, WriteEvent } from '../contract.ts';
import { hasBlobSource } from '../embed-bytes.ts';
import {
  assignExportedIds,
  buildLossEvent,
  findAttributeLosses,
  findBookmarkLosses,
  findMetadataLosses,
  findOriginalTreeRecord,
  getConversationTimes,
  groupExportedNodesByParent,
} from '../exporting.ts';
import { getFilledText, isJsonObject, objectAt, omitKeys } from '../fields.ts';
import { originalRecordOf } from '../original-record.ts';

const name = 'chatgpt';

const toSeconds = (at: number) => at / 1000;

/** A node of the mapping that is being built. */
interface MappingEntry {
  readonly id: string;
  parent: string | null;
  readonly children: string[];
  readonly message: Json;
  /** Other fields of the original record. */
  readonly rest: JsonObject;
}

function chatgptStatus(node: Node): string {
  return node.status === 'interrupted' || node.status === 'pending' ? 'in_progress' : 'finished_successfully';
}

function chatgptModel(node: Node): string | undefined {
  const { source } = node.meta;
  return source === undefined ? undefined : (getFilledText(source, 'model_name') ?? getFilledText(source, 'model'));
}

function chatgptMessage(node: Node, id: string, role: string, content: JsonObject, more: JsonObject = {}): JsonObject {
  const model = role === 'assistant' ? chatgptModel(node) : undefined;
  const tool = role === 'tool' ? (getFilledText(node.meta.source ?? {}, 'tool_name') ?? null) : null;
  return {
    id,
    author: { role, name: tool, metadata: {} },
    create_time: toSeconds(node.createdAt),
    update_time: null,
    content,
    status: chatgptStatus(node),
    end_turn: role === 'assistant' ? true : null,
    weight: 1,
    metadata: {
      ...(model === undefined ? {} : { model_slug: model }),
      ...(node.status === 'aborted' ? { finish_details: { type: 'interrupted' } } : {}),
    },
    recipient: 'all',
    ...more,
  };
}

function chatgptPart(block: Block): Json {
  if (isText(block)) return block.text;
  if (block.type.startsWith('chatgpt-') && 'content_type' in block) {
    const json: JsonObject = JSON.parse(JSON.stringify(block));
    return omitKeys(json, 'type');
  }
  return blockDefinitionOf(block).toText(block);
}

/** Splits a node into messages: reasoning, text and each call are separate nodes in ChatGPT's form. */
function splitIntoMessages(node: Node, id: string): { readonly id: string; readonly message: JsonObject }[] {
  const { message } = node;
  if (message === null) return [];
  const made: { readonly id: string; readonly message: JsonObject }[] = [];
  const thoughts: Json[] = [];
  const parts: Json[] = [];
  const calls: Block[] = [];
  for (const block of message.content) {
    if (block.type === 'thinking' && 'thinking' in block)
      thoughts.push({ summary: '', content: String(block.thinking), chunks: [], finished: true });
    else if (block.type === 'tool-use') calls.push(block);
    else parts.push(chatgptPart(block));
  }
  if (thoughts.length > 0)
    made.push({
      id: `${id}-thoughts`,
      message: chatgptMessage(
        node,
        `${id}-thoughts`,
        'assistant',
        { content_type: 'thoughts', thoughts },
        { end_turn: false },
      ),
    });
  const onlyText = parts.every((part) => typeof part === 'string');
  if (parts.length > 0 || (calls.length === 0 && thoughts.length === 0))
    made.push({
      id: calls.length === 0 ? id : `${id}-text`,
      message: chatgptMessage(node, calls.length === 0 ? id : `${id}-text`, message.role, {
        content_type: onlyText ? 'text' : 'multimodal_text',
        parts,
      }),
    });
  for (const [index, call] of calls.entries()) {
    const own = index === calls.length - 1 ? id : `${id}-call-${index}`;
    const input = 'parameters' in call ? JSON.stringify(call.parameters) : '{}';
    const recipient = 'name' in call ? String(call.name) : 'tool';
    made.push({
      id: own,
      message: chatgptMessage(
        node,
        own,
        message.role,
        { content_type: 'code', language: 'json', text: input },
        { recipient, end_turn: false },
      ),
    });
  }
  return made;
}

class ChatgptConversation {
  readonly entries = new Map<string, MappingEntry>();
  readonly #tree: ExportedTree;
  readonly #ids: ReadonlyMap<NodeId, string>;
  /** Maps each node to its last entry, which is the parent of the children's entries. */
  readonly #lastEntryIds = new Map<NodeId, string>();

  readonly #roots = new Set<string>();
  #ownRoot = false;

  constructor(tree: ExportedTree) {
    this.#tree = tree;
    this.#ids = assignExportedIds(tree, name);
  }

  /** Adds the original roots of the conversation, or a new root, and the system prompt below it. */
  addRoot(record: JsonObject): void {
    const { rootId, attributes } = this.#tree;
    const kept = Object.entries(objectAt(record, '$roots'));
    for (const [id, node] of kept) {
      if (!isJsonObject(node)) continue;
      const parent = getFilledText(node, 'parent') ?? null;
      this.entries.set(id, {
        id,
        parent,
        children: [],
        message: node.message ?? null,
        rest: omitKeys(node, 'id', 'parent', 'message'),
      });
      this.#roots.add(id);
    }
    const [first] = this.entries.keys();
    let parentId = first ?? rootId;
    this.#ownRoot = first === undefined;
    if (first === undefined)
      this.entries.set(rootId, { id: rootId, parent: null, children: [], message: null, rest: {} });
    for (const [id, entry] of this.entries) if (entry.parent !== null) parentId = id;
    const { systemPrompt } = attributes;
    if (systemPrompt !== undefined && this.entries.size === 1 && first === undefined) {
      const id = `${rootId}-system`;
      const message: JsonObject = {
        id,
        author: { role: 'system', name: null, metadata: {} },
        create_time: null,
        update_time: null,
        content: { content_type: 'text', parts: [systemPrompt] },
        status: 'finished_successfully',
        end_turn: true,
        weight: 0,
        metadata: { coppice_system_prompt: true },
        recipient: 'all',
      };
      this.entries.set(id, { id, parent: parentId, children: [], message, rest: {} });
      parentId = id;
    }
    this.#lastEntryIds.set(rootId, parentId);
  }

  /** Returns the original entry of an imported node, with the new content if the node was edited. */
  #original(node: Node, id: string): MappingEntry | undefined {
    const original = originalRecordOf(node, name);
    if (original?.record === undefined || original.id !== id) return undefined;
    const { record } = original;
    const rest = omitKeys(record, 'id', 'parent', 'message', 'children');
    if (original.unchanged) return { id, parent: null, children: [], message: record.message ?? null, rest };
    // The message was edited in place, so author, time and other fields stay the same.
    const made = splitIntoMessages(node, id).at(-1)?.message;
    const was = objectAt(record, 'message');
    const message = made === undefined ? null : { ...was, content: made.content ?? null };
    return { id, parent: null, children: [], message, rest };
  }

  add(node: Node): number {
    const id = this.#ids.get(node.id) ?? node.id;
    const parent =
      this.#lastEntryIds.get(node.parentId ?? this.#tree.rootId) ?? this.#lastEntryIds.get(this.#tree.rootId) ?? '';
    const original = this.#original(node, id);
    if (original !== undefined) {
      // A first message keeps the root that its record names. If its record names no parent, it gets none.
      const was = originalRecordOf(node, name)?.record?.parent ?? null;
      const first = node.parentId === this.#tree.rootId;
      // If the original parent was a message, the node was moved.
      const known = typeof was === 'string' && this.#roots.has(was);
      const parentId = known ? was : was === null ? null : parent;
      this.#enter({ ...original, parent: first ? parentId : parent });
      this.#lastEntryIds.set(node.id, id);
      return 1;
    }
    let above = parent;
    const made = splitIntoMessages(node, id);
    for (const one of made) {
      this.#enter({ id: one.id, parent: above, children: [], message: one.message, rest: {} });
      above = one.id;
    }
    this.#lastEntryIds.set(node.id, above);
    return made.length;
  }

  #enter(entry: MappingEntry): void {
    this.entries.set(entry.id, entry);
  }

  /**
   * Builds the child lists in stored order. Removes the root that Coppice added if the conversation had no root and
   * needs none.
   */
  link(): void {
    const { rootId } = this.#tree;
    const needed = [...this.entries.values()].some((entry) => entry.parent === rootId);
    if (!needed && this.#ownRoot && findOriginalTreeRecord(this.#tree, name)?.record !== undefined)
      this.entries.delete(rootId);
    const children = groupExportedNodesByParent(this.#tree);
    const order = new Map<string, number>();
    for (const family of children.values())
      for (const [index, child] of family.entries()) order.set(this.#ids.get(child.id) ?? child.id, index);
    for (const entry of this.entries.values())
      if (entry.parent !== null) this.entries.get(entry.parent)?.children.push(entry.id);
    for (const entry of this.entries.values())
      if (entry.children.length > 1)
        entry.children.sort(
          (a, b) =>
            (order.get(a) ?? order.get(nodeIdOfEntry(a)) ?? -1) - (order.get(b) ?? order.get(nodeIdOfEntry(b)) ?? -1),
        );
  }

  /** Returns the id of a node's last entry; the root's for null. */
  lastEntryId(id: NodeId | null): string {
    return (id === null ? undefined : this.#lastEntryIds.get(id)) ?? this.#lastEntryIds.get(this.#tree.rootId) ?? '';
  }
}

/** Returns the id of the node to which an entry belongs. */
function nodeIdOfEntry(id: string): string {
  return id.replace(/-(?:thoughts|text|call-\d+)$/, '');
}

function mappingOf(entries: ReadonlyMap<string, MappingEntry>): JsonObject {
  return Object.fromEntries(
    [...entries].map(([id, { message, parent, children, rest }]) => [id, { id, message, parent, children, ...rest }]),
  );
}

function chatgptConversation(tree: ExportedTree, built: ChatgptConversation): JsonObject {
  const original = findOriginalTreeRecord(tree, name);
  const { createdAt, updatedAt } = getConversationTimes(tree);
  const { title } = tree.attributes;
  const starred = tree.attributes.pinned === true;
  const mapping = mappingOf(built.entries);
  if (original?.record !== undefined) {
    const record = omitKeys(original.record, '$roots');
    const was = record.current_node ?? null;
    // Without an active node the record keeps its current node, unless that node was removed.
    const keepsCurrent = tree.activeNodeId === null && (typeof was !== 'string' || built.entries.has(was));
    const current = keepsCurrent ? was : built.lastEntryId(tree.activeNodeId);
    return {
      ...record,
      ...(title === undefined || title === record.title ? {} : { title }),
      ...(starred === (record.is_starred === true) ? {} : { is_starred: starred }),
      ...('current_node' in record || tree.activeNodeId !== null ? { current_node: current } : {}),
      mapping,
    };
  }
  const id = tree.treeId;
  return {
    title: title ?? tree.attributes.autoTitle ?? null,
    create_time: toSeconds(createdAt),
    update_time: toSeconds(updatedAt),
    mapping,
    moderation_results: [],
    current_node: built.lastEntryId(tree.activeNodeId),
    plugin_ids: null,
    conversation_id: id,
    conversation_template_id: null,
    gizmo_id: null,
    is_archived: false,
    safe_urls: [],
    default_model_slug: null,
    id,
    ...(starred ? { is_starred: true } : {}),
  };
}

const plainTypes: ReadonlySet<string> = new Set(['text', 'thinking', 'tool-use', 'image', 'file']);
const hasInlineBytes = (block: Block) => 'source' in block && (block.type === 'image' || block.type === 'file');

function* chatgptLosses(tree: ExportedTree): Generator<WriteEvent> {
  for (const node of tree.nodes) {
    const original = originalRecordOf(node, name);
    const blocks = node.message?.content ?? [];
    if (original?.unchanged === true && original.record !== undefined) {
      // The record contains only the name of the attachment.
      if (blocks.some(hasBlobSource))
        yield buildLossEvent(tree, node, 'attachments', 'Only the name of an attachment is written, not its bytes.');
      continue;
    }
    if (blocks.some((block) => block.type === 'thinking' && ('signature' in block || 'redacted' in block)))
      yield buildLossEvent(tree, node, 'thinking', 'The signature of its reasoning is left out.');
    if (blocks.some((block) => block.type === 'tool-use'))
      yield buildLossEvent(
        tree,
        node,
        'call-ids',
        'Its tool calls are matched by position, because the format has no call ids.',
      );
    if (blocks.some((block) => !plainTypes.has(block.type) && !block.type.startsWith('chatgpt-')))
      yield buildLossEvent(tree, node, 'block', 'A block is written as text.');
    if (blocks.some(hasInlineBytes))
      yield buildLossEvent(tree, node, 'attachments', 'Only the name of an attachment is written, not its bytes.');
    if (node.kind !== 'message') yield buildLossEvent(tree, node, 'markers', `A ${node.kind} is written as a message.`);
    if (node.groupId > 0)
      yield buildLossEvent(tree, node, 'groups', 'It is written as a variant; its group is left out.');
    if (node.meta.tags !== undefined && node.meta.tags.length > 0)
      yield buildLossEvent(tree, node, 'tags', 'Its tags are left out.');
  }
  yield* findMetadataLosses(tree, name, ['usage', 'excluded', 'failures', 'failed', 'notes']);
  yield* findAttributeLosses(tree, name, ['pinned']);
  yield* findBookmarkLosses(tree);
}

/** Writes one file of conversations with their mappings. */
export async function* write(trees: AsyncIterable<ExportedTree>): AsyncGenerator<WriteEvent> {
  yield { type: 'file', name: 'conversations.json', mediaType: 'application/json' };
  let first = true;
  for await (const tree of trees) {
    const built = new ChatgptConversation(tree);
    built.addRoot(findOriginalTreeRecord(tree, name)?.record ?? {});
    for (const node of tree.nodes) built.add(node);
    built.link();
    yield* chatgptLosses(tree);
    yield { type: 'text', text: `${first ? '[' : ',\n'}${JSON.stringify(chatgptConversation(tree, built))}` };
    yield { type: 'count', written: tree.nodes.length };
    first = false;
  }
  yield { type: 'text', text: first ? '[]\n' : ']\n' };
}
