/** Marks an entry of the shared map that a copy of it has deleted. */
const deleted = Symbol('deleted');

/**
 * A map that is cheap to copy: a copy shares the entries of the original and stores only its own changes. Each change
 * of an open tree makes a copy, and a plain copy of 10,000 loaded messages takes milliseconds.
 */
export class CopyOnWriteMap<K, V extends object> implements ReadonlyMap<K, V> {
  /** The entries that several copies share. This map is never changed. */
  #shared: ReadonlyMap<K, V>;
  /** The entries that differ from the shared ones. */
  #own: Map<K, V | typeof deleted>;
  /** Whether a copy uses the same `#own`. If so, `#own` is copied before the next change. */
  #isCopied = false;
  #size: number;

  /** Copies a map. The caller must not change a plain map afterwards. */
  constructor(from: ReadonlyMap<K, V>) {
    this.#size = from.size;
    if (!(from instanceof CopyOnWriteMap)) {
      this.#shared = from;
      this.#own = new Map();
      return;
    }
    const original: CopyOnWriteMap<K, V> = from;
    // A few changes are copied with the next change. Many changes are merged, once for the original and all its copies.
    if (original.#own.size ** 2 > original.#shared.size + 256) {
      original.#shared = new Map(original);
      original.#own = new Map();
    }
    this.#shared = original.#shared;
    this.#own = original.#own;
    this.#isCopied = true;
    original.#isCopied = true;
  }

  #change(key: K, value: V | typeof deleted): void {
    if (this.#isCopied) this.#own = new Map(this.#own);
    this.#isCopied = false;
    this.#own.set(key, value);
  }

  get size(): number {
    return this.#size;
  }

  get(key: K): V | undefined {
    const own = this.#own.get(key);
    if (own === undefined) return this.#shared.get(key);
    return own === deleted ? undefined : own;
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  set(key: K, value: V): this {
    if (!this.has(key)) this.#size++;
    this.#change(key, value);
    return this;
  }

  delete(key: K): boolean {
    if (!this.has(key)) return false;
    this.#size--;
    this.#change(key, deleted);
    return true;
  }

  *entries(): MapIterator<[K, V]> {
    for (const entry of this.#shared) if (!this.#own.has(entry[0])) yield entry;
    for (const [key, value] of this.#own) if (value !== deleted) yield [key, value];
  }

  *keys(): MapIterator<K> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries();
  }

  forEach(call: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void {
    for (const [key, value] of this.entries()) call(value, key, this);
  }
}
