/** Who may write to a session file: one process at a time. */
import { isAppError } from '@coppice/core';
import { FolderLock, type Holder, lockHolder } from '../disk/lock.ts';
import { sidecarFolder } from './paths.ts';
import { openedReadOnly, sessionClosed } from './refusals.ts';

// For so many milliseconds a lease that was looked at is taken to be there.
const goodFor = 500;

/** The lease of one file, as far as this process has it or knows who does. */
export class FileLease {
  readonly #path: string;
  #lease: FolderLock | Holder | null = null;
  // Whether it is to be had as soon as that can be.
  #wanted = false;
  #isClosed = false;
  // Whether it is this process's; from when to when it is taken to be there: as numbers alone, since every save asks for it.
  #isHeld = false;
  #seenAt = Number.POSITIVE_INFINITY;
  #goodUntil = Number.NEGATIVE_INFINITY;

  constructor(path: string) {
    this.#path = path;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Who else holds it. */
  get holder(): Holder | null {
    return this.#lease instanceof FolderLock ? null : this.#lease;
  }

  /** Takes the lease, if it can be had: one that another process gave up meanwhile is taken over. */
  take(): void {
    if (this.#isClosed) throw sessionClosed(this.#path);
    if (!this.#isHeld) this.#lease = FolderLock.take(sidecarFolder(this.#path));
    this.#isHeld = this.#lease instanceof FolderLock;
  }

  /** Takes the lease, as {@link claim} does, now or as soon as it can be had. */
  want(): boolean {
    this.#wanted = true;
    return this.claim();
  }

  /** Takes the lease if it is wanted and can be had by now, and says whether it is held. */
  claim(): boolean {
    if (this.#isClosed) throw sessionClosed(this.#path);
    try {
      if (this.#wanted) this.take();
    } catch (error) {
      if (!isAppError(error) || error.code !== 'tree/read-only') throw error;
    }
    return this.isHeld;
  }

  /** Whether the lease is held and was looked at a moment ago. A clock that was set back since says nothing about it. */
  isGoodAt(now: number): boolean {
    return now >= this.#seenAt && now < this.#goodUntil;
  }

  /** Notes that the lease was looked at and is held. */
  seen(now: number): void {
    [this.#seenAt, this.#goodUntil] = [now, now + goodFor];
  }

  /** Refuses where nothing may be written. */
  check(): void {
    if (this.#wanted || this.#isClosed) this.take();
    const lease = this.#lease;
    if (lease instanceof FolderLock) lease.check();
    else throw lease === null ? openedReadOnly(this.#path) : lockHolder(this.#path, lease);
  }

  /** Gives it up for good: whoever still has the file cannot take it again, for nobody would give it up then. */
  release(): void {
    if (this.#lease instanceof FolderLock) this.#lease.release();
    this.#lease = null;
    this.#isHeld = false;
    this.#isClosed = true;
    this.#goodUntil = Number.NEGATIVE_INFINITY;
  }
}
