/** The lease of a session file: one process at a time may write to it. */
import { isAppError } from '@coppice/core';
import { FolderLock, type LockHolder, makeLockedError } from '../disk/lock.ts';
import { sidecarFolder } from './paths.ts';
import { makeFileClosedError, makeReadOnlyFileError } from './refusals.ts';

// For this many milliseconds a checked lease is assumed to be valid.
const goodFor = 500;

/** The lease of one file, or its holder if it is another process. */
export class FileLease {
  readonly #path: string;
  #lease: FolderLock | LockHolder | null = null;
  // Whether to take it as soon as possible.
  #wanted = false;
  #isClosed = false;
  // Whether this process holds it, and in which period it is assumed valid; plain numbers, because every save checks
  // them.
  #isHeld = false;
  #seenAt = Number.POSITIVE_INFINITY;
  #goodUntil = Number.NEGATIVE_INFINITY;

  constructor(path: string) {
    this.#path = path;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** The other process that holds it. */
  get holder(): LockHolder | null {
    return this.#lease instanceof FolderLock ? null : this.#lease;
  }

  /** Takes the lease if possible, also one that another process has given up. */
  take(): void {
    if (this.#isClosed) throw makeFileClosedError(this.#path);
    if (!this.#isHeld) this.#lease = FolderLock.take(sidecarFolder(this.#path));
    this.#isHeld = this.#lease instanceof FolderLock;
  }

  /** Takes the lease like {@link claim}, now or as soon as possible. */
  want(): boolean {
    this.#wanted = true;
    return this.claim();
  }

  /** Takes the lease if it is wanted and free now, and returns whether it is held. */
  claim(): boolean {
    if (this.#isClosed) throw makeFileClosedError(this.#path);
    try {
      if (this.#wanted) this.take();
    } catch (error) {
      if (!isAppError(error) || error.code !== 'tree/read-only') throw error;
    }
    return this.isHeld;
  }

  /** Whether the lease is held and was checked a moment ago; false if the clock was set back since. */
  isGoodAt(now: number): boolean {
    return now >= this.#seenAt && now < this.#goodUntil;
  }

  /** Records that the lease was checked and is held. */
  seen(now: number): void {
    [this.#seenAt, this.#goodUntil] = [now, now + goodFor];
  }

  /** Throws if nothing may be written. */
  check(): void {
    if (this.#wanted || this.#isClosed) this.take();
    const lease = this.#lease;
    if (lease instanceof FolderLock) lease.check();
    else throw lease === null ? makeReadOnlyFileError(this.#path) : makeLockedError(this.#path, lease);
  }

  /** Releases it for good: a remaining user of the file cannot take it again, because nothing would release it then. */
  release(): void {
    if (this.#lease instanceof FolderLock) this.#lease.release();
    this.#lease = null;
    this.#isHeld = false;
    this.#isClosed = true;
    this.#goodUntil = Number.NEGATIVE_INFINITY;
  }
}
