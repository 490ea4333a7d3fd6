/**
 * A simple interface for apps: it takes plain strings, and returns messages with their variants. It loads no database
 * driver.
 */
import {
  hasInlineBytes,
  hasStoredBytes,
  messageKit,
  restoreInlineBlocks,
  storeInlineBlocks,
  storeInlineMessages,
} from '@coppice/content';
import {
  ask,
  type Block,
  type BlockInput,
  type CommandInput,
  type Commit,
  checkMessage,
  type FieldReaders,
  findPromptOfReply,
  isAppError,
  isBlank,
  type Message,
  type MessageKit,
  type Node,
  type NodeId,
  nodeId,
  parseCommandInput,
  type ReadProgram,
  type RunContext,
  readPage,
  readPath,
  readTree,
  refuse,
  run,
  type Store,
  type TreeId,
  treeId as toTreeId,
} from '@coppice/core';
import { contextOf, readContextPath } from '@coppice/core/context';
import {
  assertArgument,
  assertStore,
  booleanField,
  exactObjectField,
  jsonField,
  optionalField,
} from '@coppice/core/decode';
import type {
  AppendOptions,
  MessageVariants,
  ModelContext,
  OpenedTree,
  OpenTreeOptions,
  PreparedReply,
  TreeMessage,
  TreeMessageInput,
  TreeMessagePage,
} from './opened-tree.ts';
import { generateUuidV7 } from './uuid-v7.ts';

export type * from './opened-tree.ts';

/** Creates a check that refuses options with other fields than these. */
function onlyFields(...names: readonly string[]): (options: object) => void {
  const readers: FieldReaders = Object.fromEntries(names.map((name) => [name, jsonField]));
  const read = exactObjectField('An options object', readers);
  return (options) => assertArgument('options', options, read);
}

const checkOptions = {
  open: onlyFields('user', 'systemPrompt', 'title', 'create', 'now', 'newId', 'kit'),
  append: onlyFields('parentId', 'select'),
  edit: onlyFields('id'),
  add: onlyFields('id', 'meta'),
  move: onlyFields('before'),
  search: onlyFields('limit', 'cursor'),
} as const;

