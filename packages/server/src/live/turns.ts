/** The turns of this process: starts them, and gives any number of readers their events. */
import {
  type ActId,
  AppError,
  ask,
  type NodeId,
  refuse,
  type SharedRecords,
  type Store,
  type TreeId,
} from '@coppice/core';
import type { Engine, GenerateOptions, Turn, TurnApprove, TurnEvent, TurnStart } from '@coppice/engine';
import { unrefTimer } from '#platform/system';
import type { Quotas, ServerLimits } from '../contract.ts';
import { throwHttpError } from '../http-errors.ts';
import { ignoreMissingTemporaryTrees } from '../ignore-missing-temporary-trees.ts';
import type { OwnerServices } from '../services.ts';
import type { SharedSlots } from './shared-slots.ts';

/** A reply that a turn has added to the tree. */
export interface StartedReply {
  readonly nodeId: NodeId;
  readonly parentId: NodeId;
  readonly runId: string | null;
}

/** A turn of this process, with its owner and store. The turn itself buffers its events. */
export class LiveTurn {
  readonly owner: string;
  readonly store: Store;
  readonly turn: Turn;
  over = false;

  constructor(owner: string, store: Store, turn: Turn) {
    this.owner = owner;
    this.store = store;
    this.turn = turn;
  }

  get actId(): ActId {
    return this.turn.actId;
  }

  get treeId(): TreeId {
    return this.turn.treeId;
  }

  /** Yields the events from an index on, including future events, until the turn ends or the signal aborts. */
  async *read(from: number, signal: AbortSignal): AsyncGenerator<readonly [number, TurnEvent], void, void> {
    const events = this.turn.events(from)[Symbol.asyncIterator]();
    const leave = () => void events.return?.();
    signal.addEventListener('abort', leave, { once: true });
    try {
      for (let index = from; !signal.aborted; index++) {
        const next = await events.next();
        if (next.done === true) return;
        yield [index, next.value];
      }
    } finally {
      signal.removeEventListener('abort', leave);
      leave();
    }
  }
}

interface LiveTurnsOptions {
  readonly quotasOf: (owner: string) => Quotas;
  readonly limits: Pick<ServerLimits, 'keepTurnMs'>;
  readonly slots: SharedSlots;
  readonly records: SharedRecords;
}

// A tool that a user allowed for all further calls needs approval again after this time.
const rememberMs = 24 * 60 * 60_000;

function rememberedTools(owner: string): string {
  return `allowed tools ${owner}`;
}

/**
 * The running turns of this process. Finished turns are kept for a limited time, so that late readers can read them.
 */
export class LiveTurns {
  readonly #byAct = new Map<ActId, LiveTurn>();
  readonly #options: LiveTurnsOptions;
  readonly #listeners = new Set<(live: LiveTurn) => void>();

  constructor(options: LiveTurnsOptions) {
    this.#options = options;
  }

