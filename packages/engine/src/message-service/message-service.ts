import { storeInlineMessages } from '@coppice/content';
import {
  type AppendCommand,
  ask,
  type DeleteResult,
  isAppError,
  type NewReply,
  type Node,
  type NodeId,
  parseTreeId,
  type ReadProgram,
  type RunContext,
  readPage,
  readPath,
  readTopology,
  readTree,
  refuse,
  run,
  type Store,
  type TreeId,
  unwrapResult,
} from '@coppice/core';
import {
  assertCount,
  type NodeLocation,
  requireNodeId,
  requireNodeLocation,
  requireObject,
  requireTreeId,
  runContextOf,
  type ServiceOptions,
} from '../service.ts';
import { withServiceErrorCodes } from './errors.ts';
import { groupSiblings, parseTopicMessage, toBranchMessages, toTopicMessage } from './render.ts';
import type {
  BranchMessages,
  BranchQuery,
  DeletedMessages,
  NewTopicMessage,
  TopicMessage,
  TopicTree,
} from './shapes.ts';

/** A message to create, and its position. */
export interface CreateMessageRequest extends NewTopicMessage {
  readonly topicId: string;
  /** By default the active node, or the root of an empty topic. Null is the root, for a first message. */
  readonly parentId?: string | null | undefined;
  /** An existing group of replies below the parent that the message joins. */
  readonly siblingsGroupId?: number | undefined;
  /** Whether the message becomes the active node; by default true. */
  readonly select?: boolean | undefined;
}

/** Replies to create as one group. */
export interface CreateRepliesRequest {
  readonly topicId: string;
  readonly parentId: string;
  readonly replies: readonly NewTopicMessage[];
  readonly select?: boolean | undefined;
}

/**
 * Creates, reads and deletes the messages of topics. Every created message is a new node, even if an equal sibling
 * exists. Errors carry the codes of chat applications as `data.code`.
 */
export class MessageService {
  readonly #store: Store;
  readonly #options: ServiceOptions;
  readonly #context: RunContext;

  constructor(store: Store, options: ServiceOptions = {}) {
    this.#store = store;
    this.#options = options;
    this.#context = runContextOf(store, options);
  }

