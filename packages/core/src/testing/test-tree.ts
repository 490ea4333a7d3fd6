import { isAppError } from '../errors.ts';
import { type NodeId, nodeId, type TreeId, treeId } from '../ids.ts';
import { type Message, textMessage } from '../message.ts';
import type { Node } from '../node.ts';
import { path } from '../path.ts';
import type { CommandInput } from '../plan/command-input.ts';
import type { ResultOf } from '../plan/index.ts';
import { type RunContext, run } from '../run.ts';
import type { CommandOutcome, TreeStore } from '../store.ts';
import { childIds, findNode, type Tree } from '../tree.ts';
import { testKit } from './kit.ts';
import { ReferenceStore } from './reference-store.ts';

/** Builds a UUID from a number, so that tests use the same ids in each run. */
export function testUuid(n: number): string {
  return `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
}

/** Creates a clock that advances by one millisecond on each call, and a generator of consecutive ids. */
export function createTestClock(start = 1): { readonly now: () => number; readonly newId: () => string } {
  let time = start * 1000;
  let id = start * 1_000_000;
  return { now: () => ++time, newId: () => testUuid(++id) };
}

/** Builds a user message with one text block. */
export function user(text: string): Message {
  return textMessage('user', text);
}

/** Builds an assistant message with one text block. */
export function assistant(text: string): Message {
  return textMessage('assistant', text);
}

/** Builds an assistant message with a tool call, after a text if one is given. */
export function toolCallMessage(
  id: string,
  name: string,
  parameters: Readonly<Record<string, string>> = {},
  text?: string,
): Message {
  const call = { type: 'tool-use', id, name, parameters };
  return {
    role: 'assistant',
    content: text === undefined ? [call] : [{ type: 'text', text } as Message['content'][number], call],
  };
}

/** Builds a tool message that answers a call. */
export function toolResultMessage(callId: string, text: string): Message {
  return { ...textMessage('tool', text), tool_call_id: callId };
}

/** A tree under test: a store, a clock, ids, and shorthands for frequent actions. */
export class TestTree {
  readonly store: TreeStore;
  readonly reference: ReferenceStore | null;
  readonly treeId: TreeId;
  readonly #env: { readonly now: () => number; readonly newId: () => string };

  constructor(store: TreeStore = new ReferenceStore(), id: TreeId = treeId(testUuid(1))) {
    // The ids depend on the tree, so that two trees in one store generate different ids.
    this.#env = createTestClock(Number.parseInt(id.slice(-6), 16) || 1);
    this.store = store;
    this.reference = store instanceof ReferenceStore ? store : null;
    this.treeId = id;
  }

  /** Creates a fixture with an empty tree. */
  static async make(
    options: { readonly store?: TreeStore; readonly systemPrompt?: string; readonly treeId?: TreeId } = {},
  ): Promise<TestTree> {
    const fixture = new TestTree(options.store, options.treeId);
    const attributes = options.systemPrompt === undefined ? {} : { systemPrompt: options.systemPrompt };
    await fixture.run({ type: 'create', treeId: fixture.treeId, attributes });
    return fixture;
  }

  /** Runs a command; the actor is `me` unless the context names another. */
  run<C extends CommandInput>(
    command: C,
    context: Partial<RunContext> = {},
  ): Promise<CommandOutcome<ResultOf<C['type']>>> {
    return run(this.store, command, { actor: 'me', kit: testKit, ...this.#env, ...context });
  }

  /** Returns the error code of a refused command; throws if the command is not refused. */
  async refusal(command: CommandInput, context: Partial<RunContext> = {}): Promise<string> {
    try {
      await this.run(command, context);
    } catch (error) {
      if (isAppError(error)) return error.code;
      throw error;
    }
    throw new Error(`The command ${command.type} was not refused.`);
  }

  /** The tree value; available only with the reference store. */
  get tree(): Tree {
    const tree = this.reference?.tree(this.treeId);
    if (tree === undefined) throw new Error('The fixture has no tree, or does not use the reference store.');
    return tree;
  }

  get rootId(): NodeId {
    return this.tree.rootId;
  }

  get active(): NodeId | null {
    return this.tree.activeNodeId;
  }

  node(id: string): Node {
    const node = findNode(this.tree, id);
    if (node === undefined) throw new Error(`There is no message ${id}.`);
    return node;
  }

  /** Adds messages below a node (by default the active node) and returns the ids of the new or reused nodes. */
  async addMessages(messages: readonly (Message | string)[], parentId?: NodeId): Promise<NodeId[]> {
    const said = messages.map((one, index) =>
      typeof one === 'string' ? (index % 2 === 0 ? user(one) : assistant(one)) : one,
    );
    const { result: appended } = await this.run({
      type: 'append',
      treeId: this.treeId,
      messages: said.map((message) => ({ message })),
      ...(parentId === undefined ? {} : { parentId }),
    });
    return [...appended.reused, ...appended.added];
  }

  /** Adds one message as a new variant, even if an equal variant exists. */
  async variant(message: Message, parentId: NodeId): Promise<NodeId> {
    const { result: replied } = await this.run({
      type: 'reply',
      treeId: this.treeId,
      parentId,
      replies: [{ message }],
    });
    return replied.added[0] ?? nodeId('');
  }

  /** Returns the texts of a node's children in order. */
  texts(of: NodeId = this.rootId): string[] {
    return childIds(this.tree, of).map((id) => this.node(id).text);
  }

  /** Returns the texts from the first message down to a node; empty for null. */
  thread(to: NodeId | null = this.active): string[] {
    if (to === null) return [];
    const found = path(this.tree, { to });
    return found.ok ? found.value.map((node) => node.text) : [];
  }

  /** Draws the tree as indented lines with a star at the active node, to compare shapes. */
  drawing(): string[] {
    const lines: string[] = [];
    const open: { readonly id: NodeId; readonly depth: number }[] = [{ id: this.rootId, depth: -1 }];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const { depth } = at;
      if (depth >= 0) lines.push(`${'  '.repeat(depth)}${this.node(at.id).text}${at.id === this.active ? ' *' : ''}`);
      for (const id of childIds(this.tree, at.id).reverse()) open.push({ id, depth: depth + 1 });
    }
    return lines;
  }
}