  get running(): number {
    let count = 0;
    for (const live of this.#byAct.values()) if (!live.over) count++;
    return count;
  }

  /** Calls the listener with every new turn. */
  onBegin(listener: (live: LiveTurn) => void): void {
    this.#listeners.add(listener);
  }

  /** Yields the running turns in a tree. */
  *inTree(store: Store, treeId: TreeId): Generator<LiveTurn, void, void> {
    for (const live of this.#byAct.values())
      if (!live.over && live.store === store && live.treeId === treeId) yield live;
  }

  /** Whether this process runs or remembers a turn of an owner. */
  has(owner: string): boolean {
    for (const live of this.#byAct.values()) if (live.owner === owner) return true;
    return false;
  }

  /** Whether a turn of this process is running for an act. */
  isLocal(actId: ActId): boolean {
    return this.#byAct.get(actId)?.over === false;
  }

  /** Stops the turn of an act and waits for its end. Returns false if the turn does not run in this process. */
  async stop(actId: ActId): Promise<boolean> {
    const live = this.#byAct.get(actId);
    if (live === undefined || live.over) return false;
    live.turn.abort();
    await live.turn.done;
    return true;
  }

  /** Returns the turn of an act; null if this process has none, or if it belongs to another owner. */
  find(owner: string, actId: ActId): LiveTurn | null {
    const live = this.#byAct.get(actId);
    return live?.owner === owner ? live : null;
  }

  /**
   * Starts a turn, or returns the turn that the same request started before. Rejects if the user has too many turns on
   * all servers.
   */
  async begin(
    ownerServices: OwnerServices,
    store: Store,
    start: TurnStart,
    options: GenerateOptions,
  ): Promise<LiveTurn> {
    const { quotasOf, slots } = this.#options;
    const { generations: most } = quotasOf(ownerServices.owner);
    const release =
      (await slots.take(`turns ${ownerServices.owner}`, most)) ??
      throwHttpError(
        'http/too-many',
        `You have ${most} replies in progress, and no more are allowed. Wait until one has finished.`,
      );
    try {
      const live = this.#start(ownerServices, store, start, options);
      void live.turn.done.then(release);
      return live;
    } catch (thrown) {
      release();
      throw thrown;
    }
  }

  #start(ownerServices: OwnerServices, store: Store, start: TurnStart, options: GenerateOptions): LiveTurn {
    // The operator's rules were applied before; the remaining calls need the decision of a user.
    const approve: TurnApprove = async ({ name, hash }) => {
      const remembered = await this.#options.records.find(rememberedTools(ownerServices.owner), name).catch(() => null);
      return remembered === null ? 'ask' : { approved: true, hash };
    };
    const turn = ownerServices.engineOf(store).generator.generate(start, { ...options, approve });
    const known = this.#byAct.get(turn.actId);
    if (known !== undefined) return known;
    const live = new LiveTurn(ownerServices.owner, store, turn);
    this.#byAct.set(turn.actId, live);
    void turn.done.then(() => this.#end(live));
    for (const listener of this.#listeners) listener(live);
    return live;
  }

  /**
   * Approves or refuses a tool call of a turn on any server. With `remember`, further calls of the tool are allowed
   * without asking, on all servers for a day. Throws if the call does not wait for a decision.
   */
  async decide(
    ownerServices: OwnerServices,
    decision: { readonly actId: ActId; readonly callId: string; readonly approved: boolean },
    remember: boolean,
  ): Promise<void> {
    const { actId, callId, approved } = decision;
    const local = this.find(ownerServices.owner, actId)?.store;
    const tool =
      local === undefined
        ? await findInStores(ownerServices, (generator) => generator.decide(decision))
        : await ownerServices.engineOf(local).generator.decide(decision);
    if (tool === null) refuse('tree/unknown-node', `No call ${callId} of this turn waits for an approval.`, { callId });
    else if (approved && remember)
      await this.#options.records.put(rememberedTools(ownerServices.owner), tool, {}, { keepMs: rememberMs });
  }

  /**
   * Returns the events of a turn on any server from an index on; null if no server runs the turn or has just finished
   * it.
   */
  async events(
    ownerServices: OwnerServices,
    actId: ActId,
    from: number,
    signal: AbortSignal,
  ): Promise<AsyncIterable<readonly [number, TurnEvent]> | null> {
    const live = this.find(ownerServices.owner, actId);
    if (live !== null) return live.read(from, signal);
    return findInStores(ownerServices, (generator) => generator.followTurn(actId, from, signal));
  }

  /**
   * Stops a turn on any server, and waits for its end. Returns false if the turn has already ended, or if this owner
   * has no such turn.
   */
  async abort(ownerServices: OwnerServices, actId: ActId): Promise<boolean> {
    const live = this.find(ownerServices.owner, actId);
    if (live !== null) {
      const isRunning = !live.over;
      live.turn.abort();
      await live.turn.done;
      return isRunning;
    }
    const stopped = await findInStores(ownerServices, async (generator) => (await generator.abort({ actId })) || null);
    return stopped ?? false;
  }

  #end(live: LiveTurn): void {
    live.over = true;
    unrefTimer(setTimeout(() => this.#byAct.delete(live.actId), this.#options.limits.keepTurnMs));
  }
}

/** Looks for a turn in the store of an owner, then among the temporary trees. Returns null if neither has it. */
async function findInStores<T>(
  { store, temporary, engineOf }: OwnerServices,
  look: (generator: Engine['generator']) => Promise<T | null>,
): Promise<T | null> {
  const found = await look(engineOf(store).generator);
  return found ?? look(engineOf(temporary.store).generator).catch(ignoreMissingTemporaryTrees);
}

/**
 * Waits until the first replies are in the tree, so that the caller can show them. Rejects with the error of the turn.
 */
export async function waitForFirstReplies(live: LiveTurn, wanted: number): Promise<readonly StartedReply[]> {
  const begun = new Map<NodeId, StartedReply>();
  for await (const [, event] of live.read(0, new AbortController().signal)) {
    if (event.type === 'node' && event.role === 'assistant') {
      const { nodeId, parentId, runId = null } = event;
      if (!begun.has(nodeId)) begun.set(nodeId, { nodeId, parentId, runId });
      if (begun.size >= wanted) break;
    } else if (event.type === 'error' && begun.size === 0) {
      // The rejection has more details than the event, for example the current version.
      await live.turn.first;
      const { code, kind, message, retryable } = event;
      throw new AppError({ code, kind, message, retryable });
    } else if (event.type !== 'node') break;
  }
  return [...begun.values()];
}

/** Returns the current version of a tree; 0 if the tree does not exist. */
export async function readTreeVersion(store: Store, treeId: TreeId): Promise<number> {
  return (await store.read(treeId, () => ask('tree', {})))?.version ?? 0;
}
