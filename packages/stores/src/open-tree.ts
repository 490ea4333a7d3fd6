/**
 * A simple interface for apps: it takes plain strings, and returns
 * messages with their variants. It loads no database driver.
 */
import { messageKit } from '@coppice/content';
import {
  ask,
  type Block,
  type Commit,
  type ContextEntry,
  checkMessage,
  isAppError,
  isBlank,
  type Message,
  type MessageInput,
  type MessageKit,
  type NewMessageInput,
  type Node,
  type NodeId,
  type NodeMeta,
  type NodeStatus,
  nodeId,
  type Page,
  promptOfReply,
  type ReadProgram,
  type Role,
  type RunContext,
  readCommand,
  readPage,
  readPath,
  readTree,
  refuse,
  run,
  type SearchHit,
  type Store,
  type TreeId,
  treeId as toTreeId,
} from '@coppice/core';
import { contextOf, readContextPath } from '@coppice/core/context';
import { newTreeUuid } from './new-tree-uuid.ts';

/** A message: the text of a user message, `{ role, content }`, or a message with a chosen id (a UUID). */
export type TreeMessageInput = NewMessageInput;

/** Options for opening a tree. */
export interface OpenTreeOptions {
  /**
   * The owner of the tree, and the actor of changes. Defaults to
   * the owner of the store. Trees of other users are not visible.
   */
  readonly user?: string;
  /** The system prompt of a tree that is created here. */
  readonly systemPrompt?: string;
  /** The title of a tree that is created here. */
  readonly title?: string;
  /** Whether the first append creates the tree, if no tree has the given id. Without an id this is always true. */
  readonly create?: boolean;
  readonly now?: () => number;
  readonly newId?: () => string;
  readonly kit?: MessageKit;
}

/** A message on a path, with its position among its variants. */
export interface TreeMessage {
  readonly id: NodeId;
  /** The id of the message above; null for a first message. */
  readonly parentId: NodeId | null;
  readonly role: Role;
  readonly content: readonly Block[];
  readonly text: string;
  readonly status: NodeStatus;
  readonly createdAt: number;
  readonly meta: NodeMeta;
  /** The position among the variants, from 0. */
  readonly index: number;
  /** The number of variants, this message included. */
  readonly count: number;
}

/** All variants of one message, in their stored order. */
export interface MessageVariants {
  readonly index: number;
  readonly count: number;
  readonly messages: readonly TreeMessage[];
}

/** A part of a branch, as a page shows it. */
export interface TreeMessagePage {
  readonly messages: readonly TreeMessage[];
  /** The cursor of the page above, for `before`; null if this page has the first message. */
  readonly before: NodeId | null;
  readonly activeId: NodeId | null;
  readonly version: number;
}

/** The context that a model gets at the end of a branch. */
export interface ModelContext {
  /** The system prompt, the summary of a compaction and the messages, in order. */
  readonly messages: readonly Message[];
  readonly entries: readonly ContextEntry[];
  /** The estimated number of tokens of the whole context. */
  readonly tokens: number;
}

/** A reply that is to be generated again. Nothing is written before `add` is called. */
export interface PreparedReply {
  /** The message to which the new reply belongs. */
  readonly prompt: TreeMessage;
  /** The context for the model, which ends at the prompt. */
  readonly context: ModelContext;
  /** Adds the new reply as a variant of the existing ones, and makes it active. */
  add(reply: MessageInput, options?: { readonly id?: string; readonly meta?: NodeMeta }): Promise<TreeMessage>;
}

/** Where `append` adds messages, and whether they become active. */
export interface AppendOptions {
  /** The id of the parent. Defaults to the active message. Null adds a first message to the tree. */
  readonly parentId?: string | null;
  /** Whether the last message becomes active. Defaults to true. */
  readonly select?: boolean;
}

