/** Counts the uploads of this process that no message refers to yet. A purge keeps their bytes. */

interface Waiting {
  readonly count: number;
  readonly until: number;
}

/**
 * The uploads that one change refers to. They stop waiting while the change runs; `release` makes them wait again if
 * the change fails.
 */
export interface UploadClaim {
  /**
   * Claims the uploads that wait among these hashes, and returns their hashes. A second call releases the first claim.
   */
  take(hashes: ReadonlySet<string>): ReadonlySet<string>;
  release(): void;
}

/**
 * Counts waiting uploads by owner and hash, because the same bytes may be uploaded for two messages. An upload stops
 * waiting when a message of this process refers to it, or when the grace period ends. Uploads of other processes are
 * not counted.
 */
export class WaitingUploads {
  readonly #grace: number;
  readonly #now: () => number;
  readonly #owners = new Map<string, Map<string, Waiting>>();

  constructor(grace: number, now: () => number) {
    this.#grace = grace;
    this.#now = now;
  }

  /** Adds an upload. It waits until the grace period after `at` ends. Expired uploads of the owner are dropped. */
  add(owner: string, hash: string, at: number): void {
    const own = this.#owners.get(owner) ?? new Map<string, Waiting>();
    this.#owners.set(owner, own);
    for (const [other, { until }] of own) if (until <= at) own.delete(other);
    own.set(hash, { count: (own.get(hash)?.count ?? 0) + 1, until: at + this.#grace });
  }

  /** Whether an upload of these bytes still waits for a message. */
  has(owner: string, hash: string): boolean {
    const found = this.#owners.get(owner)?.get(hash);
    return found !== undefined && found.until > this.#now();
  }

  /** Whether the owner has uploads; expired ones may be included. */
  any(owner: string): boolean {
    return (this.#owners.get(owner)?.size ?? 0) > 0;
  }

  /** Creates an empty claim; `take` fills it. */
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
