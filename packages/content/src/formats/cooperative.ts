// Runs long work in pieces, so that other work can run in between. Formats have no clock, so the caller decides when to
// pause.

/** Called at points where other work may run. Returns a promise to await, or undefined if no pause is needed. */
export type PauseFunction = () => Promise<void> | undefined;

/** A task that yields at points where other work may run. */
export type CooperativeTask<T> = Generator<void, T, void>;

/** The number of messages between two pauses. */
export const itemsPerPause = 200;

/** Runs a task without pauses. */
export function runWithoutPauses<T>(work: CooperativeTask<T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/** Runs a task, and waits at its yield points whenever `rest` returns a promise. */
export async function runWithPauses<T>(work: CooperativeTask<T>, rest: PauseFunction | undefined): Promise<T> {
  let step = work.next();
  while (step.done !== true) {
    const resting = rest?.();
    if (resting !== undefined) await resting;
    step = work.next();
  }
  return step.value;
}
