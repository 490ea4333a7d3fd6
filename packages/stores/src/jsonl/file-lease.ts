/** Who may write to a session file: one process at a time. */
import { isAppError } from '@coppice/core';
import { FolderLock, type Holder, lockedBy } from '../disk/lock.ts';
import { sideOf } from './places.ts';
import { openedToRead } from './refusals.ts';

// For so many milliseconds a lease that was looked at is taken to be there.
const goodFor = 500;

/** The lease of one file, as far as this process has it or knows who does. */
export class FileLease {
  readonly #path: string;
  #lease: FolderLock | Holder | null = null;
  // Whether it is to be had as soon as that can be.
  #wanted = false;
  #seenAt = Number.NEGATIVE_INFINITY;

  constructor(path: string) {
    this.#path = path;
  }

  get isHeld(): boolean {
    return this.#lease instanceof FolderLock;
  }

  /** Who else holds it. */
  get holder(): Holder | null {
    return this.#lease instanceof FolderLock ? null : this.#lease;
  }

  /** Takes the lease, if it can be had: one that another process gave up meanwhile is taken over. */
  take(): void {
    if (!(this.#lease instanceof FolderLock)) this.#lease = FolderLock.take(sideOf(this.#path));
  }

  /** Takes the lease, as {@link claim} does, now or as soon as it can be had. */
  want(): boolean {
    this.#wanted = true;
    return this.claim();
  }

  /** Takes the lease if it is wanted and can be had by now, and says whether it is held. */
  claim(): boolean {
    try {
      if (this.#wanted) this.take();
    } catch (error) {
      if (!isAppError(error) || error.code !== 'tree/read-only') throw error;
    }
    return this.isHeld;
  }

  /** Whether the lease is held and was looked at a moment ago. A clock that was set back since says nothing about it. */
  isGoodAt(now: number): boolean {
    const age = now - this.#seenAt;
    return age >= 0 && age < goodFor && this.#lease instanceof FolderLock;
  }

  /** Notes that the lease was looked at. */
  seen(now: number): void {
    this.#seenAt = now;
  }

  /** Refuses where nothing may be written. */
  check(): void {
    if (this.#wanted) this.take();
    const lease = this.#lease;
    if (lease instanceof FolderLock) lease.check();
    else throw lease === null ? openedToRead(this.#path) : lockedBy(this.#path, lease);
  }

  release(): void {
    if (this.#lease instanceof FolderLock) this.#lease.release();
    this.#lease = null;
  }
}
