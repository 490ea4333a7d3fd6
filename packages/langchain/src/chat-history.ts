/** Stores a LangChain chat history, with every branch, in a tree. */
import { deriveId, hasStoredBytes, messageKit, restoreInlineBlocks, storeInlineMessages } from '@coppice/content';
import {
  isUuid,
  type NodeId,
  nodeId,
  type OptionNames,
  type RunContext,
  readPath,
  readTree,
  refuse,
  run,
  type Store,
  type TreeId,
  treeId,
} from '@coppice/core';
import { assertOptionNames, assertStore } from '@coppice/core/decode';
import { BaseListChatMessageHistory } from '@langchain/core/chat_history';
import {
  type BaseMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
} from '@langchain/core/messages';
import { fromStoredMessage, toStoredMessages } from './messages.ts';

/** The store and the session of a history. */
export interface TreeHistoryOptions {
  /** The store of the tree: any store of `@coppice/stores`. */
  readonly store: Store;
  /** The id of the session. A UUID is used as the tree id; from other texts and the user a tree id is derived. */
  readonly sessionId: string;
  /** The owner of the tree; defaults to the owner of the store. */
  readonly user?: string;
  readonly now?: () => number;
  readonly newId?: () => string;
}

const optionNames: OptionNames<TreeHistoryOptions> = {
  store: true,
  sessionId: true,
  user: true,
  now: true,
  newId: true,
};

/**
 * Refuses options that a caller without types may pass. Without a session id, the messages of all sessions would be in
 * one tree.
 */
function assertOptions(options: TreeHistoryOptions): TreeHistoryOptions {
  assertOptionNames('TreeChatMessageHistory', options, optionNames);
  assertStore('TreeChatMessageHistory', options.store);
  const { sessionId, user } = options;
  if (typeof sessionId !== 'string' || sessionId === '')
    return refuse('command/invalid', 'TreeChatMessageHistory needs a `sessionId`: the text that names the session.');
  if (user !== undefined && (typeof user !== 'string' || user === ''))
    return refuse('command/invalid', 'The `user` of TreeChatMessageHistory must be a text that is not empty.');
  return options;
}

/**
 * A LangChain history that reads and writes the active branch of a tree. New messages are added below the active
 * message. Select an earlier message, with `select` or another interface of Coppice, to start another branch there.
 * `clear` can be undone.
 */
export class TreeChatMessageHistory extends BaseListChatMessageHistory {
  override lc_namespace = ['coppice', 'chat_history'];
  /** The id of the session's tree, for example for `openTree`. */
  readonly treeId: TreeId;
  readonly #store: Store;
  readonly #context: RunContext;
  #exists = false;

  constructor(options: TreeHistoryOptions) {
    super();
    const { store, sessionId, user, now = Date.now, newId = () => crypto.randomUUID() } = assertOptions(options);
    const owner = user ?? store.owner;
    this.treeId = treeId(isUuid(sessionId) ? sessionId : deriveId('langchain', owner, sessionId));
    this.#store = user === undefined ? store : store.forOwner(user);
    this.#context = { actor: owner, now, newId, kit: messageKit };
  }

  async #isAbsent(): Promise<boolean> {
    this.#exists ||= (await this.#store.formatOf(this.treeId)) !== null;
    return !this.#exists;
  }

  async #ensureTree(): Promise<void> {
    if (!(await this.#isAbsent())) return;
    try {
      await run(this.#store, { type: 'create', treeId: this.treeId }, this.#context);
    } catch (error) {
      // Another call may have created the tree meanwhile. Otherwise the error is thrown, for example if another user
      // has this tree id.
      if (await this.#isAbsent()) throw error;
    }
    this.#exists = true;
  }

  /** Returns the messages of the active branch; none for a session that does not exist. */
  override async getMessages(): Promise<BaseMessage[]> {
    if (await this.#isAbsent()) return [];
    const id = this.treeId;
    const path = await this.#store.read(id, function* () {
      const { activeNodeId } = yield* readTree(id);
      return activeNodeId === null ? [] : yield* readPath({ to: activeNodeId });
    });
    const { blobs } = this.#store;
    const nodes = await Promise.all(
      path.map(async (node) => {
        const { message } = node;
        if (message === null || !hasStoredBytes(message.content)) return node;
        return { ...node, message: { ...message, content: await restoreInlineBlocks(message.content, blobs) } };
      }),
    );
    return mapStoredMessagesToChatMessages(nodes.flatMap(toStoredMessages));
  }

  override addMessage(message: BaseMessage): Promise<void> {
    return this.addMessages([message]);
  }

  /** Adds messages below the active message, as one act. */
  override async addMessages(messages: BaseMessage[]): Promise<void> {
    if (messages.length === 0) return;
    await this.#ensureTree();
    const stored = mapChatMessagesToStoredMessages(messages).map(fromStoredMessage);
    const added = await storeInlineMessages(stored, this.#store.blobs);
    await run(this.#store, { type: 'append', treeId: this.treeId, messages: added }, this.#context);
  }

  /** Makes a message active. The next message starts another branch below it. */
  async select(id: NodeId | string): Promise<void> {
    await run(this.#store, { type: 'select', treeId: this.treeId, nodeId: nodeId(id) }, this.#context);
  }

  /** Moves all messages to the trash. */
  override async clear(): Promise<void> {
    if (await this.#isAbsent()) return;
    await run(this.#store, { type: 'clear', treeId: this.treeId }, this.#context);
  }
}
