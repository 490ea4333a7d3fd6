/** Uploads of this process that wait for the message that refers to them. A purge keeps their bytes. */

interface Waiting {
  readonly count: number;
  readonly until: number;
}

/** The uploads that one change refers to; they stop waiting when it is committed, and wait again if it fails. */
export interface UploadClaim {
  /** Claims the waiting ones of these attachments, and returns them. Called again, it replaces the earlier claim. */
  take(hashes: ReadonlySet<string>): ReadonlySet<string>;
  release(): void;
}

/**
 * Counts uploads by owner and hash: the same bytes may be uploaded twice for two messages. An upload stops waiting when
 * a message of this process refers to it, or after a time. Those of other processes are unknown here.
 */
export class WaitingUploads {
  readonly #grace: number;
  readonly #now: () => number;
  readonly #owners = new Map<string, Map<string, Waiting>>();

  constructor(grace: number, now: () => number) {
    this.#grace = grace;
    this.#now = now;
  }

  /** Notes an upload that began at a time. */
  add(owner: string, hash: string, at: number): void {
    const own = this.#owners.get(owner) ?? new Map<string, Waiting>();
    this.#owners.set(owner, own);
    for (const [other, { until }] of own) if (until <= at) own.delete(other);
    own.set(hash, { count: (own.get(hash)?.count ?? 0) + 1, until: at + this.#grace });
  }

  /** Whether an upload of these bytes waits. */
  has(owner: string, hash: string): boolean {
    const found = this.#owners.get(owner)?.get(hash);
    return found !== undefined && found.until > this.#now();
  }

  /** Whether any upload of an owner waits. */
  any(owner: string): boolean {
    return (this.#owners.get(owner)?.size ?? 0) > 0;
  }

  /** A claim that holds nothing yet. */
  claim(owner: string): UploadClaim {
    let taken: (readonly [string, Waiting])[] = [];
    const release = () => {
      for (const [hash, { until }] of taken) {
        const own = this.#owners.get(owner);
        const now = own?.get(hash);
        own?.set(hash, { count: (now?.count ?? 0) + 1, until: Math.max(until, now?.until ?? 0) });
      }
      taken = [];
    };
    return {
      take: (hashes) => {
        release();
        const own = this.#owners.get(owner);
        for (const hash of hashes) {
          const found = own?.get(hash);
          if (own === undefined || found === undefined || found.until <= this.#now()) continue;
          taken.push([hash, found]);
          if (found.count > 1) own.set(hash, { ...found, count: found.count - 1 });
          else own.delete(hash);
        }
        return new Set(taken.map(([hash]) => hash));
      },
      release,
    };
  }
}
