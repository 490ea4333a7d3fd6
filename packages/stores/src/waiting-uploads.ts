/** The uploads of this process that wait for a message that refers to them. A purge keeps their bytes. */

interface Waiting {
  readonly count: number;
  readonly until: number;
}

/**
 * The uploads that one change refers to. They no longer wait when the change is committed, and wait again if it fails.
 */
export interface UploadClaim {
  /** Claims those of these attachments that wait, and returns them. A second call replaces the first claim. */
  take(hashes: ReadonlySet<string>): ReadonlySet<string>;
  release(): void;
}

/**
 * Counts waiting uploads by owner and hash, because the same bytes may be uploaded
 * for two messages. An upload no longer waits when a message of this process refers
 * to it, or when its time is over. Uploads of other processes are not counted.
 */
export class WaitingUploads {
  readonly #grace: number;
  readonly #now: () => number;
  readonly #owners = new Map<string, Map<string, Waiting>>();

  constructor(grace: number, now: () => number) {
    this.#grace = grace;
    this.#now = now;
  }

  /** Records an upload that began at a time. */
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

  /** Returns a claim without any attachments. */
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
