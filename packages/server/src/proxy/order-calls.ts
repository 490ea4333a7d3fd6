/** Says which call of a line is recorded next: in the order of the requests, and after those whose answers it goes on from. */
import type { RecorderOptions, RecordingBackend } from './recorder-contract.ts';
import type { WaitingCall } from './waiting-call.ts';

const defaultReorderTimeoutMs = 60_000;

/** How long a call waits for the one that it goes on from. */
export function reorderTimeoutOf({
  patienceMs = defaultReorderTimeoutMs,
}: Pick<RecorderOptions, 'patienceMs'>): number {
  return patienceMs;
}

/** The call whose turn it is, with those before it, which it overtakes. */
export interface NextCall {
  readonly place: WaitingCall;
  readonly before: readonly WaitingCall[];
}

/** What the order is found with. */
export interface CallOrder extends Pick<RecorderOptions, 'now' | 'patienceMs'> {
  readonly backend: Pick<RecordingBackend, 'outline' | 'keys'>;
  readonly note: (error: unknown) => void;
}

/** The first of a line where its turn has come: nothing has to be read to know that. */
export function firstCall(line: readonly WaitingCall[]): NextCall | null {
  const [place] = line;
  return place?.state === 'ready' ? { place, before: [] } : null;
}

/** The first call that is through and goes on from none that is not. */
export async function nextCall(line: readonly WaitingCall[], ordering: CallOrder): Promise<NextCall | null> {
  const before: WaitingCall[] = [];
  // Calls come and go while others are read.
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
  // What is in a file is not read twice to find out: it keeps to its place.
  if (place.request === null) place.waitsFor = before.find(({ state }) => state !== 'gone') ?? null;
  else
    for (const earlier of before)
      if (earlier.state !== 'gone' && (await continues(place, earlier, ordering)) && !isCallGone(earlier)) {
        place.waitsFor = earlier;
        break;
      }
  return place.waitsFor !== null;
}

// Asked anew after others had their turn.
function isCallGone({ state }: WaitingCall): boolean {
  return state === 'gone';
}

/** Whether a later call may go on from what an earlier one was answered: it says what that one said, and then more. */
async function continues(later: WaitingCall, earlier: WaitingCall, ordering: CallOrder): Promise<boolean> {
  try {
    const [after, before] = [await callDigestOf(later, ordering), await callDigestOf(earlier, ordering)];
    if (after === null || before === null) return false;
    if (after.previous !== null) return before.wire === 'responses';
    if (after.systemPrompt !== before.systemPrompt || after.messages <= before.messages) return false;
    const [longer, shorter] = [await historyKeys(later, ordering), await historyKeys(earlier, ordering)];
    return shorter.every((key, index) => key === longer[index]);
  } catch (error) {
    // What cannot be read says so again when its turn comes.
    ordering.note(error);
    return false;
  }
}

async function callDigestOf(place: WaitingCall, { backend }: CallOrder) {
  // Of one that waits in a file nothing is known yet, and its time to be read comes.
  if (place.outline === undefined && place.request === null) return null;
  if (place.outline === undefined) place.outline = await backend.outline(place);
  return place.outline;
}

async function historyKeys(place: WaitingCall, { backend }: CallOrder): Promise<readonly string[]> {
  place.keys ??= await backend.keys(place);
  return place.keys;
}
