/** Chance that repeats: the same seed gives the same numbers everywhere. */
export type Random = () => number;

/** Numbers from 0 up to 1, by mulberry32. */
export function seeded(seed: number): Random {
  let state = (Math.trunc(seed) ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of a list, by chance. */
export function pickOne<T>(list: readonly T[], random: Random): T | undefined {
  return list[Math.floor(random() * list.length)];
}

/** One of a list by weight; a temperature of 0 takes the heaviest, a high one hardly looks at the weights. */
export function pickWeighted<T>(
  list: readonly T[],
  weight: (item: T) => number,
  temperature: number,
  random: Random,
): T | undefined {
  let heaviest: T | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const item of list) {
    if (weight(item) <= most) continue;
    heaviest = item;
    most = weight(item);
  }
  if (temperature <= 0.01 || heaviest === undefined || most <= 0) return heaviest;
  const lifted = list.map((item) => Math.max(0, weight(item) / most) ** (1 / temperature));
  let left = random() * lifted.reduce((sum, each) => sum + each, 0);
  for (const [index, each] of lifted.entries()) {
    left -= each;
    if (left < 0) return list[index];
  }
  return heaviest;
}
