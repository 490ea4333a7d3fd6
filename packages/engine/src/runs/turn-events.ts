/**
 * Keeps the events of a turn in the store while it runs, so that any server can be asked for them, from any index. The
 * events are stored as the text of a separate run, which is deleted like a lost run soon after the turn has ended.
 */
import { type ActId, type Run, readTree, type Store, type TreeId } from '@coppice/core';
import { deltaPacking } from '../generate/broadcast.ts';
import type { TurnEvent } from '../generate/contract.ts';
import { makeGenerateError, replyErrorFromThrown } from '../generate/errors.ts';
import type { GenerateLimits } from '../generate/limits.ts';
import type { Clock } from '../providers/contract.ts';
import { createChunkWriter } from './chunk-writer.ts';
import { startHeartbeat, stopRequestData } from './heartbeat.ts';
import { type SharedTimers, waitForTick } from './shared-timer.ts';

/** The value of `phase` in the data of a run with the events of a turn. */
const eventsPhase = 'events';

/** Returns whether a run only contains the events of a turn. No reply belongs to it. */
export function isTurnEventsRun({ data }: Pick<Run, 'data'>): boolean {
  return data.phase === eventsPhase;
}

function runIdOf(actId: ActId): string {
  return `events ${actId}`;
}

/** Where and how often the events are written. */
export interface TurnEventsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly process: string;
  readonly timers: SharedTimers;
  readonly limits: GenerateLimits;
}

/** The events of a turn that other processes can read. */
export interface KeptTurnEvents {
  /** Resolves when other processes can find the turn, or when its events could not be kept. */
  readonly started: Promise<void>;
  /** Resolves when the last event is stored. */
  readonly done: Promise<void>;
}

/** Starts to keep the events of a turn. If they cannot be stored, the turn runs all the same. */
export function keepTurnEvents(
  options: TurnEventsOptions,
  { actId, treeId, stop }: { readonly actId: ActId; readonly treeId: TreeId; readonly stop: () => void },
  events: AsyncIterable<TurnEvent>,
): KeptTurnEvents {
  const { store, clock, process } = options;
  const start = async (): Promise<boolean> => {
    // The root is never a reply, so the recovery of lost replies does not take these events for text.
    const { rootId } = await store.read(treeId, () => readTree(treeId));
    const data = { phase: eventsPhase, turn: actId };
    await store.runs.start({ id: runIdOf(actId), treeId, nodeId: rootId, process, startedAt: clock.now(), data });
    return true;
  };
  const started = start().catch(() => false);
  const done = started.then((isStarted) =>
    isStarted ? writeEvents(options, runIdOf(actId), stop, events) : undefined,
  );
  return { started: started.then(() => undefined), done: done.catch(() => undefined) };
}

async function writeEvents(
  { store, clock, timers, limits }: TurnEventsOptions,
  runId: string,
  onStop: () => void,
  events: AsyncIterable<TurnEvent>,
): Promise<void> {
  const { flushMs, flushLength, heartbeatMs, lookMs } = limits;
  const ignored = () => undefined;
  const ticks = timers(flushMs);
  const writer = createChunkWriter(store.runs, runId, { flushMs, flushLength, clock, ticks, onLost: ignored });
  const beat = { clock, everyMs: heartbeatMs, lookMs, ticks, onLost: ignored, onStop };
  const stopBeating = startHeartbeat(store.runs, runId, beat);
  let before: TurnEvent | null = null;
  for await (const event of events) {
    const packed: string | null = before === null ? null : deltaPacking.pack(before, event);
    before = event;
    writer.write(`${JSON.stringify(packed ?? event)}\n`);
  }
  await writer.close();
  // Readers of other processes get some time for the last events. Then the run counts as lost, and is deleted.
  stopBeating();
}

/** Returns whether the events of a turn can be read here, although another process runs it. */
export async function hasTurnEvents(store: Store, actId: ActId): Promise<boolean> {
  const run = await store.runs.find(runIdOf(actId));
  return run !== null && isTurnEventsRun(run);
}

/**
 * Asks the process of a turn to stop it, also between its replies and tools, when no other run belongs to it. Waits for
 * the end of the turn. Returns false if the turn has ended, or if no other process shares it.
 */
export async function requestTurnStop(
  { store, clock, limits, process }: Pick<TurnEventsOptions, 'store' | 'clock' | 'limits' | 'process'>,
  actId: ActId,
  recover: () => Promise<unknown>,
): Promise<boolean> {
  const runId = runIdOf(actId);
  const run = await store.runs.find(runId);
  if (run === null || run.process === process || (await isTurnOver(store, runId))) return false;
  if (!(await store.runs.note(runId, stopRequestData))) return false;
  const never = new AbortController();
  while (!(await isTurnOver(store, runId))) {
    // Ends the run only if its process has died, judged by its heartbeats.
    await recover();
    await clock.wait(limits.followMs, never.signal);
  }
  return true;
}

/** Returns whether the last stored event ends the turn, or nothing of the turn is stored any more. */
async function isTurnOver(store: Store, runId: string): Promise<boolean> {
  const [run, chunks] = await Promise.all([store.runs.find(runId), store.runs.chunks(runId)]);
  if (run === null) return true;
  const last = chunks
    .map(({ text }) => text)
    .join('')
    .trimEnd()
    .split('\n')
    .at(-1);
  const event: TurnEvent | string | null = last === undefined || last === '' ? null : JSON.parse(last);
  return event !== null && typeof event !== 'string' && (event.type === 'end' || event.type === 'error');
}

/**
 * Yields the events of a turn of another process with their indexes, from an index on, until the turn ends or the
 * signal aborts. If that process dies, the last event is `generate/lost`.
 */
export async function* readTurnEvents(
  { store, timers, limits }: Pick<TurnEventsOptions, 'store' | 'timers' | 'limits'>,
  actId: ActId,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<readonly [index: number, event: TurnEvent], void, void> {
  const runId = runIdOf(actId);
  const ticks = timers(limits.followMs);
  let [offset, index] = [0, 0];
  let incomplete = '';
  let before: TurnEvent | null = null;
  while (!signal.aborted) {
    // Sent together, so that the store can answer both, and those of other readers, in one transaction.
    const [run, chunks] = await Promise.all([store.runs.find(runId), store.runs.chunks(runId, offset)]);
    for (const chunk of chunks) {
      offset = chunk.offset + chunk.text.length;
      incomplete += chunk.text;
    }
    const lines = incomplete.split('\n');
    incomplete = lines.pop() ?? '';
    for (const line of lines) {
      const kept: TurnEvent | string = JSON.parse(line);
      const event: TurnEvent | null =
        typeof kept !== 'string' ? kept : before === null ? null : deltaPacking.unpack(before, kept);
      before = event;
      if (event === null) continue;
      if (index >= from) yield [index, event];
      index++;
      if (event.type === 'end' || event.type === 'error') return;
    }
    if (run === null) {
      const lost = makeGenerateError('generate/lost', 'The server that ran this turn has ended.');
      yield [Math.max(index, from), { type: 'error', nodeIds: [], ...replyErrorFromThrown(lost) }];
      return;
    }
    await waitForTick(ticks, signal).catch(() => undefined);
  }
}
