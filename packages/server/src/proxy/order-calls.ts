/**
 * Chooses the next call of a queue to record. Calls are recorded in the order of their requests, and after the calls
 * that they continue.
 */
import type { RecorderOptions, RecordingBackend } from './recorder-contract.ts';
import type { WaitingCall } from './waiting-call.ts';

const defaultReorderTimeoutMs = 60_000;

/** The time that a call waits for the call that it continues. */
export function reorderTimeoutOf({
  reorderTimeoutMs = defaultReorderTimeoutMs,
}: Pick<RecorderOptions, 'reorderTimeoutMs'>): number {
  return reorderTimeoutMs;
}

/** The next call to record, and the earlier calls that are recorded after it. */
export interface NextCall {
  readonly place: WaitingCall;
  readonly before: readonly WaitingCall[];
}

/** The options and functions that the ordering uses. */
export interface CallOrder extends Pick<RecorderOptions, 'now' | 'reorderTimeoutMs'> {
  readonly backend: Pick<RecordingBackend, 'outline' | 'keys'>;
  readonly note: (error: unknown) => void;
}

/** The first call of a queue, if it can be recorded. This needs no parsing. */
export function findReadyFirstCall(line: readonly WaitingCall[]): NextCall | null {
  const [place] = line;
  return place?.state === 'ready' ? { place, before: [] } : null;
}

/** The first complete call that does not continue an incomplete one. */
export async function findNextCall(line: readonly WaitingCall[], ordering: CallOrder): Promise<NextCall | null> {
  const before: WaitingCall[] = [];
  // A copy: the queue changes while calls are read.
  for (const place of [...line]) {
    const waits = place.state !== 'ready' || (await mustWait(place, before, ordering));
    if (!waits && place.state === 'ready') return { place, before: before.filter(({ state }) => state !== 'gone') };
    before.push(place);
  }
  return null;
}

async function mustWait(place: WaitingCall, before: readonly WaitingCall[], ordering: CallOrder): Promise<boolean> {
  if (before.every(({ state }) => state === 'gone')) return false;
  if (ordering.now() - place.readyAt >= reorderTimeoutOf(ordering)) return false;
  if (place.waitsFor !== null && place.waitsFor.state !== 'gone') return true;
  place.waitsFor = null;
  // A call in a file is not read only for the order; it keeps its place.
  if (place.request === null) place.waitsFor = before.find(({ state }) => state !== 'gone') ?? null;
  else
    for (const earlier of before)
      if (earlier.state !== 'gone' && (await mayContinue(place, earlier, ordering)) && !isCallGone(earlier)) {
        place.waitsFor = earlier;
        break;
      }
  return place.waitsFor !== null;
}

// Checked again, because the state may have changed during an await.
function isCallGone({ state }: WaitingCall): boolean {
  return state === 'gone';
}

/** Whether a later call may continue an earlier one, because its history starts with that of the earlier call. */
async function mayContinue(later: WaitingCall, earlier: WaitingCall, ordering: CallOrder): Promise<boolean> {
  try {
    const [after, before] = [await callDigestOf(later, ordering), await callDigestOf(earlier, ordering)];
    if (after === null || before === null) return false;
    if (after.previous !== null) return before.wire === 'responses';
    if (after.systemPrompt !== before.systemPrompt || after.messages <= before.messages) return false;
    const [longer, shorter] = [await historyKeys(later, ordering), await historyKeys(earlier, ordering)];
    return shorter.every((key, index) => key === longer[index]);
  } catch (error) {
    // An unreadable call reports its error when it is recorded.
    ordering.note(error);
    return false;
  }
}

async function callDigestOf(place: WaitingCall, { backend }: CallOrder) {
  // A call in a file is not parsed yet. It is read when it is recorded.
  if (place.outline === undefined && place.request === null) return null;
  if (place.outline === undefined) place.outline = await backend.outline(place);
  return place.outline;
}

async function historyKeys(place: WaitingCall, { backend }: CallOrder): Promise<readonly string[]> {
  place.keys ??= await backend.keys(place);
  return place.keys;
}
