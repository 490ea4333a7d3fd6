/** The lease of a session file, which allows one process at a time to write to it. */
import { isAppError } from '@coppice/core';
import { FolderLock, type LockHolder, makeLockedError } from '../disk/lock.ts';
import { sidecarFolder } from './paths.ts';
import { makeFileClosedError, makeReadOnlyFileError } from './refusals.ts';

// A lease that was checked is assumed to be valid for this many milliseconds.
const goodFor = 500;

/** The lease of one file, or the other process that holds it. */
export class FileLease {
  readonly #path: string;
  #lease: FolderLock | LockHolder | null = null;
  // Whether to take the lease as soon as it is free.
  #wanted = false;
  #isClosed = false;
  // Whether this process holds the lease, and the period in which it
  // is assumed valid. Plain numbers, because every save compares them.
  #isHeld = false;
  #seenAt = Number.POSITIVE_INFINITY;
  #goodUntil = Number.NEGATIVE_INFINITY;

  constructor(path: string) {
    this.#path = path;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** The other process that holds the lease. */
  get holder(): LockHolder | null {
    return this.#lease instanceof FolderLock ? null : this.#lease;
  }

  /** Takes the lease if it is free, or if its holder has ended. */
  take(): void {
    if (this.#isClosed) throw makeFileClosedError(this.#path);
    if (!this.#isHeld) this.#lease = FolderLock.take(sidecarFolder(this.#path));
    this.#isHeld = this.#lease instanceof FolderLock;
  }

  /** Takes the lease like {@link claim}, now or as soon as it is free. */
  want(): boolean {
    this.#wanted = true;
    return this.claim();
  }

  /** Takes the lease if it is wanted and free. Returns whether this process holds it. */
  claim(): boolean {
    if (this.#isClosed) throw makeFileClosedError(this.#path);
    try {
      if (this.#wanted) this.take();
    } catch (error) {
      if (!isAppError(error) || error.code !== 'tree/read-only') throw error;
    }
    return this.isHeld;
  }

  /** Whether this process holds the lease and checked it a moment ago. False if the clock was set back since. */
  isGoodAt(now: number): boolean {
    return now >= this.#seenAt && now < this.#goodUntil;
  }

  /** Records that the lease was checked and is held by this process. */
  seen(now: number): void {
    [this.#seenAt, this.#goodUntil] = [now, now + goodFor];
  }

  /** Throws if this process may not write. */
  check(): void {
    if (this.#wanted || this.#isClosed) this.take();
    const lease = this.#lease;
    if (lease instanceof FolderLock) lease.check();
    else throw lease === null ? makeReadOnlyFileError(this.#path) : makeLockedError(this.#path, lease);
  }

  /**
   * Releases the lease for good. A remaining user of the file
   * cannot take it again, because nothing would release it then.
   */
  release(): void {
    if (this.#lease instanceof FolderLock) this.#lease.release();
    this.#lease = null;
    this.#isHeld = false;
    this.#isClosed = true;
    this.#goodUntil = Number.NEGATIVE_INFINITY;
  }
}
