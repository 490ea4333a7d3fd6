/** Stores the history of one thread in a tree: every message with its parent, so that branches survive a reload. */
import type { ExportedMessageRepositoryItem, ThreadHistoryAdapter, ThreadMessage } from '@assistant-ui/react';
import { type CoppiceClient, decodeTopologyColumns, HttpProblem } from '@coppice/client';
import { deriveId } from '@coppice/content';
import {
  type JsonObject,
  type Message,
  type NodeId,
  nodeId,
  type OptionNames,
  type TopologyNode,
  type TreeId,
} from '@coppice/core';
import { assertOptionNames } from '@coppice/core/decode';
import { loadMessageBytes } from './message-bytes.ts';
import { fromTreeMessage, type StoredMessage, toForeignContent, toTreeMessage } from './stored-message.ts';

/** The client, and functions that return or create the tree of a thread. */
export interface HistoryOptions {
  readonly client: CoppiceClient;
  /** Returns the tree of the thread; null if it does not exist yet. */
  readonly currentTree: () => TreeId | null;
  /** Returns the tree of the thread; creates the tree if it does not exist yet. */
  readonly requireTree: () => Promise<TreeId>;
}

const optionNames: OptionNames<HistoryOptions> = { client: true, currentTree: true, requireTree: true };

type WithFormat = NonNullable<ThreadHistoryAdapter['withFormat']>;

/** One message with the id of its parent, in a storage format. */
interface HistoryEntry extends StoredMessage {
  readonly parentId: string | null;
}

/** The name of assistant-ui's own storage format. */
const nativeFormat = 'assistant-ui/v1';
const contentBatch = 100;

/** Reads and writes the messages of one thread. */
class TreeHistory {
  readonly #options: HistoryOptions;
  /** The nodes of all messages that were read or written here, by message id. */
  readonly #nodes = new Map<string, NodeId>();
  /** The last write. Writes run one after another, so that a parent is always stored before its children. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  #nodeOf(tree: TreeId, id: string): NodeId {
    return this.#nodes.get(id) ?? nodeId(deriveId('assistant-ui', tree, id));
  }

  #queue<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(task);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Reads all branches, parents first. */
  async load(format: string): Promise<{ readonly headId: string | null; readonly entries: readonly HistoryEntry[] }> {
    const tree = this.#options.currentTree();
    if (tree === null) return { headId: null, entries: [] };
    const { api } = this.#options.client;
    const { columns, rootId, activeNodeId } = await api.topology(tree);
    const nodes = decodeTopologyColumns(columns, rootId);
    const contents = await this.#contents(
      tree,
      nodes.filter((node) => node.kind === 'message' && node.role !== 'tool').map((node) => node.id),
    );
    const children = new Map<NodeId, TopologyNode[]>();
    for (const node of nodes) {
      const above = node.parentId ?? rootId;
      const list = children.get(above);
      if (list === undefined) children.set(above, [node]);
      else list.push(node);
    }
    const entries: HistoryEntry[] = [];
    let headId: string | null = null;
    const waiting: { readonly above: NodeId; readonly parentId: string | null }[] = [{ above: rootId, parentId: null }];
    // The list grows while it is read.
    for (const next of waiting) {
      const ordered = (children.get(next.above) ?? []).toSorted((a, b) => (a.position < b.position ? -1 : 1));
      for (const node of ordered) {
        const message = contents.get(node.id);
        // Markers and tool results are not messages of assistant-ui; their children get the nearest message above as
        // parent.
        const entry = message === undefined ? null : this.#entry(node.id, message, node.createdAt, format);
        if (entry !== null) entries.push({ ...entry, parentId: next.parentId });
        const id = entry?.id ?? next.parentId;
        if (node.id === activeNodeId) headId = id;
        waiting.push({ above: node.id, parentId: id });
      }
    }
    return { headId, entries };
  }

  async #contents(tree: TreeId, ids: readonly NodeId[]): Promise<ReadonlyMap<string, Message>> {
    const found = new Map<string, Message>();
    for (let at = 0; at < ids.length; at += contentBatch) {
      const { messages } = await this.#options.client.api.contents(tree, ids.slice(at, at + contentBatch));
      const read = async ([id, message]: readonly [string, Message]) =>
        found.set(id, await loadMessageBytes(this.#options.client, message));
      await Promise.all(Object.entries(messages).map(read));
    }
    return found;
  }

  #entry(id: NodeId, message: Message, createdAt: number, format: string): StoredMessage {
    const stored = fromTreeMessage(message);
    const own = stored?.id ?? id;
    this.#nodes.set(own, id);
    return stored?.format === format
      ? stored
      : { id: own, format, content: toForeignContent(message, format, createdAt) };
  }

  /**
   * Adds a message below its parent. Adding the same message again changes nothing; different content with the same id
   * replaces the message.
   */
  append({ id, format, content, parentId }: HistoryEntry): Promise<void> {
    return this.#queue(async () => {
      const tree = await this.#options.requireTree();
      const { api } = this.#options.client;
      const { rootId, version } = await api.tree(tree);
      const above = parentId === null ? rootId : this.#nodeOf(tree, parentId);
      const node = this.#nodeOf(tree, id);
      const message = { ...toTreeMessage({ id, format, content }), id: node };
      try {
        await api.append(tree, { parentId: above, messages: [message] }, version);
        this.#nodes.set(id, node);
      } catch (error) {
        if (!(error instanceof HttpProblem) || error.code !== 'id/taken') throw error;
        const replacement = nodeId(deriveId(node, JSON.stringify(content)));
        await this.#replace(tree, { ...message, id: replacement }, above, node);
        this.#nodes.set(id, replacement);
      }
    });
  }

  /** Replaces a message and moves its descendants to the new one. The old message is moved to the trash. */
  async #replace(
    tree: TreeId,
    message: Message & { readonly role: 'user' | 'assistant' | 'system'; readonly id: NodeId },
    above: NodeId,
    old: NodeId,
  ): Promise<void> {
    const { api } = this.#options.client;
    const { version, activeNodeId } = await api.tree(tree);
    const written = await api.append(tree, { parentId: above, messages: [message] }, version);
    const { columns, rootId } = await api.topology(tree);
    let now = written.version;
    for (const child of decodeTopologyColumns(columns, rootId).filter((node) => node.parentId === old))
      now = (await api.move(tree, child.id, { parentId: message.id }, now)).version;
    await api.remove(tree, old, 'cascade', now);
    if (activeNodeId !== null && activeNodeId !== old) await api.select(tree, activeNodeId);
  }

  /** Moves messages to the trash; their descendants stay. */
  remove(ids: readonly string[]): Promise<void> {
    return this.#queue(async () => {
      const tree = this.#options.currentTree();
      if (tree === null) return;
      const { api } = this.#options.client;
      for (const id of ids) {
        const { version } = await api.tree(tree);
        await api.remove(tree, this.#nodeOf(tree, id), 'splice', version);
        this.#nodes.delete(id);
      }
    });
  }
}

function toJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value));
}

/** Restores dates. The runtime that wrote a stored message has already validated it. */
function toThreadMessage({ id, content }: StoredMessage): ThreadMessage {
  const { createdAt } = content;
  const message: ThreadMessage = JSON.parse(JSON.stringify({ ...content, id }));
  return { ...message, createdAt: new Date(typeof createdAt === 'string' ? createdAt : 0) };
}

function fromItem({ message, parentId }: ExportedMessageRepositoryItem): HistoryEntry {
  const { id, ...content } = message;
  return { id, parentId, format: nativeFormat, content: toJson(content) };
}

/**
 * Creates the history of one thread, for any runtime of assistant-ui. Supports assistant-ui's own messages and other
 * storage formats.
 */
export function createThreadHistory(options: HistoryOptions): ThreadHistoryAdapter {
  assertOptionNames('createThreadHistory', options, optionNames);
  assertClient('createThreadHistory', options.client);
  const history = new TreeHistory(options);
  const withFormat: WithFormat = (adapter) => {
    const stored = (item: Parameters<typeof adapter.encode>[0]): HistoryEntry => ({
      id: adapter.getId(item.message),
      parentId: item.parentId,
      format: adapter.format,
      content: toJson(adapter.encode(item)),
    });
    return {
      async load() {
        const { headId, entries } = await history.load(adapter.format);
        const messages = entries.map(({ id, parentId, format, content }) =>
          adapter.decode({ id, parent_id: parentId, format, content: asStorageFormat(content) }),
        );
        return { headId, messages };
      },
      append: (item) => history.append(stored(item)),
      update: (item) => history.append(stored(item)),
      delete: (items) => history.remove(items.map(({ message }) => adapter.getId(message))),
    };
  };
  return {
    async load() {
      const { headId, entries } = await history.load(nativeFormat);
      return {
        headId,
        messages: entries.map((entry) => ({ parentId: entry.parentId, message: toThreadMessage(entry) })),
      };
    },
    append: (item) => history.append(fromItem(item)),
    update: (item) => history.append(fromItem(item)),
    delete: (items) => history.remove(items.map(({ message }) => message.id)),
    withFormat,
  };
}

/** Refuses a missing client, which a caller without types may pass. */
export function assertClient(caller: string, client: { readonly api?: unknown } | undefined): void {
  if (client?.api === undefined)
    throw new TypeError(`${caller} needs a \`client\`: pass createClient({ baseUrl, token }) of @coppice/client.`);
}

/** Assigns the type of the adapter that wrote the stored content. */
function asStorageFormat<T>(content: JsonObject): T;
function asStorageFormat(content: JsonObject): unknown {
  return content;
}
