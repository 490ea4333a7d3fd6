// New ids for records whose id is taken. Counting continues from the last number, because all records of a file may
// have the same id.

/** Generates `id#2`, `id#3` … for records whose id is taken, each only once. */
export class FreeIdGenerator {
  readonly #last = new Map<string, number>();

  /** Returns the next free id. `taken` checks an id, and `bound` shortens an id that is too long. */
  next(id: string, taken: (id: string) => boolean, bound: (id: string) => string = (own) => own): string {
    for (let number = (this.#last.get(id) ?? 1) + 1; ; number++) {
      const own = bound(`${id}#${number}`);
      if (taken(own)) continue;
      this.#last.set(id, number);
      return own;
    }
  }
}
