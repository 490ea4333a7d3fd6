/** Titles that nobody has to think of: for trees and for replies, in the background, after a turn. */
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
import type { Events } from '../events.ts';
import { newId } from '../new-id.ts';
import { systemClock } from '../providers/clock.ts';
import type { Clock } from '../providers/contract.ts';
import type { Model } from '../providers/index.ts';
import type { Summarizer } from './contract.ts';
import { createSummarizer } from './summarizer.ts';

/** What titles are made with. */
export interface TitlesOptions {
  readonly store: Store;
  /** Those of the generator whose turns are followed. */
  readonly events: Pick<Events, 'after'>;
  /** Who finds titles; without one they are the first sentence. */
  readonly summarizer?: Summarizer | undefined;
  /** Finds the model that a reply was written with, so that its title comes from the same provider. */
  readonly model?: ((id: string) => Model) | undefined;
  /** Whether trees are titled; true if not given. */
  readonly trees?: boolean | undefined;
  /** Whether replies are titled; true if not given. */
  readonly nodes?: boolean | undefined;
  /** The most titles in a minute that a model is asked for; other trees get their first sentence, other replies none. */
  readonly perMinute?: number | undefined;
  readonly kit?: MessageKit | undefined;
  readonly clock?: Clock | undefined;
  readonly newId?: (() => string) | undefined;
  /** Told of what went wrong; nobody else hears of it. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Titles on their way. */
export interface TitleGenerator {
  /** Resolves when nothing is on its way. */
  idle(): Promise<void>;
  /** Follows no more turns, stops what is on its way, and resolves when that is through. */
  close(): Promise<void>;
}

/** Who gives titles. A name of its own, so that a user's undo takes back what the user did and not the title of it. */
export const titleActor = 'coppice:titles';

// A burst of turns leaves its newest titles; the others are left for their next turn.
const mostWaiting = 200;

interface TitleJob {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
}

/**
 * Gives titles after turns: to a tree after its first exchange, once and never beside a title that it has, and to the
 * reply that a turn ended with. No turn waits for it.
 */
export function createTitles(options: TitlesOptions): TitleGenerator {
  const clock = options.clock ?? systemClock;
  const services: TitleServices = {
    store: options.store,
    asked: options.summarizer ?? createSummarizer({ clock }),
    plain: createSummarizer({ clock }),
    model: options.model ?? null,
    trees: options.trees !== false,
    nodes: options.nodes !== false,
    mayAsk: pace(options.perMinute ?? 20, clock),
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
      // Who is told of failures has failed; there is nobody left to tell.
    }
  };
  const work = async () => {
    // One after the other: titles are never in a hurry, and the turns of the same machine are.
    for (let job = waiting.shift(); job !== undefined && !over.signal.aborted; job = waiting.shift())
      await setTreeTitle(services, job, over.signal).catch((error: unknown) => {
        if (!isTreeGone(error)) report(error);
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

/** Whether what was to be named was taken away meanwhile, which is nobody's fault. */
function isTreeGone(error: unknown): boolean {
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
  readonly context: RunContext;
}

/** Says yes so many times in any minute. */
function pace(perMinute: number, clock: Pick<Clock, 'now'>): () => boolean {
  const times: number[] = [];
  return () => {
    const now = clock.now();
    while (times[0] !== undefined && times[0] <= now - 60_000) times.shift();
    if (times.length >= perMinute) return false;
    times.push(now);
    return true;
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
    return { node, tree: needsTree ? startOfTree(first) : null, reply: needsNode ? exchange(last) : null };
  });
  if (found === null) return;
  const near = modelForTitle(services, found.node);
  const find = async (nodes: readonly Node[]) => {
    const messages = nodes.flatMap((node) => node.message ?? []);
    return (services.mayAsk() ? services.asked : services.plain).title({ messages, near, signal });
  };
  const name = found.tree === null ? null : await find(found.tree);
  if (name !== null) await nameTree(services, treeId, nodeId, name.text);
  if (found.reply === null) return;
  // The title of a conversation's first exchange is that of its first reply as well.
  const isFirst = name !== null && found.tree?.at(-1)?.id === nodeId;
  const title = isFirst ? name : await find(found.reply);
  if (title === null) return;
  // Words of the question would hide those of the reply in every outline, right below the question itself.
  if (title.source['type'] === 'extract' && found.node.text.trim() !== '') return;
  await run(store, { type: 'title', treeId, nodeId, title: title.text, auto: true }, context);
}

/** The user may have named the tree, or taken back what it was to be named after, while we looked for a name. */
async function nameTree(
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

/** The first question and the first answer. */
function startOfTree(path: readonly Node[]): readonly Node[] {
  return [firstMessages(path, 'user'), firstMessages(path, 'assistant')].filter((node) => node !== undefined);
}

/** The last question and what the reply says. */
function exchange(path: readonly Node[]): readonly Node[] {
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
