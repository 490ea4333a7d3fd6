/** A store, a scripted model and a tree, for tests of turns. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import {
  ask,
  type Node,
  type NodeId,
  nodeId,
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
import { parseConfig } from '../config/load.ts';
import type { GenerateOptions, Turn, TurnEvent } from '../generate/contract.ts';
import { createTurnGenerator, type TurnGenerator, type TurnGeneratorOptions } from '../generate/index.ts';
import type { HttpLimits } from '../http/contract.ts';
import { newId } from '../new-id.ts';
import { createProviders, type ModelProviders } from '../providers/index.ts';
import { createScriptedProvider, type ScriptedOptions, type ScriptedProvider, type ScriptedReply } from './scripted.ts';

/** The options of the generator, and of the scripted providers. */
export type TurnFixtureOptions = Omit<TurnGeneratorOptions, 'store' | 'providers'> & {
  readonly systemPrompt?: string;
  readonly provider?: ScriptedOptions;
  /** A second scripted provider, named `other`. */
  readonly other?: readonly ScriptedReply[];
  /** Lines of the configuration file. */
  readonly config?: string;
  /** The environment variables of the configuration; by default none. */
  readonly env?: Readonly<Record<string, string>>;
  readonly httpLimits?: Partial<HttpLimits>;
};

/** The objects and functions that tests of turns use. */
export interface TurnFixture {
  readonly store: Store;
  readonly generator: TurnGenerator;
  readonly provider: ScriptedProvider;
  readonly other: ScriptedProvider;
  readonly providers: ModelProviders;
  readonly treeId: TreeId;
  readonly rootId: NodeId;
  readonly context: RunContext;
  /** The store's URL, to open it a second time. */
  readonly url: string;
  /** Opens another generator on the same store, as a second process would. */
  beside(
    options?: Partial<TurnGeneratorOptions>,
  ): Promise<{ readonly store: Store; readonly generator: TurnGenerator }>;
  send(text: string, options?: Partial<GenerateOptions>): Turn;
  node(id: NodeId | undefined): Promise<Node>;
  /** Returns `role: text` for every node on the path to a node, by default the active one. */
  thread(to?: NodeId): Promise<readonly string[]>;
  children(of: NodeId): Promise<readonly Node[]>;
  close(): Promise<void>;
}

/** Opens a fixture on a kind of store, with scripted replies. */
export async function openTurnFixture(
  kind: 'memory' | 'sqlite',
  replies: readonly ScriptedReply[],
  options: TurnFixtureOptions = {},
): Promise<TurnFixture> {
  const {
    systemPrompt,
    provider: spec,
    other: otherReplies = [],
    config: lines = '',
    env = {},
    httpLimits = {},
    ...rest
  } = options;
  const place = mkdtempSync(join(tmpdir(), 'coppice-turn-'));
  const url = kind === 'memory' ? 'memory:' : `sqlite:${join(place, 'trees.db')}`;
  const store = await openStore(url);
  const provider = createScriptedProvider(replies, spec);
  const other = createScriptedProvider(otherReplies, { name: 'other', label: 'Other' });
  const config = { ...parseConfig({ name: 'test.toml', text: lines }, env), limits: httpLimits };
  const providers = createProviders({ config, extra: [provider, other] });
  const limits = { flushMs: 5, followMs: 5, heartbeatMs: 20, lookMs: 10, ...rest.limits };
  const generator = createTurnGenerator({ ...rest, store, providers, limits });
  const context: RunContext = { actor: 'me', now: Date.now, newId: () => newId(), kit: messageKit };
  const id = treeId(newId());
  const attributes = systemPrompt === undefined ? {} : { systemPrompt };
  await run(store, { type: 'create', treeId: id, attributes }, context);
  const row = await store.read(id, () => ask('tree', {}));
  const opened: { store: Store; generator: TurnGenerator }[] = [];
  const fixture: TurnFixture = {
    store,
    generator,
    provider,
    other,
    providers,
    treeId: id,
    rootId: row?.rootId ?? nodeId(''),
    context,
    url,
    async beside(more = {}) {
      const second = kind === 'memory' ? store : await openStore(url);
      const one = {
        store: second,
        generator: createTurnGenerator({ ...rest, providers, limits, ...more, store: second }),
      };
      opened.push(one);
      return one;
    },
    send: (text, more = {}) =>
      generator.generate(
        { type: 'send', treeId: id, messages: [{ message: textMessage('user', text) }] },
        { models: ['scripted/one'], ...more },
      ),
    async node(wanted) {
      const node = await store.read(id, () => ask('node', { id: wanted ?? nodeId('') }));
      if (node === null) throw new Error(`There is no message ${wanted}.`);
      return node;
    },
    async thread(to) {
      const end = to ?? (await store.read(id, () => ask('tree', {})))?.activeNodeId;
      if (end === null || end === undefined) return [];
      const nodes = await store.read(id, () => readPath({ to: end }));
      return nodes.map((node) => `${node.role}: ${node.message === null ? '' : textOf(node.message)}`);
    },
    async children(of) {
      const heads = await store.read(id, () => ask('children', { of }));
      return Promise.all(heads.map((head) => fixture.node(head.id)));
    },
    async close() {
      for (const one of opened) {
        await one.generator.close();
        if (one.store !== store) await one.store.close();
      }
      await generator.close();
      await store.close();
      rmSync(place, { recursive: true });
    },
  };
  return fixture;
}

/** Collects all events of a turn until it ends. */
export async function collectEvents(turn: Turn, from?: number): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  for await (const event of turn.events(from)) events.push(event);
  return events;
}

/** Polls until a condition holds. If it never does, the test's time limit ends the wait. */
export async function waitUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 2));
}
