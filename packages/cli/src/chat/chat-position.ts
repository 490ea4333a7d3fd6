/** The position of a chat in the store: its tree and its current node. */
import {
  type Node,
  type NodeId,
  type ReadProgram,
  readTree,
  run,
  type TreeId,
  type TreeRow,
  textMessage,
  treeId,
} from '@coppice/core';
import { type BranchModel, readBranchModel } from '@coppice/engine';
import type { ChatEngine } from '../chat-engine.ts';
import { type ChatState, readChatView } from './chat-state.ts';

function* readChat(id: TreeId): ReadProgram<{ readonly row: TreeRow; readonly model: BranchModel | null }> {
  const row = yield* readTree(id);
  return { row, model: yield* readBranchModel(id, row.activeNodeId) };
}

/** The attributes of the tree that the first message creates. */
export interface NewChatAttributes {
  readonly systemPrompt?: string | undefined;
  readonly title?: string | undefined;
}

/** The position of a chat in the store: its tree, its active branch and the last printed list. */
export class ChatPosition {
  readonly #cliEngine: Pick<ChatEngine, 'store' | 'context'>;
  row: TreeRow | null = null;
  /** The node that the view ends at; null before the first message. */
  here: NodeId | null = null;
  /** The nodes of the last printed list. Commands refer to them by number. */
  list: readonly NodeId[] = [];
  /** The messages that existed when the chat was opened. */
  #known: ReadonlySet<NodeId> = new Set();

  constructor(cliEngine: Pick<ChatEngine, 'store' | 'context'>) {
    this.#cliEngine = cliEngine;
  }

  get treeId(): TreeId | null {
    return this.row?.id ?? null;
  }

  /** Moves to the active node of another chat and returns the model of its branch. Null starts a new chat. */
  async open(id: TreeId | null): Promise<string | null> {
    const { store } = this.#cliEngine;
    const chosen = id === null ? null : await store.read(id, () => readChat(id));
    this.row = chosen?.row ?? null;
    this.here = chosen?.row.activeNodeId ?? null;
    this.list = [];
    this.#known = new Set();
    return chosen?.model?.model ?? null;
  }

  /** Moves to the tree and node of a command's result. A list belongs to one tree, so another tree clears it. */
  async move(id: TreeId, here: NodeId | null): Promise<void> {
    if (id !== this.treeId) this.list = [];
    this.here = here;
    this.row = await this.#cliEngine.store.read(id, () => readTree(id));
  }

  /** Marks the shown messages as old, so that only later ones count as added. */
  remember(nodes: readonly Node[]): void {
    this.#known = new Set(nodes.map((node) => node.id));
  }

  /** Returns those of the given messages that were added since the chat was opened. */
  addedOf(nodes: readonly Node[]): readonly Node[] {
    return nodes.filter((node) => !this.#known.has(node.id));
  }

  /**
   * Returns the tree and creates it if needed. Creating it with the first message leaves no empty tree of an unused
   * chat.
   */
  async ensureTree({ systemPrompt, title }: NewChatAttributes): Promise<TreeRow> {
    if (this.row !== null) return this.row;
    const { store, context } = this.#cliEngine;
    const id = treeId(context().newId());
    const attributes = {
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(title === undefined ? {} : { title }),
    };
    await run(store, { type: 'create', treeId: id, attributes }, context());
    this.row = await store.read(id, () => readTree(id));
    return this.row;
  }

  /** Removes a new tree without messages, for example after `/help` or a refused message. */
  async forgetUntouched({ id, version }: TreeRow): Promise<void> {
    if (this.row?.id === id && this.row.version !== version) return;
    const { store, context } = this.#cliEngine;
    await run(store, { type: 'delete-tree', treeId: id }, context());
    await store.purgeTree(id);
    if (this.row?.id !== id) return;
    this.row = null;
    this.here = null;
  }

  /** Adds a message of the user below the position and moves to it. */
  async append(text: string, chat: NewChatAttributes): Promise<void> {
    const row = await this.ensureTree(chat);
    const parentId = this.here ?? row.rootId;
    const messages = [{ message: textMessage('user', text) }];
    const { store, context } = this.#cliEngine;
    const { result } = await run(store, { type: 'append', treeId: row.id, parentId, messages }, context());
    this.here = result.nodeId;
  }

  /** Moves to the previous or next variant of a node, and from there to its last visited leaf. */
  async navigate(id: TreeId, nodeId: NodeId, direction: 'next' | 'previous'): Promise<void> {
    const { store, context } = this.#cliEngine;
    const { result } = await run(store, { type: 'navigate', treeId: id, nodeId, direction }, context());
    this.here = result.nodeId;
  }

  /** Returns the model of the branch; null if the branch names none. */
  async branchModel(): Promise<string | null> {
    const [id, here] = [this.treeId, this.here];
    if (id === null) return null;
    return (await this.#cliEngine.store.read(id, () => readBranchModel(id, here)))?.model ?? null;
  }

  /** Reads the thread for display; null if no tree exists yet. */
  async view(): Promise<Partial<ChatState> | null> {
    const id = this.treeId;
    if (id === null) return null;
    const seen = await readChatView(this.#cliEngine.store, id, this.here);
    this.row = seen.row;
    return seen.shown;
  }
}
