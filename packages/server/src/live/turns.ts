/** The turns of this process: begun over HTTP, read by any number of readers, asked about tools, stopped. */
import { type ActId, AppError, ask, type NodeId, refuse, type Store, type TreeId } from '@coppice/core';
import type {
  ApprovalDecision,
  ApprovalRequest,
  Approve,
  GenerateOptions,
  Turn,
  TurnEvent,
  TurnStart,
} from '@coppice/engine';
import type { Quotas, ServerLimits } from '../contract.ts';
import { refuseHttp } from '../http-errors.ts';
import type { OwnerServices } from '../services.ts';
import { Waiters } from './waiters.ts';

/** What a turn tells over HTTP: what the engine tells, and what a person is asked. */
export type LiveEvent =
  | TurnEvent
  | {
      readonly type: 'approval';
      readonly callId: string;
      readonly name: string;
      readonly description: string;
      readonly parameters: ApprovalRequest['parameters'];
      readonly hash: string;
    }
  | { readonly type: 'approval-end'; readonly callId: string; readonly approved: boolean };

/** A reply that a turn has begun. */
export interface BegunReply {
  readonly nodeId: NodeId;
  readonly parentId: NodeId;
  readonly runId: string | null;
}

/** A turn of this process with everything it told so far. */
export class LiveTurn {
  readonly owner: string;
  readonly store: Store;
  readonly turn: Turn;
  readonly events: LiveEvent[] = [];
  readonly #waiting = new Waiters();
  readonly #asked = new Map<string, { readonly hash: string; decide(decision: ApprovalDecision): void }>();
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

  /** Adds an event and wakes whoever reads. */
  tell(event: LiveEvent): void {
    this.events.push(event);
    this.#waiting.wake();
  }

