import {
  type ChangeOptions,
  type ChangeResult,
  type RunContext,
  readTree,
  refuse,
  type Store,
  type TreeId,
  treeId,
} from '@coppice/core';
import { newActId, requireTreeId, runContextOf, type ServiceOptions } from '../service.ts';
import { withServiceErrorCodes } from './errors.ts';
import { MessageService } from './message-service.ts';
import { toTopic } from './render.ts';
import type { NewTopic, Topic } from './shapes.ts';
import { TopicService } from './topic-service.ts';

/** Stores temporary trees apart from the main store, and moves them there on request. */
export interface TemporaryTreeStorage {
  /** The separate store. Its trees appear in no list, search, feed or backup of the main store. */
  readonly store: Store;
  has(treeId: TreeId): Promise<boolean>;
  /** Moves a tree to the main store in one commit, with its ids, order, groups and active node. */
  keep(treeId: TreeId, options: Omit<ChangeOptions, 'additive'>): Promise<ChangeResult<TreeId>>;
  /** Deletes a tree and its history permanently. */
  discard(treeId: TreeId): Promise<void>;
}

/** Temporary chats, with the same methods as other chats. They are discarded unless `keep` is called. */
export class TemporaryChatService {
  readonly messages: MessageService;
  /** The chats as topics; changes made here are discarded with them. */
  readonly topics: TopicService;
  readonly #storage: TemporaryTreeStorage;
  readonly #main: Store;
  readonly #context: RunContext;

  constructor(main: Store, storage: TemporaryTreeStorage, options: ServiceOptions = {}) {
    this.#main = main;
    this.#storage = storage;
    this.#context = runContextOf(main, options);
    this.messages = new MessageService(storage.store, options);
    this.topics = new TopicService(storage.store, options);
  }

  create(topic: NewTopic = {}): Promise<Topic> {
    return this.topics.create(topic);
  }

  /** Returns whether a topic is temporary. */
  async has(topicId: string): Promise<boolean> {
    return typeof topicId === 'string' && this.#storage.has(treeId(topicId));
  }

  /** Moves a chat to the main store as an ordinary topic. Throws while a reply is being written. */
  keep(topicId: string): Promise<Topic> {
    return withServiceErrorCodes(async () => {
      const id = await this.#known(topicId);
      const { actor, now } = this.#context;
      await this.#storage.keep(id, { actor, actId: newActId(this.#context), at: now() });
      return toTopic(await this.#main.read(id, () => readTree(id)));
    });
  }

  /** Deletes a chat permanently. Throws if it is not temporary. */
  discard(topicId: string): Promise<void> {
    return withServiceErrorCodes(async () => this.#storage.discard(await this.#known(topicId)));
  }

  async #known(topicId: string): Promise<TreeId> {
    const id = requireTreeId(topicId);
    if (!(await this.#storage.has(id)))
      refuse('tree/unknown-tree', `There is no temporary chat ${topicId}.`, { treeId: id });
    return id;
  }
}
