// Ids for records whose own is taken. All records of a file may have one id, so nobody counts from the beginning again.

/** Gives `id#2`, `id#3` … for an id that is taken, each once. */
export class FreeIds {
  readonly #last = new Map<string, number>();

  /** The next free one; `taken` says which are not, and `bound` shortens what would be too long. */
  next(id: string, taken: (id: string) => boolean, bound: (id: string) => string = (own) => own): string {
    for (let number = (this.#last.get(id) ?? 1) + 1; ; number++) {
      const own = bound(`${id}#${number}`);
      if (taken(own)) continue;
      this.#last.set(id, number);
      return own;
    }
  }
}
