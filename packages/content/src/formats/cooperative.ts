// Long work that yields to other work. Formats have no clock: the caller decides when to pause.

/** Called where other work may run: returns a promise to await, or undefined if it is not time yet. */
export type Pause = () => Promise<void> | undefined;

/** Work that yields where other work may run. */
export type CooperativeTask<T> = Generator<void, T, void>;

/** The number of messages between two pauses. */
export const itemsPerPause = 200;

/** Runs work without pauses. */
export function runWithoutPauses<T>(work: CooperativeTask<T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/** Runs work and pauses when it is time. */
export async function runWithPauses<T>(work: CooperativeTask<T>, rest: Pause | undefined): Promise<T> {
  let step = work.next();
  while (step.done !== true) {
    const resting = rest?.();
    if (resting !== undefined) await resting;
    step = work.next();
  }
  return step.value;
}
