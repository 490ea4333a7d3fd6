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
  unwrapResult,
} from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import { requireNodeId, requireObject, requireTreeId, runContextOf, type ServiceOptions } from '../service.ts';
import { withServiceErrorCodes } from './errors.ts';
import { MessageService } from './message-service.ts';
import { toTopic } from './render.ts';
import type { NewTopic, Topic } from './shapes.ts';

/** The part of a topic to copy, and the id of the copy. */
export interface DuplicateTopicRequest {
  readonly topicId: string;
  /** The last node of the copied path; by default the active node. */
  readonly nodeId?: string | undefined;
  /** Whether to copy all branches, not only the path to `nodeId`. */
  readonly whole?: boolean | undefined;
  /** The id of the copy, so that a retry does not copy twice. */
  readonly newTopicId?: string | undefined;
  readonly title?: string | undefined;
}

/** Creates, lists and changes topics. */
export class TopicService {
  readonly #store: Store;
  readonly #context: RunContext;
  readonly #messages: MessageService;

  constructor(store: Store, options: ServiceOptions = {}) {
    this.#store = store;
    this.#context = runContextOf(store, options);
    this.#messages = new MessageService(store, options);
  }

  /** Creates a topic and its root in one commit. If the topic exists already, returns it. */
  create(topic: NewTopic = {}): Promise<Topic> {
    return withServiceErrorCodes(async () => {
      const { id: chosen, ...rest } = requireObject(topic);
      const id = chosen === undefined ? treeId(this.#context.newId()) : unwrapResult(parseTreeId(chosen));
      await run(this.#store, { type: 'create', treeId: id, attributes: omitUndefined(rest) }, this.#context);
      return this.#topic(id);
    });
  }

  /** Returns a topic. Throws if it is unknown. */
  get(topicId: string): Promise<Topic> {
    return withServiceErrorCodes(() => this.#topic(requireTreeId(topicId)));
  }

  /** Returns topics, last changed first. */
  list(query: TreeQuery = {}): Promise<Page<Topic>> {
    return withServiceErrorCodes(async () => {
      const { items, cursor } = await this.#store.trees(requireObject(query));
      return { items: items.map(toTopic), cursor };
    });
  }

  /**
   * Changes the attributes of a topic; null removes one. The system prompt can change only while the topic is empty.
   */
  update(topicId: string, set: Patch<TreeAttributes>): Promise<Topic> {
    return withServiceErrorCodes(async () => {
      const id = requireTreeId(topicId);
      await run(this.#store, { type: 'attributes', treeId: id, set: requireObject(set) }, this.#context);
      return this.#topic(id);
    });
  }

  /** Moves a topic to the trash, from where it can be restored until it is purged. */
  delete(topicId: string): Promise<void> {
    return withServiceErrorCodes(async () => {
      await run(this.#store, { type: 'delete-tree', treeId: requireTreeId(topicId) }, this.#context);
    });
  }

  restore(topicId: string): Promise<Topic> {
    return withServiceErrorCodes(async () => {
      const id = requireTreeId(topicId);
      await run(this.#store, { type: 'restore-tree', treeId: id }, this.#context);
      return this.#topic(id);
    });
  }

  /** Copies a topic up to a message, or all of it, to a new topic with new ids. */
  duplicate(copy: DuplicateTopicRequest): Promise<{ topic: Topic; ids: ReadonlyMap<NodeId, NodeId> }> {
    return withServiceErrorCodes(async () => {
      const { newTopicId, nodeId: end, whole, title } = requireObject(copy);
      const id = newTopicId === undefined ? treeId(this.#context.newId()) : unwrapResult(parseTreeId(newTopicId));
      const { result } = await run(
        this.#store,
        {
          type: 'duplicate',
          treeId: id,
          from: requireTreeId(copy.topicId),
          whole: whole === true,
          ...(end === undefined ? {} : { nodeId: requireNodeId(end) }),
          ...(title === undefined ? {} : { attributes: { title } }),
        },
        this.#context,
      );
      return { topic: await this.#topic(id), ids: result.ids };
    });
  }

  setActiveNode(topicId: string, messageId: string): Promise<NodeId> {
    return this.#messages.setActiveNode(topicId, messageId);
  }

  async #topic(id: TreeId): Promise<Topic> {
    return toTopic(await this.#store.read(id, () => readTree(id)));
  }
}