  /** No more events. */
  end(): void {
    this.over = true;
    for (const { decide } of [...this.#asked.values()]) decide({ approved: false });
    this.#waiting.wake();
  }

  /** The events from an index on, then those to come, until the last or until the signal fires. */
  async *read(from: number, signal: AbortSignal): AsyncGenerator<readonly [number, LiveEvent], void, void> {
    for (let at = from; ; ) {
      for (let event = this.events[at]; event !== undefined; event = this.events[at]) yield [at++, event];
      if (this.over || signal.aborted) return;
      await this.#waiting.wait(signal);
    }
  }

  /** Asks whoever reads whether a tool may be run, and waits for the answer or for the end of the turn. */
  askForApproval(request: ApprovalRequest): Promise<ApprovalDecision> {
    const { callId, name, description, parameters, hash, signal } = request;
    return new Promise((resolve) => {
      const decide = (decision: ApprovalDecision) => {
        if (!this.#asked.delete(callId)) return;
        signal.removeEventListener('abort', stop);
        this.tell({ type: 'approval-end', callId, approved: decision.approved });
        resolve(decision);
      };
      const stop = () => decide({ approved: false, reason: 'The turn was stopped.' });
      this.#asked.set(callId, { hash, decide });
      signal.addEventListener('abort', stop, { once: true });
      this.tell({ type: 'approval', callId, name, description, parameters, hash });
    });
  }

  /** Decides about a call that waits; refuses where none of that id does. */
  decide(callId: string, approve: boolean): void {
    const asked = this.#asked.get(callId);
    if (asked === undefined)
      return refuse('tree/unknown-node', `No call ${callId} of this turn waits for an approval.`, { callId });
    asked.decide(approve ? { approved: true, hash: asked.hash } : { approved: false, reason: 'It was declined.' });
  }
}

/** Every turn of this process that runs, and for a while those that are through. */
export class LiveTurns {
  readonly #byAct = new Map<ActId, LiveTurn>();
  readonly #quotas: Quotas;
  readonly #limits: Pick<ServerLimits, 'keepTurnMs'>;
  // Tools that a person allowed for good, by owner.
  readonly #remembered = new Map<string, Set<string>>();
  readonly #listeners = new Set<(live: LiveTurn) => void>();

  constructor(quotas: Quotas, limits: Pick<ServerLimits, 'keepTurnMs'>) {
    this.#quotas = quotas;
    this.#limits = limits;
  }

  /** Turns that are being written. */
  get running(): number {
    let count = 0;
    for (const live of this.#byAct.values()) if (!live.over) count++;
    return count;
  }

  /** Is told of every turn when it begins. */
  onBegin(listener: (live: LiveTurn) => void): void {
    this.#listeners.add(listener);
  }

  /** The running turns in a tree. */
  *inTree(store: Store, treeId: TreeId): Generator<LiveTurn, void, void> {
    for (const live of this.#byAct.values())
      if (!live.over && live.store === store && live.treeId === treeId) yield live;
  }

  /** Whether a turn of this process writes as part of an act. */
  isLocal(actId: ActId): boolean {
    return this.#byAct.get(actId)?.over === false;
  }

  /** Stops the turn of an act, if this process has it, and resolves when it is through. */
  async stop(actId: ActId): Promise<boolean> {
    const live = this.#byAct.get(actId);
    if (live === undefined || live.over) return false;
    live.turn.abort();
    await live.turn.done;
    return true;
  }

  /** The turn of an act; null where this process has none of this owner's. */
  find(owner: string, actId: ActId): LiveTurn | null {
    const live = this.#byAct.get(actId);
    return live?.owner === owner ? live : null;
  }

  /** Begins a turn, or finds the one that the same request began. Refuses one too many. */
  begin(ownerServices: OwnerServices, store: Store, start: TurnStart, options: GenerateOptions): LiveTurn {
    let running = 0;
    for (const live of this.#byAct.values()) if (!live.over && live.owner === ownerServices.owner) running++;
    if (running >= this.#quotas.generations)
      refuseHttp(
        'http/too-many',
        `${running} replies are being written for you; at most ${this.#quotas.generations} are.`,
      );
    // The turn asks for approval by the live turn, which is made of it.
    const box: { live: LiveTurn | null } = { live: null };
    const approve: Approve = (request) => this.#approve(ownerServices.owner, request, box.live);
    const turn = ownerServices.engineOf(store).generator.generate(start, { ...options, approve });
    const known = this.#byAct.get(turn.actId);
    if (known !== undefined) return known;
    const live = new LiveTurn(ownerServices.owner, store, turn);
    box.live = live;
    this.#byAct.set(turn.actId, live);
    void this.#record(live);
    for (const listener of this.#listeners) listener(live);
    return live;
  }

  #approve(
    owner: string,
    request: ApprovalRequest,
    live: LiveTurn | null,
  ): Promise<ApprovalDecision> | ApprovalDecision {
    // The operator's own rules were asked before; what comes here is for a person to decide.
    if (this.#remembered.get(owner)?.has(request.name) === true) return { approved: true, hash: request.hash };
    if (live === null) return { approved: false, reason: 'Nobody is there to approve it.' };
    return live.askForApproval(request);
  }

  /** Decides about a call, and remembers the tool where that was wished for. */
  decide(live: LiveTurn, callId: string, approve: boolean, remember: boolean): void {
    const asked = live.events.findLast((event) => event.type === 'approval' && event.callId === callId);
    live.decide(callId, approve);
    if (!approve || !remember || asked?.type !== 'approval') return;
    const names = this.#remembered.get(live.owner) ?? new Set();
    names.add(asked.name);
    this.#remembered.set(live.owner, names);
  }

  async #record(live: LiveTurn): Promise<void> {
    for await (const event of live.turn.events()) live.tell(event);
    live.end();
    setTimeout(() => this.#byAct.delete(live.actId), this.#limits.keepTurnMs).unref();
  }
}

/**
 * Waits until a turn's first replies are there, so that whoever began it knows what to look at; rejects with what the
 * turn was refused for.
 */
export async function waitForFirstReplies(live: LiveTurn, wanted: number): Promise<readonly BegunReply[]> {
  const begun = new Map<NodeId, BegunReply>();
  for await (const [, event] of live.read(0, new AbortController().signal)) {
    if (event.type === 'node' && event.role === 'assistant') {
      const { nodeId, parentId, runId = null } = event;
      if (!begun.has(nodeId)) begun.set(nodeId, { nodeId, parentId, runId });
      if (begun.size >= wanted) break;
    } else if (event.type === 'error' && begun.size === 0) {
      // A refusal says more than its event: what the tree is at now, what came in between.
      await live.turn.first;
      const { code, kind, message, retryable } = event;
      throw new AppError({ code, kind, message, retryable });
      // A question to a person is asked at once, and may overtake what the turn told before it.
    } else if (event.type !== 'node' && event.type !== 'approval') break;
  }
  return [...begun.values()];
}

/** The version that a tree is at. */
export async function versionOfTurn(store: Store, treeId: TreeId): Promise<number> {
  return (await store.read(treeId, () => ask('tree', {})))?.version ?? 0;
}
