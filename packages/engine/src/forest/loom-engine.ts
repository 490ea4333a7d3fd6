import { normaliseMessages } from '@coppice/content';
import { isBlank, type Message, type NodeId, refuse, type Store, unwrapResult } from '@coppice/core';
import type { GenerateOptions, ReplyRound, Turn, TurnEvent } from '../generate/contract.ts';
import { replyErrorFromThrown, toGenerateError } from '../generate/errors.ts';
import type { TurnGenerator } from '../generate/index.ts';
import { requireNodeLocation } from '../service.ts';
import { Forest } from './forest.ts';
import { ProvenanceLedger } from './provenance.ts';
import { type ForestNode, isRootData, type NodeData, type RootConfig } from './shapes.ts';

/** Options of a reply. `max_tokens` and `top_p` have the names that providers use. */
export interface LoomOptions
  extends Pick<
    GenerateOptions,
    'n' | 'temperature' | 'stop' | 'seed' | 'thinking' | 'signal' | 'requestId' | 'fallbackModel' | 'approve'
  > {
  readonly max_tokens?: number | undefined;
  readonly top_p?: number | undefined;
}

/** The new replies, and a promise of the next ones if they called tools. */
export interface GenerateResult {
  readonly childNodes: readonly NodeData[];
  /** Resolves when the tools have returned and the model has replied again. The caller may ignore it. */
  readonly next?: Promise<GenerateResult>;
}

export interface LoomEngineOptions {
  readonly store: Store;
  readonly generator: TurnGenerator;
  /** The forest whose nodes are returned; by default one on the same store. */
  readonly forest?: Forest | undefined;
}

/**
 * Generates replies to a whole context: matches the messages to their longest known prefix in the forest and adds
 * replies below the last one. Does not move the active node, except for a tree's first node.
 */
export class LoomEngine {
  readonly forest: Forest;
  readonly #store: Store;
  readonly #generator: TurnGenerator;
  readonly #ledger: ProvenanceLedger;
  readonly #unhook: () => void;

  constructor({ store, generator, forest }: LoomEngineOptions) {
    this.#store = store;
    this.#generator = generator;
    this.forest = forest ?? new Forest(store);
    const ledger = new ProvenanceLedger(store);
    this.#ledger = ledger;
    this.#unhook = generator.events.after('append', ({ treeId, reused }) => {
      const [firstNodeId] = reused;
      const lastNodeId = reused.at(-1);
      if (firstNodeId === undefined || lastNodeId === undefined) return;
      ledger.add({ treeId, source: store.owner, firstNodeId, lastNodeId, count: reused.length, at: Date.now() });
    });
  }

  /**
   * Appends a context below a root, reusing equal messages, and generates replies to its last message. Rejects if the
   * context is empty or unreadable, or if no reply was completed; `data.nodeIds` of that error lists the failed replies,
   * whose parent is the last appended message.
   */
  async generate(
    rootId: string,
    providerName: string,
    modelName: string,
    contextMessages: readonly unknown[],
    options?: LoomOptions | null,
    activeTools?: readonly string[] | null,
  ): Promise<GenerateResult> {
    const turn = await this.#begin(rootId, `${providerName}/${modelName}`, contextMessages, options, activeTools);
    return this.#result(await turn.first);
  }

  /** Like `generate`, but returns the events of the turn. Never throws: an error is the last event. */
  async *stream(
    rootId: string,
    providerName: string,
    modelName: string,
    contextMessages: readonly unknown[],
    options?: LoomOptions | null,
    activeTools?: readonly string[] | null,
  ): AsyncGenerator<TurnEvent, void, void> {
    let turn: Turn;
    try {
      turn = await this.#begin(rootId, `${providerName}/${modelName}`, contextMessages, options, activeTools);
    } catch (thrown) {
      yield { type: 'error', nodeIds: [], ...replyErrorFromThrown(thrown) };
      return;
    }
    yield* turn.events();
  }

  /** Returns the messages on the path to a node, and the configuration of its root. */
  getMessages(nodeId: string): Promise<{ root: RootConfig; messages: Message[] }> {
    return this.forest.getMessages(nodeId);
  }

  /** Edits a text like {@link Forest.editNodeContent}; a bookmark moves to the node with the end of the new text. */
  editNode(nodeId: string, newContent: string): Promise<ForestNode> {
    return this.forest.editNodeContent(nodeId, newContent, { moveBookmark: true });
  }

  /** Writes pending provenance rows. Does not close the store and the generator, which belong to the caller. */
  async close(): Promise<void> {
    this.#unhook();
    await this.#ledger.flush();
    await this.forest.close();
  }

  async #begin(
    rootId: string,
    model: string,
    contextMessages: readonly unknown[],
    options: LoomOptions | null | undefined,
    activeTools: readonly string[] | null | undefined,
  ): Promise<Turn> {
    const read = unwrapResult(normaliseMessages(contextMessages, { blank: 'keep' }));
    if (read.every(isBlank)) refuse('message/blank', 'The context is empty: add a message first.', {});
    const { treeId, nodeId } = await requireNodeLocation(this.#store, rootId);
    const { max_tokens: maxTokens, top_p: topP, ...wanted } = withoutNulls(options ?? {});
    const source = { type: 'user' };
    return this.#generator.generate(
      { type: 'send', treeId, parentId: nodeId, messages: read.map((message) => ({ message, meta: { source } })) },
      { ...wanted, models: [model], maxTokens, topP, tools: activeTools ?? [], select: false },
    );
  }

  async #result({ replies, next }: ReplyRound): Promise<GenerateResult> {
    const nodeIds = replies.map((reply) => reply.nodeId);
    const [failed] = replies;
    if (failed !== undefined && failed.error !== null && replies.every((reply) => reply.status !== 'success'))
      throw toGenerateError(failed.error, { nodeIds });
    const childNodes: NodeData[] = [];
    for (const id of nodeIds) childNodes.push(await this.#shown(id));
    if (next === undefined) return { childNodes };
    const following = next.then((round) => this.#result(round));
    // Prevents an unhandled rejection; the turn continues even if the caller ignores this promise.
    following.catch(() => undefined);
    return { childNodes, next: following };
  }

  async #shown(nodeId: NodeId): Promise<NodeData> {
    const node = await this.forest.getNode(nodeId);
    if (node === null || isRootData(node))
      return refuse('tree/unknown-node', `The message ${nodeId} no longer exists.`, { nodeId });
    return node;
  }
}

/**
 * Drops options that are null. Untyped callers pass null for an absent option, which would be converted to the number
 * 0.
 */
function withoutNulls(options: LoomOptions): LoomOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null));
}
