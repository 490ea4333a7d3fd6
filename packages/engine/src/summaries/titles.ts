/** Sets titles for trees and replies automatically, in the background after a turn. */
import { messageKit } from '@coppice/content';
import {
  ask,
  isAppError,
  type Message,
  type MessageKit,
  type Node,
  type NodeId,
  type RunContext,
  run,
  type Store,
  type TreeId,
} from '@coppice/core';
import type { EventBus } from '../events.ts';
import { newId } from '../new-id.ts';
import { systemClock } from '../providers/clock.ts';
import type { Clock } from '../providers/contract.ts';
import type { Model } from '../providers/index.ts';
import type { Summarizer } from './contract.ts';
import { createSummarizer } from './summarizer.ts';

/** The store whose trees and replies get titles, and how titles are written. */
export interface TitleGeneratorOptions {
  readonly store: Store;
  /** The events of the generator; a title is made after each of its turns. */
  readonly events: Pick<EventBus, 'after'>;
  /** Writes the titles; if undefined, a title is the first sentence. */
  readonly summarizer?: Summarizer | undefined;
  /** Finds the model of a reply, so that its title comes from the same provider. */
  readonly model?: ((id: string) => Model) | undefined;
  /** Whether trees are titled; by default true. */
  readonly trees?: boolean | undefined;
  /** Whether replies are titled; by default true. */
  readonly nodes?: boolean | undefined;
  /**
   * The most model calls for titles per minute. Beyond it, trees get their first sentence as title and replies none.
   */
  readonly perMinute?: number | undefined;
  readonly kit?: MessageKit | undefined;
  readonly clock?: Clock | undefined;
  readonly newId?: (() => string) | undefined;
  /** Called when a title could not be set; failures are reported nowhere else. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export interface TitleGenerator {
  /** Resolves when no title is being written or queued. */
  idle(): Promise<void>;
  /** Removes the hooks, cancels queued titles and waits for the running one. */
  close(): Promise<void>;
}

/** The actor of titles. It differs from the user, so that the user's undo does not revert titles. */
export const titleActor = 'coppice:titles';

// How many replies are queued. If more end at once, the oldest get no title.
const mostWaiting = 200;

interface TitleJob {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
}

/**
 * Sets titles after turns: once for a tree, after its first exchange and only if it has no title, and for the reply
 * that ended the turn. Turns do not wait for titles.
 */
export function createTitleGenerator(options: TitleGeneratorOptions): TitleGenerator {
  const clock = options.clock ?? systemClock;
  const services: TitleServices = {
    store: options.store,
    asked: options.summarizer ?? createSummarizer({ clock }),
    plain: createSummarizer({ clock }),
    model: options.model ?? null,
    trees: options.trees !== false,
    nodes: options.nodes !== false,
    mayAsk: createRateLimit(options.perMinute ?? 20, clock),
    quota: createQuota(),
    context: {
      actor: titleActor,
      now: () => clock.now(),
      newId: options.newId ?? (() => newId(clock.now())),
      kit: options.kit ?? messageKit,
    },
  };
  const over = new AbortController();
  const waiting: TitleJob[] = [];
  let working: Promise<void> | null = null;
  const report = (error: unknown) => {
    try {
      if (!over.signal.aborted) options.onError?.(error);
    } catch {
      // The error handler itself threw; the error cannot be reported anywhere else.
    }
  };
  const work = async () => {
    // One after the other, because titles must not slow down turns on the same machine.
    for (let job = waiting.shift(); job !== undefined && !over.signal.aborted; job = waiting.shift())
      await setTreeTitle(services, job, over.signal).catch((error: unknown) => {
        if (!isDeleted(error)) report(error);
      });
    working = null;
  };
  const unhook = options.events.after('generate', ({ treeId, nodeIds, failed }) => {
    for (const nodeId of nodeIds) if (!failed.includes(nodeId)) waiting.push({ treeId, nodeId });
    waiting.splice(0, Math.max(0, waiting.length - mostWaiting));
    working ??= Promise.resolve().then(work);
  });
  return {
    async idle() {
      while (working !== null) await working;
    },
    async close() {
      unhook();
      over.abort();
      while (working !== null) await working;
    },
  };
}

/** Returns whether the tree or node was deleted meanwhile, which is not an error. */
function isDeleted(error: unknown): boolean {
  return isAppError(error) && (error.kind === 'not-found' || error.code === 'tree/read-only');
}

interface TitleServices {
  readonly store: Store;
  readonly asked: Summarizer;
  readonly plain: Summarizer;
  readonly model: ((id: string) => Model) | null;
  readonly trees: boolean;
  readonly nodes: boolean;
  readonly mayAsk: () => boolean;
  readonly quota: TitleQuota;
  readonly context: RunContext;
}

/** Creates a function that returns true at most `perMinute` times per minute. */
function createRateLimit(perMinute: number, clock: Pick<Clock, 'now'>): () => boolean {
  const times: number[] = [];
  return () => {
    const now = clock.now();
    while (times[0] !== undefined && times[0] <= now - 60_000) times.shift();
    if (times.length >= perMinute) return false;
    times.push(now);
    return true;
  };
}

