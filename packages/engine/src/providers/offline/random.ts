/** Returns a random number from 0 (inclusive) to 1 (exclusive). */
export type RandomSource = () => number;

/** Creates a random number generator (mulberry32). The same seed gives the same numbers on every platform. */
export function createSeededRandom(seed: number): RandomSource {
  let state = (Math.trunc(seed) ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a random element of a list; undefined if the list is empty. */
export function pickOne<T>(list: readonly T[], random: RandomSource): T | undefined {
  return list[Math.floor(random() * list.length)];
}
