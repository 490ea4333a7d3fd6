/** The turns of this process: starts them, and gives any number of readers their events. */
import { type ActId, AppError, ask, type NodeId, type Store, type TreeId } from '@coppice/core';
import type { GenerateOptions, Turn, TurnApprove, TurnEvent, TurnStart } from '@coppice/engine';
import type { Quotas, ServerLimits } from '../contract.ts';
import { throwHttpError } from '../http-errors.ts';
import type { OwnerServices } from '../services.ts';

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

/**
 * The running turns of this process. Finished turns are kept for a limited time, so that late readers can read them.
 */
export class LiveTurns {
  readonly #byAct = new Map<ActId, LiveTurn>();
  readonly #quotasOf: (owner: string) => Quotas;
  readonly #limits: Pick<ServerLimits, 'keepTurnMs'>;
  // The tools that an owner allowed for all further calls, until the process ends.
  readonly #remembered = new Map<string, Set<string>>();
  readonly #listeners = new Set<(live: LiveTurn) => void>();

  constructor(quotasOf: (owner: string) => Quotas, limits: Pick<ServerLimits, 'keepTurnMs'>) {
    this.#quotasOf = quotasOf;
    this.#limits = limits;
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

  /** Starts a turn, or returns the turn that the same request started before. Throws above the limit. */
  begin(ownerServices: OwnerServices, store: Store, start: TurnStart, options: GenerateOptions): LiveTurn {
    let running = 0;
    for (const live of this.#byAct.values()) if (!live.over && live.owner === ownerServices.owner) running++;
    const { generations: most } = this.#quotasOf(ownerServices.owner);
    if (running >= most)
      throwHttpError(
        'http/too-many',
        `You have ${running} replies in progress; at most ${most} are allowed. Wait until one has finished.`,
      );
    // The operator's rules were applied before; the remaining calls need the decision of a user.
    const approve: TurnApprove = ({ name, hash }) =>
      this.#remembered.get(ownerServices.owner)?.has(name) === true ? { approved: true, hash } : 'ask';
    const turn = ownerServices.engineOf(store).generator.generate(start, { ...options, approve });
    const known = this.#byAct.get(turn.actId);
    if (known !== undefined) return known;
    const live = new LiveTurn(ownerServices.owner, store, turn);
    this.#byAct.set(turn.actId, live);
    void turn.done.then(() => this.#end(live));
    for (const listener of this.#listeners) listener(live);
    return live;
  }

  /** Approves or refuses a tool call. With `remember`, further calls of the tool are allowed without asking. */
  decide(live: LiveTurn, callId: string, approve: boolean, remember: boolean): void {
    const { name } = live.turn.decide(callId, approve);
    if (!approve || !remember) return;
    const names = this.#remembered.get(live.owner) ?? new Set();
    names.add(name);
    this.#remembered.set(live.owner, names);
  }

  #end(live: LiveTurn): void {
    live.over = true;
    setTimeout(() => this.#byAct.delete(live.actId), this.#limits.keepTurnMs).unref();
  }
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
