/** A lock file that lets one process at a time write to a folder. The file appears with its whole content at once. */
import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, readlinkSync, renameSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { AppError, refusalKinds } from '@coppice/core';
import { isFieldMap } from '@coppice/core/decode';
import {
  AtomicWriter,
  encodeFileText,
  linkOrCopy,
  listNamesInFolder,
  osErrorCode,
  readTextFile,
  runFileOperation,
  withFileErrors,
} from './atomic-files.ts';

const longestWait = 10_000;

/** The process that holds a lock, as the lock file describes it. */
export interface LockHolder {
  readonly pid: number;
  /** The time when the process started, in clock ticks since boot. It tells two processes with the same pid apart. */
  readonly started: string | null;
  /** The boot id of the machine; after a restart all earlier processes have ended. */
  readonly boot: string | null;
  readonly host: string;
  /** The pid namespace of the process, because containers on one host count their processes separately. */
  readonly space: string | null;
}

function describeHolder(read: () => string): string | null {
  try {
    return read().trim();
  } catch {
    return null;
  }
}

/** Returns the boot id of this machine; null if the system has no `/proc`. */
export function readBootId(): string | null {
  return describeHolder(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
}

function processStart(pid: number): string | null {
  // The program name may contain spaces and parentheses, so fields are counted after the last parenthesis.
  return describeHolder(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  });
}

function ownLockHolder(): LockHolder {
  return {
    pid: process.pid,
    started: processStart(process.pid),
    boot: readBootId(),
    host: hostname(),
    space: describeHolder(() => readlinkSync('/proc/self/ns/pid')),
  };
}

/** Whether a process of this computer exists, also one of another user. */
export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return osErrorCode(error) === 'EPERM';
  }
}

/**
 * Whether the process that holds a lock has certainly ended. A process on another machine cannot be checked and counts
 * as running.
 */
function isProcessGone(holder: LockHolder, here: LockHolder = ownLockHolder()): boolean {
  if (holder.host !== here.host) return false;
  if (holder.boot !== here.boot) return true;
  // A restarted container has the same host name and another pid namespace, and its earlier processes have ended.
  if (holder.space !== here.space) return true;
  if (!isProcessRunning(holder.pid)) return true;
  return holder.started !== processStart(holder.pid);
}

function readHolder(text: string): LockHolder | null {
  try {
    const json: unknown = JSON.parse(text);
    if (!isFieldMap(json)) return null;
    const { pid, started, boot, host, space } = json;
    if (typeof pid !== 'number' || typeof host !== 'string') return null;
    const word = (value: unknown) => (typeof value === 'string' ? value : null);
    return { pid, started: word(started), boot: word(boot), host, space: word(space) };
  } catch {
    return null;
  }
}

/** Identifies a file. The inode alone is not enough, because another file may reuse it. */
interface Identity {
  readonly ino: number;
  readonly mtimeMs: number;
  /** The time when the content or a link of the file last changed. */
  readonly ctimeMs: number;
}

function fileIdentity(path: string): Identity | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/** The lock file of a folder, held by this process. */
export class FolderLock {
  readonly path: string;
  // The file stays open: fstat detects changes without resolving the path each time.
  readonly #handle: number;
  #file: Identity;

  private constructor(path: string) {
    this.path = path;
    this.#handle = openSync(path, 'r');
    this.#file = fstatSync(this.#handle);
  }