/** Limits how many titles of a tree a model writes: one for the first ten replies, and one for each further ten. */
interface TitleQuota {
  /** Counts a reply of a tree, so that every tenth one allows another title. */
  reply(treeId: TreeId): void;
  /** Uses one of the allowed calls; returns false if none is left. */
  take(treeId: TreeId): boolean;
}

const repliesPerCall = 10;
const mostTrees = 1_000;

function createQuota(): TitleQuota {
  const trees = new Map<TreeId, { replies: number; calls: number }>();
  return {
    reply(treeId) {
      const counted = trees.get(treeId) ?? { replies: 0, calls: 0 };
      counted.replies++;
      // The tree that was used longest ago is dropped first.
      trees.delete(treeId);
      trees.set(treeId, counted);
      const [oldest] = trees.keys();
      if (trees.size > mostTrees && oldest !== undefined) trees.delete(oldest);
    },
    take(treeId) {
      const counted = trees.get(treeId);
      if (counted === undefined || counted.calls >= Math.ceil(counted.replies / repliesPerCall)) return false;
      counted.calls++;
      return true;
    },
  };
}

async function setTreeTitle(services: TitleServices, { treeId, nodeId }: TitleJob, signal: AbortSignal): Promise<void> {
  const { store, context } = services;
  const found = await store.read(treeId, function* () {
    const row = yield* ask('tree', {});
    const node = row === null ? null : yield* ask('node', { id: nodeId });
    if (row === null || node === null || row.attributes.trashedAt !== undefined) return null;
    const { title, autoTitle } = row.attributes;
    const needsTree = services.trees && title === undefined && autoTitle === undefined;
    const needsNode = services.nodes && node.meta.title === undefined && node.meta.autoTitle === undefined;
    const first = needsTree ? (yield* ask('path', { to: nodeId })).nodes : [];
    const last = needsNode ? (yield* ask('path', { to: nodeId, limit: 12 })).nodes : [];
    const reply = lastExchange(last);
    const parents = reply.flatMap(({ parentId }) => parentId ?? []);
    const children = yield* ask('childIds', { of: parents });
    const startsBranch = children.some((ids) => ids.length > 1);
    return { node, startsBranch, tree: needsTree ? startOfTree(first) : null, reply: needsNode ? reply : null };
  });
  services.quota.reply(treeId);
  if (found === null) return;
  const near = modelForTitle(services, found.node);
  const find = async (nodes: readonly Node[], isWorthACall: boolean) => {
    const messages = nodes.flatMap((node) => node.message ?? []);
    const asks = isWorthACall && services.quota.take(treeId) && services.mayAsk();
    return (asks ? services.asked : services.plain).title({ messages, near, signal });
  };
  const name = found.tree === null ? null : await find(found.tree, true);
  if (name !== null) await commitTreeTitle(services, treeId, nodeId, name.text);
  if (found.reply === null) return;
  // The title of the first exchange is also the title of its reply.
  const isFirst = name !== null && found.tree?.at(-1)?.id === nodeId;
  // Only a reply that starts a branch gets a title; other replies are listed by their text.
  const title = isFirst ? name : await find(found.reply, found.startsBranch);
  if (title === null) return;
  // An extracted title repeats the question, which the outline shows directly above the reply.
  if (title.source['type'] === 'extract' && found.node.text.trim() !== '') return;
  await run(store, { type: 'title', treeId, nodeId, title: title.text, auto: true }, context);
}

/** Sets the title of a tree, unless the user has set one or undone the turn meanwhile. */
async function commitTreeTitle(
  { store, context }: TitleServices,
  treeId: TreeId,
  nodeId: NodeId,
  autoTitle: string,
): Promise<void> {
  const isOpen = await store.read(treeId, function* () {
    const row = yield* ask('tree', {});
    if (row === null || (yield* ask('head', { id: nodeId })) === null) return false;
    return row.attributes.title === undefined && row.attributes.autoTitle === undefined;
  });
  if (isOpen) await run(store, { type: 'attributes', treeId, set: { autoTitle } }, context);
}

function firstMessages(nodes: readonly Node[], role: Message['role']): Node | undefined {
  return nodes.find((node) => node.kind === 'message' && node.role === role && node.text.trim() !== '');
}

/** Returns the first question and the first reply. */
function startOfTree(path: readonly Node[]): readonly Node[] {
  return [firstMessages(path, 'user'), firstMessages(path, 'assistant')].filter((node) => node !== undefined);
}

/** Returns the last question and the reply to it. */
function lastExchange(path: readonly Node[]): readonly Node[] {
  return [firstMessages(path.slice(0, -1).toReversed(), 'user'), path.at(-1)].filter((node) => node !== undefined);
}

function modelForTitle({ model }: TitleServices, { meta }: Node): Model | null {
  const { type, provider, model_name: name } = meta.source ?? {};
  if (model === null || type !== 'model') return null;
  try {
    return model(`${String(provider)}/${String(name)}`);
  } catch {
    return null;
  }
}
