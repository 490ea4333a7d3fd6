/** The lease of a session file, which allows one process at a time to write to it. */
import { isAppError } from '@coppice/core';
import { FolderLock, type LockHolder, makeLockedError } from '../disk/lock.ts';
import { sidecarFolderOf } from './paths.ts';
import { makeFileClosedError, makeReadOnlyFileError } from './refusals.ts';

// For this many milliseconds after a check, this process may write without checking the lease again.
const validForMs = 500;

/** The lease of one session file, which this process or another one holds. */
export class FileLease {
  readonly #path: string;
  #lease: FolderLock | LockHolder | null = null;
  // Whether {@link request} was called. From then on, every check tries to take the lease.
  #wanted = false;
  #isClosed = false;
  // These repeat the state of the lease as plain values, because every save compares them.
  #isHeld = false;
  #checkedAt = Number.POSITIVE_INFINITY;
  #validUntil = Number.NEGATIVE_INFINITY;

  constructor(path: string) {
    this.#path = path;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** The other process that holds the lease; null if the lease is free or held by this process. */
  get holder(): LockHolder | null {
    return this.#lease instanceof FolderLock ? null : this.#lease;
  }

  /** Takes the lease if it is free or its holder has ended. Otherwise `holder` is that process. */
  take(): void {
    if (this.#isClosed) throw makeFileClosedError(this.#path);
    if (!this.#isHeld) this.#lease = FolderLock.take(sidecarFolderOf(this.#path));
    this.#isHeld = this.#lease instanceof FolderLock;
  }

  /** Takes the lease if it is free. If it is not, later calls of {@link claim} and {@link check} try again. */
  request(): boolean {
    this.#wanted = true;
    return this.claim();
  }

  /**
   * Tries to take the lease if {@link request} was called before. Returns whether this process holds it. A file that
   * cannot be written gives false.
   */
  claim(): boolean {
    if (this.#isClosed) throw makeFileClosedError(this.#path);
    try {
      if (this.#wanted) this.take();
    } catch (error) {
      if (!isAppError(error) || error.code !== 'tree/read-only') throw error;
    }
    return this.isHeld;
  }

  /**
   * Whether this process holds the lease and checked it within the last 500 milliseconds. False if the clock was set
   * back.
   */
  isValidAt(now: number): boolean {
    return now >= this.#checkedAt && now < this.#validUntil;
  }

  /** Records the time of a successful check. */
  recordCheck(now: number): void {
    [this.#checkedAt, this.#validUntil] = [now, now + validForMs];
  }

  /**
   * Throws if this process does not hold the lease: the file is read-only here, locked by another process, or closed.
   */
  check(): void {
    if (this.#wanted || this.#isClosed) this.take();
    const lease = this.#lease;
    if (lease instanceof FolderLock) lease.check();
    else throw lease === null ? makeReadOnlyFileError(this.#path) : makeLockedError(this.#path, lease);
  }

  /**
   * Releases the lease permanently. Another user of this object cannot take it again, because nothing would release it.
   */
  release(): void {
    if (this.#lease instanceof FolderLock) this.#lease.release();
    this.#lease = null;
    this.#isHeld = false;
    this.#isClosed = true;
    this.#validUntil = Number.NEGATIVE_INFINITY;
  }
}
