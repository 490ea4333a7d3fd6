/**
 * Chooses the next call of a queue to record. Calls are recorded in the order of their requests, and after the calls
 * that they continue.
 */
import type { RecorderOptions, RecordingBackend } from './recorder-contract.ts';
import type { WaitingCall } from './waiting-call.ts';

const defaultReorderTimeoutMs = 60_000;

/** Returns how long a call waits for the call that it continues, in milliseconds. */
export function reorderTimeoutOf({
  reorderTimeoutMs = defaultReorderTimeoutMs,
}: Pick<RecorderOptions, 'reorderTimeoutMs'>): number {
  return reorderTimeoutMs;
}

/** The next call to record, and the earlier calls that are recorded after it. */
export interface NextCall {
  readonly waitingCall: WaitingCall;
  readonly before: readonly WaitingCall[];
}

/** The clock, the backend and the time limit that decide the order. */
export interface CallOrderOptions extends Pick<RecorderOptions, 'now' | 'reorderTimeoutMs'> {
  readonly backend: Pick<RecordingBackend, 'digest' | 'keys'>;
  readonly onError: (error: unknown) => void;
}

/** Returns the first call of a queue if it can be recorded; null otherwise. Most calls need no further check. */
export function findReadyFirstCall(queue: readonly WaitingCall[]): NextCall | null {
  const [waitingCall] = queue;
  return waitingCall?.state === 'ready' ? { waitingCall, before: [] } : null;
}

/** Returns the first complete call that need not wait for an earlier call; null if there is none. */
export async function findNextCall(
  queue: readonly WaitingCall[],
  ordering: CallOrderOptions,
): Promise<NextCall | null> {
  const before: WaitingCall[] = [];
  // The loop uses a copy, because the queue changes while calls are read.
  for (const waitingCall of [...queue]) {
    const waits = waitingCall.state !== 'ready' || (await mustWait(waitingCall, before, ordering));
    if (!waits && waitingCall.state === 'ready')
      return { waitingCall, before: before.filter(({ state }) => state !== 'gone') };
    before.push(waitingCall);
  }
  return null;
}

async function mustWait(
  waitingCall: WaitingCall,
  before: readonly WaitingCall[],
  ordering: CallOrderOptions,
): Promise<boolean> {
  if (before.every(({ state }) => state === 'gone')) return false;
  if (ordering.now() - waitingCall.readyAt >= reorderTimeoutOf(ordering)) return false;
  if (waitingCall.waitsFor !== null && waitingCall.waitsFor.state !== 'gone') return true;
  waitingCall.waitsFor = null;
  // A call that was moved to a file is parsed only when it is recorded. It may continue any earlier call, so it waits
  // for the first one that is left.
  if (waitingCall.request === null) waitingCall.waitsFor = before.find(({ state }) => state !== 'gone') ?? null;
  else
    for (const earlier of before)
      if (earlier.state !== 'gone' && (await mayContinue(waitingCall, earlier, ordering)) && !isCallGone(earlier)) {
        waitingCall.waitsFor = earlier;
        break;
      }
  return waitingCall.waitsFor !== null;
}

// A function, because TypeScript would assume that the state is unchanged after an await.
function isCallGone({ state }: WaitingCall): boolean {
  return state === 'gone';
}

/** Whether a later call may continue an earlier one, because its history starts with that of the earlier call. */
async function mayContinue(later: WaitingCall, earlier: WaitingCall, ordering: CallOrderOptions): Promise<boolean> {
  try {
    const [after, before] = [await callDigestOf(later, ordering), await callDigestOf(earlier, ordering)];
    if (after === null || before === null) return false;
    if (after.previous !== null) return before.wire === 'responses';
    if (after.systemPrompt !== before.systemPrompt || after.messages <= before.messages) return false;
    const [longer, shorter] = [await historyKeys(later, ordering), await historyKeys(earlier, ordering)];
    return shorter.every((key, index) => key === longer[index]);
  } catch (error) {
    // The error of an unreadable call is reported again when the call is recorded.
    ordering.onError(error);
    return false;
  }
}

async function callDigestOf(waitingCall: WaitingCall, { backend }: CallOrderOptions) {
  // A call in a file is not parsed yet. It is read when it is recorded.
  if (waitingCall.digest === undefined && waitingCall.request === null) return null;
  if (waitingCall.digest === undefined) waitingCall.digest = await backend.digest(waitingCall);
  return waitingCall.digest;
}

async function historyKeys(waitingCall: WaitingCall, { backend }: CallOrderOptions): Promise<readonly string[]> {
  waitingCall.keys ??= await backend.keys(waitingCall);
  return waitingCall.keys;
}