/** An open tree. Every method rejects with an `AppError`, whose message says what is wrong. */
export interface OpenedTree {
  readonly id: TreeId;
  /**
   * Adds messages below one another. Equal messages that exist there
   * are reused, unless an id is chosen. Returns the last message.
   */
  append(input: TreeMessageInput | readonly TreeMessageInput[], options?: AppendOptions): Promise<TreeMessage>;
  /** Adds a variant with another text, and makes it active. The old variant stays. */
  edit(id: string, content: string | readonly Block[], options?: { readonly id?: string }): Promise<TreeMessage>;
  /** Prepares another reply to the same prompt. Generate it from `context`, then call `add`. */
  regenerate(id: string): Promise<PreparedReply>;
  /** Makes a message the active one: the active path ends there. */
  select(id: string): Promise<TreeMessage>;
  /**
   * Selects the next variant of a message, at the leaf that was visited last. After the last variant comes the first.
   */
  next(id: string): Promise<TreeMessage>;
  /** Selects the previous variant of a message. Before the first variant comes the last. */
  previous(id: string): Promise<TreeMessage>;
  /** Moves a message to the trash. Its children move up to its parent, unless `keepChildren` is false. */
  remove(id: string, options?: { readonly keepChildren?: boolean }): Promise<void>;
  /** Moves a message with its subtree below another one (null: to the top), before a sibling or to the end. */
  move(id: string, parentId: string | null, options?: { readonly before?: string }): Promise<void>;
  /** Undoes the newest act of the user that is not undone yet. */
  undo(): Promise<void>;
  /** Redoes the act that was undone last. */
  redo(): Promise<void>;
  /** Returns the active path from the first message on. */
  messages(): Promise<readonly TreeMessage[]>;
  variants(id: string): Promise<MessageVariants>;
  /** Returns the path from the first message to a message. */
  path(id: string): Promise<readonly TreeMessage[]>;
  /** Returns the last messages of a branch (20 by default), or the messages before a cursor. */
  page(request?: {
    readonly nodeId?: string;
    readonly limit?: number;
    readonly before?: string;
  }): Promise<TreeMessagePage>;
  /** Returns the context that a model gets at a message; at the active message by default. */
  context(id?: string): Promise<ModelContext>;
  /** Finds messages in all branches that contain all words of a text, newest first. */
  search(text: string, options?: { readonly limit?: number; readonly cursor?: string }): Promise<Page<SearchHit>>;
  /**
   * Calls the listener for each new commit of any writer. Resolves to a
   * function that ends the subscription. Closing the store ends it too.
   */
  subscribe(listener: (commit: Commit) => void, onError?: (error: unknown) => void): Promise<() => void>;
  /** Ends all subscriptions. The store stays open. */
  close(): Promise<void>;
}

/** Builds the messages of nodes with their positions among their variants. This takes one more read for all nodes. */
function* withVariants(nodes: readonly Node[], rootId: NodeId): ReadProgram<readonly TreeMessage[]> {
  const shown = nodes.filter((node) => node.message !== null);
  const lists = yield* ask('childIds', { of: shown.map((node) => node.parentId ?? rootId) });
  return shown.map((node, at) => toTreeMessage(node, lists[at] ?? [node.id], rootId));
}

function toTreeMessage(node: Node, variants: readonly NodeId[], rootId: NodeId): TreeMessage {
  const { id, parentId, message, text, status, createdAt, meta } = node;
  return {
    id,
    parentId: parentId === rootId ? null : parentId,
    role: message?.role ?? 'user',
    content: message?.content ?? [],
    text,
    status,
    createdAt,
    meta,
    index: variants.indexOf(id),
    count: variants.length,
  };
}

function* readContext(to: NodeId | null, systemPrompt: string | undefined, kit: MessageKit): ReadProgram<ModelContext> {
  const path = to === null ? [] : yield* readContextPath(to);
  const { entries, estimate } = contextOf(path, { systemPrompt, kit });
  return { messages: entries.map((entry) => entry.message), entries, tokens: estimate.tokens };
}