  /**
   * Returns the same service for a caller that has read a version of the topic. If the topic has changed since, a write
   * is refused as a conflict; with `onConflict` a write that only adds nodes is stored as a sibling branch.
   */
  expecting(version: number, onConflict?: 'branch'): MessageService {
    return new MessageService(this.#store, { ...this.#options, expectedVersion: version, onConflict });
  }

  /** Creates the root of a topic, and with it the topic; returns the existing root if there is one. */
  createRootMessage(topicId: string): Promise<NodeId> {
    return withServiceErrorCodes(async () => {
      const id = unwrapResult(parseTreeId(topicId));
      if ((await this.#findRoot(id)) === null) await this.#createTopic(id);
      return this.#requireRoot(id);
    });
  }

  /** Returns the id of a topic's root. Throws if the topic does not exist. */
  getRootMessageId(topicId: string): Promise<NodeId> {
    return withServiceErrorCodes(() => this.#requireRoot(requireTreeId(topicId)));
  }

  /** Returns a message. Throws if it is unknown or a root. */
  getById(messageId: string): Promise<TopicMessage> {
    return withServiceErrorCodes(async () => this.#message(await requireNodeLocation(this.#store, messageId)));
  }

  /** Returns the messages from the first one down to this one, both included. */
  getPathToNode(messageId: string): Promise<TopicMessage[]> {
    return withServiceErrorCodes(async () => {
      const place = await requireNodeLocation(this.#store, messageId);
      const nodes = await this.#store.read(place.treeId, () => readPath({ to: place.nodeId }));
      return nodes.map((node) => toTopicMessage(place.treeId, node));
    });
  }

  /** Returns the last messages of a branch, or those above a cursor. Throws if the cursor is not on the branch. */
  getBranchMessages(query: BranchQuery): Promise<BranchMessages> {
    return withServiceErrorCodes(async () => {
      const { topicId, nodeId: end, limit, before, includeSiblings } = requireObject(query);
      const id = requireTreeId(topicId);
      if (limit != null) assertCount('limit', limit, 1);
      const page = await this.#store.read(id, () =>
        readPage(id, {
          ...(end == null ? {} : { nodeId: requireNodeId(end) }),
          ...(limit == null ? {} : { limit }),
          ...(before == null ? {} : { before: requireNodeId(before) }),
          siblings: includeSiblings === true,
        }),
      );
      return toBranchMessages(id, page);
    });
  }

  /** Returns a topic without message contents: all of it, or down to a depth. First messages have depth 1. */
  getTree(query: { topicId: string; depth?: number }): Promise<TopicTree> {
    return withServiceErrorCodes(async () => {
      const { topicId, depth } = requireObject(query);
      const id = requireTreeId(topicId);
      if (depth !== undefined) assertCount('depth', depth);
      return this.#store.read(id, function* (): ReadProgram<TopicTree> {
        const { rootId, activeNodeId, version } = yield* readTree(id);
        const nodes = yield* readTopology(id, depth === undefined ? {} : { depth });
        return { nodes, siblingsGroups: groupSiblings(nodes), rootId, activeNodeId, version };
      });
    });
  }

  /** Creates a message and by default makes it active. */
  create(wanted: CreateMessageRequest): Promise<TopicMessage> {
    return withServiceErrorCodes(async () => {
      const id = requireTreeId(requireObject(wanted).topicId);
      const message = wanted.parentId === null ? { ...wanted, parentId: await this.#requireRoot(id) } : wanted;
      const { siblingsGroupId = 0, status, parentId } = message;
      if (siblingsGroupId === 0 && status === undefined) return this.#append(id, message);
      const parent = parentId == null ? await this.#findActiveOrRoot(id) : requireNodeId(parentId);
      const [made] = await this.#addReplies(id, parent, [message], message.select, siblingsGroupId);
      return made ?? refuse('command/invalid', 'The list of messages is empty.', {});
    });
  }

  /** Creates several replies below one message as one group; a single reply belongs to no group. */
  createReplyGroup(wanted: CreateRepliesRequest): Promise<TopicMessage[]> {
    return withServiceErrorCodes(async () => {
      const { topicId, parentId, replies, select } = requireObject(wanted);
      return this.#addReplies(requireTreeId(topicId), requireNodeId(parentId), replies, select, 0);
    });
  }

  /** Deletes a message. Its children move up to its parent; with `cascade` they are deleted too. Throws for a root. */
  delete(
    message: string | { readonly messageId: string; readonly cascade?: boolean },
    options: { readonly cascade?: boolean } = {},
  ): Promise<DeletedMessages> {
    return withServiceErrorCodes(async () => {
      const wanted = typeof message === 'string' ? { messageId: message, ...options } : requireObject(message);
      const { messageId, cascade = false } = wanted;
      const place = await requireNodeLocation(this.#store, messageId);
      const mode = cascade ? 'cascade' : 'splice';
      const { result } = await run(
        this.#store,
        { type: 'delete', treeId: place.treeId, nodeIds: [place.nodeId], mode },
        this.#context,
      );
      return toDeletedMessages(result);
    });
  }

  /** Deletes all replies of a message's group; their children move up. Throws while one of them is being written. */
  deleteReplyGroup(messageId: string): Promise<DeletedMessages> {
    return withServiceErrorCodes(async () => {
      const place = await requireNodeLocation(this.#store, messageId);
      return toDeletedMessages((await run(this.#store, { type: 'delete-group', ...place }, this.#context)).result);
    });
  }

  /** Deletes all messages of a topic; the root stays. Does nothing in an empty topic. */
  clearTopicMessages(topicId: string): Promise<DeletedMessages> {
    return withServiceErrorCodes(async () => {
      const id = requireTreeId(topicId);
      return toDeletedMessages((await run(this.#store, { type: 'clear', treeId: id }, this.#context)).result);
    });
  }

  /** Permanently deletes topics with their whole history. Returns the ids of those that existed. */
  purgeByTopicIds(topicIds: readonly string[]): Promise<TreeId[]> {
    return withServiceErrorCodes(async () => {
      if (!Array.isArray(topicIds)) return refuse('command/invalid', 'The topics to purge must be a list of ids.', {});
      const gone: TreeId[] = [];
      for (const topicId of new Set(topicIds)) {
        const id = requireTreeId(topicId);
        if ((await this.#findRoot(id)) === null) continue;
        await run(this.#store, { type: 'delete-tree', treeId: id }, this.#context);
        await this.#store.purgeTree(id);
        gone.push(id);
      }
      return gone;
    });
  }

  /** Makes a message active. Throws for roots and unknown messages. */
  setActiveNode(topicId: string, messageId: string): Promise<NodeId> {
    return withServiceErrorCodes(async () => {
      const command = {
        type: 'select',
        treeId: requireTreeId(topicId),
        nodeId: requireNodeId(messageId),
      } as const;
      return (await run(this.#store, command, this.#context)).result.nodeId;
    });
  }

  #findRoot(id: TreeId): Promise<NodeId | null> {
    return this.#store.read(id, function* () {
      return (yield* ask('tree', {}))?.rootId ?? null;
    });
  }

  async #requireRoot(id: TreeId): Promise<NodeId> {
    return (await this.#findRoot(id)) ?? refuse('tree/unknown-tree', `There is no topic ${id}.`, { treeId: id });
  }

  async #createTopic(id: TreeId): Promise<void> {
    try {
      await run(this.#store, { type: 'create', treeId: id }, this.#context);
    } catch (error) {
      // Another caller created the topic meanwhile, perhaps with a prompt; its root is used.
      if (!isAppError(error) || error.code !== 'tree/exists') throw error;
    }
  }

  #findActiveOrRoot(id: TreeId): Promise<NodeId> {
    return this.#store.read(id, function* () {
      const row = yield* readTree(id);
      return row.activeNodeId ?? row.rootId;
    });
  }

  async #append(id: TreeId, wanted: CreateMessageRequest): Promise<TopicMessage> {
    const message = parseTopicMessage(wanted);
    const messages = message === undefined ? [] : [{ message, ...optionalFields(wanted) }];
    const command: AppendCommand = {
      type: 'append',
      treeId: id,
      messages: await storeInlineMessages(messages, this.#store.blobs),
      merge: false,
      select: wanted.select !== false,
      ...(wanted.parentId == null ? {} : { parentId: requireNodeId(wanted.parentId) }),
    };
    const { result } = await run(this.#store, command, this.#context);
    // `append` skips blank messages silently, but creating a blank message must fail.
    if (result.added.length + result.reused.length === 0)
      refuse('message/blank', `The message for ${id} is empty.`, { treeId: id });
    return this.#message({ treeId: id, nodeId: result.nodeId });
  }

  async #addReplies(
    id: TreeId,
    parentId: NodeId,
    wanted: readonly NewTopicMessage[],
    select: boolean | undefined,
    join: number,
  ): Promise<TopicMessage[]> {
    if (!Array.isArray(wanted)) return refuse('command/invalid', 'The replies must be a list.', {});
    const replies = wanted.map((one: NewTopicMessage): NewReply => {
      const message = parseTopicMessage(requireObject(one));
      return {
        ...(message === undefined ? {} : { message }),
        ...(one.status === undefined ? {} : { status: one.status }),
        ...optionalFields(one),
      };
    });
    const { result } = await run(
      this.#store,
      {
        type: 'reply',
        treeId: id,
        parentId,
        replies: await storeInlineMessages(replies, this.#store.blobs),
        select: select !== false,
        ...(join === 0 ? {} : { join }),
      },
      this.#context,
    );
    const topicMessages: TopicMessage[] = [];
    for (const added of result.added) topicMessages.push(await this.#message({ treeId: id, nodeId: added }));
    return topicMessages;
  }

  async #message({ treeId: id, nodeId: at }: NodeLocation): Promise<TopicMessage> {
    const node: Node | null = await this.#store.read(id, () => ask('node', { id: at }));
    if (node === null) return refuse('tree/unknown-node', `There is no message ${at}.`, { nodeId: at });
    return toTopicMessage(id, node);
  }
}

function optionalFields({ id, meta }: NewTopicMessage): Pick<NewReply, 'id' | 'meta'> {
  return { ...(id === undefined ? {} : { id }), ...(meta === undefined ? {} : { meta }) };
}

function toDeletedMessages({ removed, activeNodeId }: DeleteResult): DeletedMessages {
  return { deletedIds: removed, activeNodeId };
}
