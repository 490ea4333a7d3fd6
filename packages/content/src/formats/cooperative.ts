// Long work that leaves others their turns. Formats have no clock: whoever calls knows when it is time for a rest.

/** Asked where others may have a turn: waits until they had it, or says at once that it is not yet time. */
export type Pause = () => Promise<void> | undefined;

/** Work that yields where others may have a turn. */
export type Cooperative<T> = Generator<void, T, void>;

/** After so many messages of a conversation others may have a turn. */
export const itemsPerPause = 200;

/** Does work without a rest. */
export function runAtOnce<T>(work: Cooperative<T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/** Does work with a rest wherever it is time for one. */
export async function runWithPauses<T>(work: Cooperative<T>, rest: Pause | undefined): Promise<T> {
  let step = work.next();
  while (step.done !== true) {
    const resting = rest?.();
    if (resting !== undefined) await resting;
    step = work.next();
  }
  return step.value;
}