class TreeHandle implements OpenedTree {
  readonly id: TreeId;
  readonly #store: Store;
  readonly #options: OpenTreeOptions;
  readonly #context: RunContext;
  readonly #creates: boolean;
  /** True once a read or a write has found the tree, so that later calls do not look again. */
  #exists = false;
  /** Runs the first appends one after another, because the first one creates the tree. */
  #turn: Promise<unknown> = Promise.resolve();
  readonly #ends = new Set<AbortController>();
  /** The subscriptions that wait until the tree exists. */
  readonly #onCreated = new Set<() => void>();

  constructor(store: Store, id: string | undefined, options: OpenTreeOptions) {
    const { user, now = Date.now, newId = () => newTreeUuid(now()), kit = messageKit } = options;
    this.#store = user === undefined ? store : store.forOwner(user);
    this.#options = options;
    this.#context = { actor: user ?? store.owner, now, newId, kit };
    this.id = toTreeId(id ?? newId());
    this.#creates = options.create ?? id === undefined;
  }

  /** Whether the tree does not exist yet and the next append creates it. */
  async #isAbsent(): Promise<boolean> {
    if (!this.#creates || this.#exists) return false;
    await this.#turn;
    this.#exists ||= (await this.#store.formatOf(this.id)) !== null;
    return !this.#exists;
  }