  #isOurs(found: Identity | undefined): boolean {
    return found?.ino === this.#file.ino && found.mtimeMs === this.#file.mtimeMs;
  }

  /**
   * Tries to take the lock of a folder. Returns the lock, or the process that holds it. The lock of a process that has
   * ended is taken over.
   */
  static take(folder: string): FolderLock | LockHolder {
    const path = join(folder, 'lock');
    // The lock uses its own temporary folder, because the process that holds the lock clears the folder of the other
    // files.
    const writer = new AtomicWriter(join(folder, 'locking'));
    return withFileErrors(path, () => {
      for (const name of listNamesInFolder(join(folder, 'locking')))
        if (!isProcessRunning(Number.parseInt(name, 10) || 0)) rmSync(join(folder, 'locking', name), { force: true });
      // The token tells this attempt apart from other locks of the same process.
      const text = `${JSON.stringify({ ...ownLockHolder(), token: randomUUID() })}\n`;
      const temporaryPath = writer.make([encodeFileText(text)], 'lock', true);
      try {
        for (;;) {
          try {
            // Fails if the lock exists; the file is complete when it appears.
            runFileOperation('lock', 'rename', () => linkOrCopy(temporaryPath, path));
            return new FolderLock(path);
          } catch (error) {
            if (osErrorCode(error) !== 'EEXIST') {
              // The step may have failed after the lock file was created. If the file stayed, this process would
              // block itself.
              if (readTextFile(path) === text) rmSync(path, { force: true });
              throw error;
            }
          }
          const holder = FolderLock.#removeIfEnded(path, writer);
          if (holder !== null) return holder;
        }
      } finally {
        rmSync(temporaryPath, { force: true });
      }
    });
  }

  /** Waits for the lock of a folder. Throws if another process holds it for too long. */
  static async wait(folder: string): Promise<FolderLock> {
    const until = Date.now() + longestWait;
    for (;;) {
      const lock = FolderLock.take(folder);
      if (lock instanceof FolderLock) return lock;
      if (Date.now() > until) throw makeLockedError(folder, lock);
      await setTimeout(2 + Math.random() * 8);
    }
  }

  /** Removes a lock file if its process has ended; otherwise returns the process that holds the lock. */
  static #removeIfEnded(path: string, writer: AtomicWriter): LockHolder | null {
    const found = readTextFile(path);
    if (found === null) return null;
    const holder = readHolder(found);
    if (holder !== null && !isProcessGone(holder)) return holder;
    // The file is renamed first and then read again, because another process may have replaced it in between.
    const aside = writer.name();
    try {
      renameSync(path, aside);
    } catch (error) {
      if (osErrorCode(error) === 'ENOENT') return null;
      throw error;
    }
    if (readTextFile(aside) !== found) {
      try {
        linkOrCopy(aside, path);
      } catch (error) {
        if (osErrorCode(error) !== 'EEXIST') throw error;
      }
    }
    rmSync(aside, { force: true });
    return null;
  }

  /** Throws if this process has lost the lock, so that two processes never write at the same time. */
  check(): void {
    const found = withFileErrors(this.path, () => {
      const held = fstatSync(this.#handle);
      // If the file has not changed since the last check and still has a name, it is still at its path.
      return held.ctimeMs === this.#file.ctimeMs && held.nlink > 0 ? held : fileIdentity(this.path);
    });
    if (found !== undefined && this.#isOurs(found)) {
      this.#file = found;
      return;
    }
    throw new AppError({
      code: 'store/locked',
      kind: refusalKinds['store/locked'],
      message: `This process has lost the lock ${this.path}: close the store and open it again.`,
      data: { path: this.path },
    });
  }

  /** Releases the lock, if this process still holds it. */
  release(): void {
    try {
      if (this.#isOurs(fileIdentity(this.path))) rmSync(this.path, { force: true });
      closeSync(this.#handle);
    } catch {
      // A lock file that cannot be deleted does no harm: it is taken over after this process has ended.
    }
  }
}

/** Makes the error for a write to a folder that another process has locked. */
export function makeLockedError(place: string, holder: LockHolder): AppError {
  return new AppError({
    code: 'store/locked',
    kind: refusalKinds['store/locked'],
    message: `${place} is locked by the process ${holder.pid} on ${holder.host}. Close it there, then open it here again.`,
    data: { place, pid: holder.pid, host: holder.host },
    retryable: true,
  });
}
