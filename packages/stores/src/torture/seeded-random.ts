/** Generates reproducible random numbers: the same seed gives the same numbers on every machine. */

function hashed(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

// Parts that often break encodings. They are sometimes inserted into texts.
const awkward = ['\ud800', '\u0000', '\u2028', '\ufeff', '"\\\'$1%s', '🌲', 'e\u0301', '__proto__', '\r\n\t', '\u202e'];

export class SeededRandom {
  #state: number;

  constructor(...seed: readonly (string | number)[]) {
    this.#state = hashed(JSON.stringify(seed));
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** Returns true in one of `inTimes` calls on average. */
  once(inTimes: number): boolean {
    return this.below(inTimes) === 0;
  }

  /** Returns a random element. Throws on an empty list. */
  pick<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)];
    if (found === undefined) throw new RangeError('There is nothing to pick from.');
    return found;
  }

  uuid(): string {
    const hex = Array.from({ length: 4 }, () =>
      this.below(2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    ).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  /** Returns a text that no other message has, sometimes with a difficult part. */
  text(mark: string): string {
    const tail = this.once(4) ? ` ${this.pick(awkward)} end` : '';
    return `${mark} ${this.below(2 ** 32).toString(36)}${' word'.repeat(this.below(20))}${tail}`;
  }
}

/** Returns the given seed, or a new random one. */
export function chooseSeed(given: string | undefined): string {
  return given ?? Math.floor(Math.random() * 2 ** 32).toString(36);
}