  #read<T>(
    program: (rootId: NodeId, activeId: NodeId | null, prompt: string | undefined) => ReadProgram<T>,
  ): Promise<T> {
    const { id } = this;
    return this.#store.read(id, function* () {
      const { rootId, activeNodeId, attributes } = yield* readTree(id);
      return yield* program(rootId, activeNodeId, attributes.systemPrompt);
    });
  }

  #messageAt(id: NodeId): Promise<TreeMessage> {
    return this.#read(function* (rootId) {
      const [message] = yield* withVariants([yield* requireMessage(id)], rootId);
      return message ?? refuseUnknownMessage(id);
    });
  }

  /** Returns the node id of a parent: the root's id for null. */
  async #parentOf(id: string | null): Promise<NodeId> {
    return id === null ? (await this.#store.read(this.id, () => readTree(this.id))).rootId : nodeId(id);
  }

  append(input: TreeMessageInput | readonly TreeMessageInput[], options: AppendOptions = {}): Promise<TreeMessage> {
    const messages = isList(input) ? input : [input];
    if (!this.#creates || this.#exists) return this.#append(messages, options);
    // A second append waits until the first one has created the tree, and continues below it.
    const turn = this.#turn.then(async () => {
      if (!this.#exists && (await this.#store.formatOf(this.id)) === null) return this.#create(messages, options);
      this.#exists = true;
      return this.#append(messages, options);
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #append(messages: readonly TreeMessageInput[], { parentId, select }: AppendOptions): Promise<TreeMessage> {
    const { result } = await run(
      this.#store,
      {
        type: 'append',
        treeId: this.id,
        messages,
        ...(parentId === undefined ? {} : { parentId: await this.#parentOf(parentId) }),
        ...(select === undefined ? {} : { select }),
      },
      this.#context,
    );
    if (result.added.length + result.reused.length === 0) return refuseBlank();
    return this.#messageAt(result.nodeId);
  }

  /** Creates the tree with its first messages in one act. An undo removes the messages. */
  async #create(messages: readonly TreeMessageInput[], { parentId }: AppendOptions): Promise<TreeMessage> {
    if (parentId !== undefined && parentId !== null) return refuseUnknownMessage(parentId);
    const command = readCommand({ type: 'append', treeId: this.id, messages });
    // Blank messages are refused before the tree is created; `create` would store a tree without a message.
    if (command.type === 'append' && command.messages.every(({ message }) => isBlankInput(message)))
      return refuseBlank();
    const { systemPrompt, title } = this.#options;
    const attributes = {
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(title === undefined ? {} : { title }),
    };
    const { result } = await run(this.#store, { type: 'create', treeId: this.id, attributes, messages }, this.#context);
    this.#exists = true;
    for (const begin of this.#onCreated) begin();
    this.#onCreated.clear();
    const last = result.added?.at(-1) ?? result.reused?.at(-1);
    return last === undefined ? refuseBlank() : this.#messageAt(last);
  }

  async edit(id: string, content: string | readonly Block[], options: { readonly id?: string } = {}) {
    const { result } = await run(
      this.#store,
      { type: 'edit', treeId: this.id, nodeId: nodeId(id), content, ...options },
      this.#context,
    );
    return this.#messageAt(result.nodeId);
  }

  async regenerate(id: string): Promise<PreparedReply> {
    const { kit } = this.#context;
    const prepared = await this.#read(function* (rootId, _active, prompt) {
      const from = yield* requireMessage(id);
      const { prompt: asked } = yield* promptOfReply(from);
      const [message] = yield* withVariants([asked], rootId);
      return { message, context: yield* readContext(asked.id, prompt, kit) };
    });
    const { message: prompt, context } = prepared;
    if (prompt === undefined) return refuseUnknownMessage(id);
    return {
      prompt,
      context,
      add: async (reply, { id: chosen, meta } = {}) => {
        const { result } = await run(
          this.#store,
          {
            type: 'regenerate',
            treeId: this.id,
            nodeId: nodeId(id),
            replies: [
              {
                message: reply,
                ...(chosen === undefined ? {} : { id: chosen }),
                ...(meta === undefined ? {} : { meta }),
              },
            ],
          },
          this.#context,
        );
        return this.#messageAt(result.added.at(-1) ?? prompt.id);
      },
    };
  }

  async select(id: string): Promise<TreeMessage> {
    const { result } = await run(this.#store, { type: 'select', treeId: this.id, nodeId: nodeId(id) }, this.#context);
    return this.#messageAt(result.nodeId);
  }

  next(id: string): Promise<TreeMessage> {
    return this.#navigate(id, 'next');
  }

  previous(id: string): Promise<TreeMessage> {
    return this.#navigate(id, 'previous');
  }

  async #navigate(id: string, direction: 'next' | 'previous'): Promise<TreeMessage> {
    const { result } = await run(
      this.#store,
      { type: 'navigate', treeId: this.id, nodeId: nodeId(id), direction },
      this.#context,
    );
    return this.#messageAt(result.nodeId);
  }

  async remove(id: string, { keepChildren = true }: { readonly keepChildren?: boolean } = {}): Promise<void> {
    const mode = keepChildren ? 'splice' : 'cascade';
    await run(this.#store, { type: 'delete', treeId: this.id, nodeIds: [nodeId(id)], mode }, this.#context);
  }

  async move(id: string, parentId: string | null, { before }: { readonly before?: string } = {}): Promise<void> {
    const parent = await this.#parentOf(parentId);
    const place = before === undefined ? {} : { before: nodeId(before) };
    await run(
      this.#store,
      { type: 'move', treeId: this.id, nodeId: nodeId(id), parentId: parent, ...place },
      this.#context,
    );
  }

  async undo(): Promise<void> {
    if (await this.#isAbsent()) return refuse('undo/nothing', 'There is nothing to undo.');
    await run(this.#store, { type: 'undo', treeId: this.id }, this.#context);
  }

  async redo(): Promise<void> {
    if (await this.#isAbsent()) return refuse('undo/nothing', 'There is nothing to redo.');
    await run(this.#store, { type: 'redo', treeId: this.id }, this.#context);
  }

  async messages(): Promise<readonly TreeMessage[]> {
    if (await this.#isAbsent()) return [];
    return this.#read(function* (rootId, active) {
      return active === null ? [] : yield* withVariants(yield* readPath({ to: active }), rootId);
    });
  }

  variants(id: string): Promise<MessageVariants> {
    return this.#read(function* (rootId) {
      const node = yield* requireMessage(id);
      const [ids = []] = yield* ask('childIds', { of: [node.parentId ?? rootId] });
      const nodes = yield* ask('nodes', { ids });
      const byId = new Map(nodes.map((each) => [each.id, each]));
      const messages = ids.flatMap((each) => {
        const found = byId.get(each);
        return found === undefined ? [] : [toTreeMessage(found, ids, rootId)];
      });
      return { index: ids.indexOf(node.id), count: ids.length, messages };
    });
  }

  path(id: string): Promise<readonly TreeMessage[]> {
    return this.#read(function* (rootId) {
      return yield* withVariants(yield* readPath({ to: id }), rootId);
    });
  }

  async page(
    request: { readonly nodeId?: string; readonly limit?: number; readonly before?: string } = {},
  ): Promise<TreeMessagePage> {
    if (await this.#isAbsent()) return { messages: [], before: null, activeId: null, version: 0 };
    const { id } = this;
    return this.#store.read(id, function* () {
      const { nodes, before, rootId, activeNodeId, version } = yield* readPage(id, request);
      return { messages: yield* withVariants(nodes, rootId), before, activeId: activeNodeId, version };
    });
  }

  async context(id?: string): Promise<ModelContext> {
    const { kit } = this.#context;
    if (await this.#isAbsent()) {
      const { entries, estimate } = contextOf([], { systemPrompt: this.#options.systemPrompt, kit });
      return { messages: entries.map((entry) => entry.message), entries, tokens: estimate.tokens };
    }
    return this.#read(function* (_root, active, prompt) {
      return yield* readContext(id === undefined ? active : nodeId(id), prompt, kit);
    });
  }

  async search(text: string, options: { readonly limit?: number; readonly cursor?: string } = {}) {
    if (await this.#isAbsent()) return { items: [], cursor: null };
    return this.#store.search({ text, treeId: this.id, ...options });
  }

  async subscribe(listener: (commit: Commit) => void, onError?: (error: unknown) => void): Promise<() => void> {
    const end = new AbortController();
    this.#ends.add(end);
    const follow = async (since: number) => {
      for await (const commit of this.#store.feed(this.id, since, end.signal)) listener(commit);
    };
    const begin = (since: number) => {
      if (end.signal.aborted) return;
      follow(since).catch((error: unknown) => {
        if (onError !== undefined) onError(error);
        // Closing the store ends its subscriptions. Any other error must be reported.
        else if (!isAppError(error) || error.code !== 'store/unavailable') throw error;
      });
    };
    if (await this.#isAbsent()) this.#onCreated.add(() => begin(0));
    else begin((await this.#store.read(this.id, () => readTree(this.id))).version);
    return () => {
      this.#ends.delete(end);
      end.abort();
    };
  }

  async close(): Promise<void> {
    for (const end of this.#ends) end.abort();
    this.#ends.clear();
    this.#onCreated.clear();
  }
}

function* requireMessage(id: string): ReadProgram<Node> {
  const node = yield* ask('node', { id: nodeId(id) });
  return node === null || node.parentId === null ? refuseUnknownMessage(id) : node;
}

function refuseUnknownMessage(id: string): never {
  return refuse('tree/unknown-node', `There is no message ${id}.`, { nodeId: id });
}

/** Whether a message is blank. A malformed message is not; the planner refuses it. */
function isBlankInput(message: Message): boolean {
  const result = checkMessage(message);
  return result.ok ? isBlank(message) : result.refusal.code === 'message/blank';
}

function refuseBlank(): never {
  return refuse('message/blank', 'There is nothing to append: all messages are blank.');
}

function isList(input: TreeMessageInput | readonly TreeMessageInput[]): input is readonly TreeMessageInput[] {
  return Array.isArray(input);
}

/**
 * Opens a tree for an app. The call returns without reading anything. Without an id, the first append creates the tree.
 * An unknown id is refused when it is first used, unless `create` is set.
 */
export function openTree(store: Store, id?: string, options: OpenTreeOptions = {}): OpenedTree {
  return new TreeHandle(store, id, options);
}