const readRemoveOptions = exactObjectField('An options object', { keepChildren: optionalField(booleanField) });

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
  if (to !== null && path.length === 0) return refuseUnknownMessage(to);
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

  constructor(store: Store, id: string | undefined, options: OpenTreeOptions) {
    const { user, now = Date.now, newId = () => generateUuidV7(now()), kit = messageKit } = options;
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

  async #messageAt(id: NodeId): Promise<TreeMessage> {
    const messages = await this.#read(function* (rootId) {
      return yield* withVariants([yield* requireMessage(id)], rootId);
    });
    const [message] = await this.#withBytes(messages);
    return message ?? refuseUnknownMessage(id);
  }

  /** Returns messages with the bytes of their images and files, which a store keeps apart. */
  #withBytes<T extends { readonly content: readonly Block[] }>(messages: readonly T[]): Promise<readonly T[]> {
    const { blobs } = this.#store;
    return Promise.all(
      messages.map(async (message) =>
        hasStoredBytes(message.content)
          ? { ...message, content: await restoreInlineBlocks(message.content, blobs) }
          : message,
      ),
    );
  }

  async #contextWithBytes({ entries, tokens }: ModelContext): Promise<ModelContext> {
    const messages = await this.#withBytes(entries.map(({ message }) => message));
    return {
      messages,
      entries: entries.map((entry, at) => ({ ...entry, message: messages[at] ?? entry.message })),
      tokens,
    };
  }

  /** Moves the bytes of images and files in new messages to the blob store. */
  async #storeBytes(messages: readonly TreeMessageInput[]): Promise<readonly TreeMessageInput[]> {
    if (messages.every((message) => typeof message === 'string')) return messages;
    const command = parseCommandInput({ type: 'append', treeId: this.id, messages });
    if (command.type !== 'append' || !command.messages.some(({ message }) => hasInlineBytes(message))) return messages;
    return storeInlineMessages(command.messages, this.#store.blobs);
  }

  #run<C extends CommandInput>(command: C) {
    return run(this.#store, command, this.#context);
  }

  /** Returns the node id of a parent: the root's id for null. */
  async #parentOf(id: string | null): Promise<NodeId> {
    return id === null ? (await this.#store.read(this.id, () => readTree(this.id))).rootId : nodeId(id);
  }

  async append(
    input: TreeMessageInput | readonly TreeMessageInput[],
    options: AppendOptions = {},
  ): Promise<TreeMessage> {
    checkOptions.append(options);
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
    const { result } = await this.#run({
      type: 'append',
      treeId: this.id,
      messages: await this.#storeBytes(messages),
      ...(parentId === undefined ? {} : { parentId: await this.#parentOf(parentId) }),
      ...(select === undefined ? {} : { select }),
    });
    if (result.added.length + result.reused.length === 0) return refuseBlank();
    return this.#messageAt(result.nodeId);
  }

  /** Creates the tree with its first messages in one act. An undo removes the messages. */
  async #create(messages: readonly TreeMessageInput[], options: AppendOptions): Promise<TreeMessage> {
    const { parentId } = options;
    if (parentId !== undefined && parentId !== null) return refuseUnknownMessage(parentId);
    const command = parseCommandInput({ type: 'append', treeId: this.id, messages });
    // Blank messages are refused before the tree is created; `create` would store a tree without a message.
    if (command.type === 'append' && command.messages.every(({ message }) => isBlankInput(message)))
      return refuseBlank();
    const { systemPrompt, title } = this.#options;
    const attributes = {
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(title === undefined ? {} : { title }),
    };
    const stored = await this.#storeBytes(messages);
    // The command gets a new root id, so that it is refused if another handle has created the tree meanwhile. The
    // messages are then appended to that tree.
    const rootId = this.#context.newId();
    const created = await this.#run({ type: 'create', treeId: this.id, rootId, attributes, messages: stored }).catch(
      (error: unknown) => {
        if (isAppError(error) && error.code === 'tree/exists') return null;
        throw error;
      },
    );
    this.#exists = true;
    if (created === null) return this.#append(messages, options);
    const last = created.result.added?.at(-1) ?? created.result.reused?.at(-1);
    return last === undefined ? refuseBlank() : this.#messageAt(last);
  }

  async edit(id: string, content: string | readonly BlockInput[], options: { readonly id?: string } = {}) {
    checkOptions.edit(options);
    const command = parseCommandInput({ type: 'edit', treeId: this.id, nodeId: nodeId(id), content, ...options });
    const edited =
      command.type === 'edit' && Array.isArray(command.content)
        ? await storeInlineBlocks(command.content, this.#store.blobs)
        : content;
    const { result } = await this.#run({
      type: 'edit',
      treeId: this.id,
      nodeId: nodeId(id),
      content: edited,
      ...options,
    });
    return this.#messageAt(result.nodeId);
  }

  async regenerate(id: string): Promise<PreparedReply> {
    const { kit } = this.#context;
    const prepared = await this.#read(function* (rootId, _active, prompt) {
      const from = yield* requireMessage(id);
      const { prompt: asked } = yield* findPromptOfReply(from);
      const [message] = yield* withVariants([asked], rootId);
      return { message, context: yield* readContext(asked.id, prompt, kit) };
    });
    if (prepared.message === undefined) return refuseUnknownMessage(id);
    const [prompt = prepared.message] = await this.#withBytes([prepared.message]);
    const context = await this.#contextWithBytes(prepared.context);
    return {
      prompt,
      context,
      add: async (reply, options = {}) => {
        checkOptions.add(options);
        const { id: chosen, meta } = options;
        const added = {
          message: reply,
          ...(chosen === undefined ? {} : { id: chosen }),
          ...(meta === undefined ? {} : { meta }),
        };
        const command = parseCommandInput({
          type: 'regenerate',
          treeId: this.id,
          nodeId: nodeId(id),
          replies: [added],
        });
        const replies =
          command.type === 'regenerate' ? await storeInlineMessages(command.replies, this.#store.blobs) : [added];
        const { result } = await this.#run({
          type: 'regenerate',
          treeId: this.id,
          nodeId: nodeId(id),
          replies,
        });
        return this.#messageAt(result.added.at(-1) ?? prompt.id);
      },
    };
  }

  async select(id: string): Promise<TreeMessage> {
    const { result } = await this.#run({ type: 'select', treeId: this.id, nodeId: nodeId(id) });
    return this.#messageAt(result.nodeId);
  }

  next(id: string): Promise<TreeMessage> {
    return this.#navigate(id, 'next');
  }

  previous(id: string): Promise<TreeMessage> {
    return this.#navigate(id, 'previous');
  }

  async #navigate(id: string, direction: 'next' | 'previous'): Promise<TreeMessage> {
    const { result } = await this.#run({ type: 'navigate', treeId: this.id, nodeId: nodeId(id), direction });
    return this.#messageAt(result.nodeId);
  }

  async remove(id: string, options: { readonly keepChildren?: boolean } = {}): Promise<void> {
    assertArgument('options', options, readRemoveOptions);
    const mode = (options.keepChildren ?? true) ? 'splice' : 'cascade';
    await this.#run({ type: 'delete', treeId: this.id, nodeIds: [nodeId(id)], mode });
  }

  async move(id: string, parentId: string | null, options: { readonly before?: string } = {}): Promise<void> {
    checkOptions.move(options);
    const { before } = options;
    const parent = await this.#parentOf(parentId);
    const place = before === undefined ? {} : { before: nodeId(before) };
    await this.#run({ type: 'move', treeId: this.id, nodeId: nodeId(id), parentId: parent, ...place });
  }

  async undo(): Promise<void> {
    if (await this.#isAbsent()) return refuse('undo/nothing', 'There is nothing to undo.');
    await this.#run({ type: 'undo', treeId: this.id });
  }

  async redo(): Promise<void> {
    if (await this.#isAbsent()) return refuse('undo/nothing', 'There is nothing to redo.');
    await this.#run({ type: 'redo', treeId: this.id });
  }

  async messages(): Promise<readonly TreeMessage[]> {
    if (await this.#isAbsent()) return [];
    const messages = await this.#read(function* (rootId, active) {
      return active === null ? [] : yield* withVariants(yield* readPath({ to: active }), rootId);
    });
    return this.#withBytes(messages);
  }

  async variants(id: string): Promise<MessageVariants> {
    const { messages, ...place } = await this.#read(function* (rootId) {
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
    return { ...place, messages: await this.#withBytes(messages) };
  }

  async path(id: string): Promise<readonly TreeMessage[]> {
    const messages = await this.#read(function* (rootId) {
      return yield* withVariants(yield* readPath({ to: id }), rootId);
    });
    return this.#withBytes(messages);
  }

  async page(
    request: { readonly nodeId?: string; readonly limit?: number; readonly before?: string } = {},
  ): Promise<TreeMessagePage> {
    if (await this.#isAbsent()) return { messages: [], before: null, activeId: null, version: 0 };
    const { id } = this;
    const page = await this.#store.read(id, function* () {
      const { nodes, before, rootId, activeNodeId, version } = yield* readPage(id, request);
      return { messages: yield* withVariants(nodes, rootId), before, activeId: activeNodeId, version };
    });
    return { ...page, messages: await this.#withBytes(page.messages) };
  }

  async context(id?: string): Promise<ModelContext> {
    const { kit } = this.#context;
    if (await this.#isAbsent()) {
      const { entries, estimate } = contextOf([], { systemPrompt: this.#options.systemPrompt, kit });
      return { messages: entries.map((entry) => entry.message), entries, tokens: estimate.tokens };
    }
    const context = await this.#read(function* (_root, active, prompt) {
      return yield* readContext(id === undefined ? active : nodeId(id), prompt, kit);
    });
    return this.#contextWithBytes(context);
  }

  async search(text: string, options: { readonly limit?: number; readonly cursor?: string } = {}) {
    checkOptions.search(options);
    if (await this.#isAbsent()) return { items: [], cursor: null };
    return this.#store.search({ text, treeId: this.id, ...options });
  }

  async subscribe(listener: (commit: Commit) => void, onError?: (error: unknown) => void): Promise<() => void> {
    if (typeof listener !== 'function') return refuse('command/invalid', 'subscribe needs a function to call.');
    const end = new AbortController();
    this.#ends.add(end);
    const isAbsent = await this.#isAbsent();
    const since = isAbsent ? 0 : (await this.#store.read(this.id, () => readTree(this.id))).version;
    const follow = async () => {
      if (isAbsent) await this.#waitUntilCreated(end.signal);
      if (end.signal.aborted) return;
      for await (const commit of this.#store.feed(this.id, since, end.signal)) listener(commit);
    };
    follow().catch((error: unknown) => {
      if (onError !== undefined) onError(error);
      // Closing the store ends its subscriptions. Any other error must be reported.
      else if (!isAppError(error) || error.code !== 'store/unavailable') throw error;
    });
    return () => {
      this.#ends.delete(end);
      end.abort();
    };
  }

  /** Waits until this or another writer has created the tree. */
  async #waitUntilCreated(signal: AbortSignal): Promise<void> {
    const found = new AbortController();
    signal.addEventListener('abort', () => found.abort());
    const events = this.#store.feedAll(null, found.signal)[Symbol.asyncIterator]();
    let next = events.next();
    // The tree may have been created before the feed began.
    if (await this.#isAbsent())
      for (let event = await next; !event.done && event.value.treeId !== this.id; event = await next)
        next = events.next();
    found.abort();
    await next;
  }

  async close(): Promise<void> {
    for (const end of this.#ends) end.abort();
    this.#ends.clear();
  }
}

function* requireMessage(id: string): ReadProgram<Node> {
  const node = yield* ask('node', { id: nodeId(id) });
  return node === null || node.parentId === null ? refuseUnknownMessage(id) : node;
}

function refuseUnknownMessage(id: string): never {
  return refuse('tree/unknown-node', `There is no message ${id}.`, { nodeId: id });
}

/** Whether a message is blank. A malformed message is not blank; the planner refuses it. */
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
 * Opens a tree for an app. The call returns without reading anything. Without an id (undefined or null), the first
 * append creates the tree.
 * An unknown id is refused when it is first used, unless `create` is set.
 */
export function openTree(store: Store, id?: string | null, options: OpenTreeOptions = {}): OpenedTree {
  assertStore('openTree', store);
  checkOptions.open(options);
  if (options.user === '')
    return refuse('command/invalid', 'The user is empty. Leave `user` out to use the owner of the store.');
  if (options.user !== undefined && typeof options.user !== 'string')
    return refuse('command/invalid', 'The user must be a text.');
  return new TreeHandle(store, id ?? undefined, options);
}
