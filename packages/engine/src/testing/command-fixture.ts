/** A store with a tree, and the commands, for tests of commands. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import {
  ask,
  type Node,
  type NodeId,
  nodeId,
  type Role,
  type RunContext,
  readPath,
  run,
  type Store,
  type TreeId,
  textMessage,
  textOf,
  treeId,
} from '@coppice/core';
import { openStore } from '@coppice/stores';
import type { BranchSummaryRequest, CommandContext, CommandResult } from '../commands/contract.ts';
import { type CommandCall, type Commands, type CommandsOptions, createCommands } from '../commands/registry.ts';
import { newId } from '../new-id.ts';

/** The stores that commands are tested on. */
export const commandFixtureStoreKinds = ['memory', 'sqlite'] as const;

/** The objects and functions that tests of commands use. */
export interface CommandFixture {
  readonly store: Store;
  readonly treeId: TreeId;
  readonly rootId: NodeId;
  readonly commands: Commands;
  readonly context: RunContext;
  /** The requests for summaries so far, in order. */
  readonly summed: readonly BranchSummaryRequest[];
  /**
   * Appends texts as a chain of user and assistant messages in turn, by default below the active node; returns their
   * ids.
   */
  say(texts: readonly string[], below?: NodeId, first?: Role): Promise<NodeId[]>;
  /**
   * Runs a line at the tree's active node unless `more` sets another position. The next line can refer to its list by
   * number.
   */
  run(what: string | CommandCall, more?: Partial<CommandContext>): Promise<CommandResult>;
  /** Returns the error code of a line that fails, or the output of one that succeeds. */
  refusal(what: string | CommandCall, more?: Partial<CommandContext>): Promise<string>;
  node(id: NodeId | null | undefined): Promise<Node>;
  active(): Promise<NodeId | null>;
  /** Returns the texts on the path to a node, by default the active one. */
  thread(to?: NodeId | null): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Opens a fixture on a kind of store. Its summaries consist of the texts of the branch. */
export async function openCommandFixture(
  kind: (typeof commandFixtureStoreKinds)[number],
  options: CommandsOptions & { readonly systemPrompt?: string } = {},
): Promise<CommandFixture> {
  const { systemPrompt, ...parts } = options;
  const place = mkdtempSync(join(tmpdir(), 'coppice-desk-'));
  const store = await openStore(kind === 'memory' ? 'memory:' : `sqlite:${join(place, 'trees.db')}`);
  let last = 0;
  // Every call returns a later time, so that lists sorted by time do not depend on the speed of the machine.
  const now = () => {
    last = Math.max(last + 1, Date.now());
    return last;
  };
  const context: RunContext = { actor: store.owner, now, newId: () => newId(), kit: messageKit };
  const id = treeId(newId());
  await run(
    store,
    { type: 'create', treeId: id, attributes: systemPrompt === undefined ? {} : { systemPrompt } },
    context,
  );
  const rootId = (await store.read(id, () => ask('tree', {})))?.rootId ?? nodeId('');
  const summed: BranchSummaryRequest[] = [];
  const textsOf = async (to: NodeId) => {
    const nodes = await store.read(id, () => readPath({ to }));
    return nodes.map((node) => ({ id: node.id, text: node.message === null ? '' : textOf(node.message) }));
  };
  const commands = createCommands({
    now,
    summarize: async (request) => {
      summed.push(request);
      const nodes = await textsOf(request.leaf);
      const from = nodes.findIndex((node) => node.id === request.above) + 1;
      const text = `Sum of ${nodes
        .slice(from)
        .map((node) => node.text)
        .join(', ')}`;
      return { text, meta: { source: { type: 'extract' } } };
    },
    ...parts,
  });
  let list: readonly NodeId[] | undefined;
  const fixture: CommandFixture = {
    store,
    treeId: id,
    rootId,
    commands,
    context,
    summed,
    async say(texts, below, first = 'user') {
      const second = first === 'user' ? 'assistant' : 'user';
      const messages = texts.map((text, index) => ({ message: textMessage(index % 2 === 0 ? first : second, text) }));
      const parent = below === undefined ? {} : { parentId: below };
      return [...(await run(store, { type: 'append', treeId: id, messages, ...parent }, context)).result.added];
    },
    async run(what, more = {}) {
      const result = await commands.run(what, { store, treeId: id, list, ...more });
      list = result.list ?? list;
      return result;
    },
    refusal: (what, more) =>
      fixture.run(what, more).then(
        (result) => result.said,
        (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : String(error)),
      ),
    async node(wanted) {
      const node =
        wanted === null || wanted === undefined ? null : await store.read(id, () => ask('node', { id: wanted }));
      if (node === null) throw new Error(`There is no message ${wanted}.`);
      return node;
    },
    active: async () => (await store.read(id, () => ask('tree', {})))?.activeNodeId ?? null,
    async thread(to) {
      const end = to === undefined ? await fixture.active() : to;
      return end === null ? [] : (await textsOf(end)).map((node) => node.text);
    },
    async close() {
      await store.close();
      rmSync(place, { recursive: true });
    },
  };
  return fixture;
}
