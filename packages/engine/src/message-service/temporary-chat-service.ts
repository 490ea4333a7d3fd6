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
import { newActId, requireTreeNamed, runContextOf, type ServiceOptions } from '../service.ts';
import { withServiceMessage } from './errors.ts';
import { MessageService } from './message-service.ts';
import { topicOfTree } from './render.ts';
import type { NewTopic, Topic } from './shapes.ts';
import { TopicService } from './topic-service.ts';

/** What keeps temporary trees: a store of their own, and the way from there into the main one. */
export interface TemporaryTreeKeeper {
  /** Where they live: in no list, search, feed or backup of the main store. */
  readonly store: Store;
  has(treeId: TreeId): Promise<boolean>;
  /** Moves one into the main store in one commit, with ids, order, groups and pointer as they are. */
  keep(treeId: TreeId, options: Omit<ChangeOptions, 'additive'>): Promise<ChangeResult<TreeId>>;
  /** Forgets one: nothing of it is left anywhere. */
  discard(treeId: TreeId): Promise<void>;
}

/** Chats that nobody keeps unless told to, under the same calls as all others. */
export class TemporaryChatService {
  /** Their messages. */
  readonly messages: MessageService;
  /** Themselves, as topics; what is done here is forgotten with them. */
  readonly topics: TopicService;
  readonly #keeper: TemporaryTreeKeeper;
  readonly #main: Store;
  readonly #context: RunContext;

  constructor(main: Store, keeper: TemporaryTreeKeeper, options: ServiceOptions = {}) {
    this.#main = main;
    this.#keeper = keeper;
    this.#context = runContextOf(main, options);
    this.messages = new MessageService(keeper.store, options);
    this.topics = new TopicService(keeper.store, options);
  }

  /** Begins a temporary chat. */
  create(topic: NewTopic = {}): Promise<Topic> {
    return this.topics.create(topic);
  }

  /** Whether a topic is a temporary one. */
  async has(topicId: string): Promise<boolean> {
    return typeof topicId === 'string' && this.#keeper.has(treeId(topicId));
  }

  /** Keeps a chat: from now on it is a topic like any other. Refused while a reply is being written. */
  keep(topicId: string): Promise<Topic> {
    return withServiceMessage(async () => {
      const id = await this.#known(topicId);
      const { actor, now } = this.#context;
      await this.#keeper.keep(id, { actor, actId: newActId(this.#context), at: now() });
      return topicOfTree(await this.#main.read(id, () => readTree(id)));
    });
  }

  /** Forgets a chat. */
  discard(topicId: string): Promise<void> {
    return withServiceMessage(async () => this.#keeper.discard(await this.#known(topicId)));
  }

  async #known(topicId: string): Promise<TreeId> {
    const id = requireTreeNamed(topicId);
    if (!(await this.#keeper.has(id)))
      refuse('tree/unknown-tree', `There is no temporary chat ${topicId}.`, { treeId: id });
    return id;
  }
}
