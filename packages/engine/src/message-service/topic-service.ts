import {
  type NodeId,
  type Page,
  type Patch,
  parseTreeId,
  type RunContext,
  readTree,
  run,
  type Store,
  type TreeAttributes,
  type TreeId,
  type TreeQuery,
  treeId,
  valueOf,
} from '@coppice/core';
import { requireNodeNamed, requireObject, requireTreeNamed, runContextOf, type ServiceOptions } from '../service.ts';
import { withServiceMessage } from './errors.ts';
import { MessageService } from './message-service.ts';
import { topicOfTree } from './render.ts';
import type { NewTopic, Topic } from './shapes.ts';

/** What of a topic is copied into a new one. */
export interface DuplicateTopic {
  readonly topicId: string;
  /** The end of the path that is copied; the active node if not given. */
  readonly nodeId?: string | undefined;
  /** Whether all branches are copied. */
  readonly whole?: boolean | undefined;
  /** The id of the copy, so that a retry is harmless. */
  readonly newTopicId?: string | undefined;
  readonly title?: string | undefined;
}

/** Topics: conversations as a list of things with titles. Each has its root from birth. */
export class TopicService {
  readonly #store: Store;
  readonly #context: RunContext;
  readonly #messages: MessageService;

  constructor(store: Store, options: ServiceOptions = {}) {
    this.#store = store;
    this.#context = runContextOf(store, options);
    this.#messages = new MessageService(store, options);
  }

  /** Makes a topic and its root in one commit. Making the same one again gives it back. */
  create(topic: NewTopic = {}): Promise<Topic> {
    return withServiceMessage(async () => {
      const { id: chosen, ...rest } = requireObject(topic);
      const id = chosen === undefined ? treeId(this.#context.newId()) : valueOf(parseTreeId(chosen));
      await run(this.#store, { type: 'create', treeId: id, attributes: defined(rest) }, this.#context);
      return this.#topic(id);
    });
  }

  /** A topic; refused where there is none. */
  get(topicId: string): Promise<Topic> {
    return withServiceMessage(() => this.#topic(requireTreeNamed(topicId)));
  }

  /** Topics, newest change first. */
  list(query: TreeQuery = {}): Promise<Page<Topic>> {
    return withServiceMessage(async () => {
      const { items, cursor } = await this.#store.trees(requireObject(query));
      return { items: items.map(topicOfTree), cursor };
    });
  }

  /** Changes what is noted about a topic; null takes a note away. The system prompt never changes. */
  update(topicId: string, set: Patch<TreeAttributes>): Promise<Topic> {
    return withServiceMessage(async () => {
      const id = requireTreeNamed(topicId);
      await run(this.#store, { type: 'attributes', treeId: id, set: requireObject(set) }, this.#context);
      return this.#topic(id);
    });
  }

  /** Puts a topic into the trash, from where it can come back until it is purged. */
  delete(topicId: string): Promise<void> {
    return withServiceMessage(async () => {
      await run(this.#store, { type: 'delete-tree', treeId: requireTreeNamed(topicId) }, this.#context);
    });
  }

  /** Takes a topic out of the trash. */
  restore(topicId: string): Promise<Topic> {
    return withServiceMessage(async () => {
      const id = requireTreeNamed(topicId);
      await run(this.#store, { type: 'restore-tree', treeId: id }, this.#context);
      return this.#topic(id);
    });
  }

  /** Copies a topic up to a message, or whole, into a new one with ids of its own. */
  duplicate(copy: DuplicateTopic): Promise<{ topic: Topic; ids: ReadonlyMap<NodeId, NodeId> }> {
    return withServiceMessage(async () => {
      const { newTopicId, nodeId: end, whole, title } = requireObject(copy);
      const id = newTopicId === undefined ? treeId(this.#context.newId()) : valueOf(parseTreeId(newTopicId));
      const { result } = await run(
        this.#store,
        {
          type: 'duplicate',
          treeId: id,
          from: requireTreeNamed(copy.topicId),
          whole: whole === true,
          ...(end === undefined ? {} : { nodeId: requireNodeNamed(end) }),
          ...(title === undefined ? {} : { attributes: { title } }),
        },
        this.#context,
      );
      return { topic: await this.#topic(id), ids: result.ids };
    });
  }

  /** Makes a message of the topic the active one. */
  setActiveNode(topicId: string, messageId: string): Promise<NodeId> {
    return this.#messages.setActiveNode(topicId, messageId);
  }

  async #topic(id: TreeId): Promise<Topic> {
    return topicOfTree(await this.#store.read(id, () => readTree(id)));
  }
}

function defined(topic: Omit<NewTopic, 'id'>): TreeAttributes {
  return Object.fromEntries(Object.entries(topic).filter(([, value]) => value !== undefined));
}
