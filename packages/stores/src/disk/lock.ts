/** Who may write to a folder: one process at a time, told by a file that is made whole or not at all. */
import { closeSync, fstatSync, openSync, readFileSync, readlinkSync, renameSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { AppError, refusalKinds } from '@coppice/core';
import {
  AtomicWriter,
  bytesOfFile,
  fileStep,
  linkOrCopy,
  namesInFolder,
  onFile,
  readTextFile,
  systemCode,
} from './atomic-files.ts';
import { isDiskFields } from './decode.ts';

const longestWait = 10_000;

/** A process that holds a folder. */
export interface Holder {
  readonly pid: number;
  /** When the process began, in ticks of its machine's clock since it was started: tells processes of one number apart. */
  readonly started: string | null;
  /** Which run of the machine it is. */
  readonly boot: string | null;
  readonly host: string;
  /** The numbering of processes that the number belongs to; containers have their own. */
  readonly space: string | null;
}

function describeHolder(read: () => string): string | null {
  try {
    return read().trim();
  } catch {
    return null;
  }
}

/** Which run of the machine this is; null where the system does not say. */
export function bootId(): string | null {
  return describeHolder(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
}

function processStart(pid: number): string | null {
  // The name of a program may hold anything, so what follows its last parenthesis is counted.
  return describeHolder(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  });
}

function ourselves(): Holder {
  return {
    pid: process.pid,
    started: processStart(process.pid),
    boot: bootId(),
    host: hostname(),
    space: describeHolder(() => readlinkSync('/proc/self/ns/pid')),
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

/** Whether a holder is surely gone. What cannot be looked at, such as a process of another machine, is taken to live. */
function isProcessGone(holder: Holder, here: Holder = ourselves()): boolean {
  if (holder.host !== here.host) return false;
  if (holder.boot !== here.boot) return true;
  // A container that was started again has its own numbering; its name stays, and its old processes are gone.
  if (holder.space !== here.space) return true;
  if (!isAlive(holder.pid)) return true;
  return holder.started !== processStart(holder.pid);
}

function readHolder(text: string): Holder | null {
  try {
    const json: unknown = JSON.parse(text);
    if (!isDiskFields(json)) return null;
    const { pid, started, boot, host, space } = json;
    if (typeof pid !== 'number' || typeof host !== 'string') return null;
    const word = (value: unknown) => (typeof value === 'string' ? value : null);
    return { pid, started: word(started), boot: word(boot), host, space: word(space) };
  } catch {
    return null;
  }
}

/** Which file this is. The number alone would be given again to the next file. */
interface Identity {
  readonly ino: number;
  readonly mtimeMs: number;
  /** When anything about it changed, also its names. */
  readonly ctimeMs: number;
}

function identity(path: string): Identity | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/** A lock that this process holds. */
export class FolderLock {
  readonly path: string;
  // Held open: what happens to the file shows there, without the way to it being gone each time.
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

  /** Takes the lock of a folder, or tells who has it. The lock of a process that is gone is taken over. */
  static take(folder: string): FolderLock | Holder {
    const path = join(folder, 'lock');
    // A bench of its own: the other one is cleared by whoever has the lock.
    const bench = new AtomicWriter(join(folder, 'locking'));
    return onFile(path, () => {
      for (const name of namesInFolder(join(folder, 'locking')))
        if (!isAlive(Number.parseInt(name, 10) || 0)) rmSync(join(folder, 'locking', name), { force: true });
      const made = bench.make([bytesOfFile(`${JSON.stringify(ourselves())}\n`)], 'lock', true);
      try {
        for (;;) {
          try {
            // Fails if there is one, and the file is complete when it appears.
            fileStep('lock', 'rename', () => linkOrCopy(made, path));
            return new FolderLock(path);
          } catch (error) {
            if (systemCode(error) !== 'EEXIST') throw error;
          }
          const holder = FolderLock.#takeAway(path, bench);
          if (holder !== null) return holder;
        }
      } finally {
        rmSync(made, { force: true });
      }
    });
  }

  /** Takes the lock of a folder as soon as it is free. Refuses where somebody has it for long. */
  static async wait(folder: string): Promise<FolderLock> {
    const until = Date.now() + longestWait;
    for (;;) {
      const lock = FolderLock.take(folder);
      if (lock instanceof FolderLock) return lock;
      if (Date.now() > until) throw lockHolder(folder, lock);
      await setTimeout(2 + Math.random() * 8);
    }
  }

  /** Takes a lock away if its holder is gone; else tells the holder. */
  static #takeAway(path: string, bench: AtomicWriter): Holder | null {
    const found = readTextFile(path);
    if (found === null) return null;
    const holder = readHolder(found);
    if (holder !== null && !isProcessGone(holder)) return holder;
    // Moved aside first and looked at again: another process may have taken it over between the look and the move.
    const aside = bench.name();
    try {
      renameSync(path, aside);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return null;
      throw error;
    }
    if (readTextFile(aside) !== found) {
      try {
        linkOrCopy(aside, path);
      } catch (error) {
        if (systemCode(error) !== 'EEXIST') throw error;
      }
    }
    rmSync(aside, { force: true });
    return null;
  }

  /** Refuses if the lock is not ours any more, so that two writers never go on side by side. */
  check(): void {
    const found = onFile(this.path, () => {
      const held = fstatSync(this.#handle);
      // Nothing about the file changed, not even its name: it is where it was.
      return held.ctimeMs === this.#file.ctimeMs && held.nlink > 0 ? held : identity(this.path);
    });
    if (found !== undefined && this.#isOurs(found)) {
      this.#file = found;
      return;
    }
    throw new AppError({
      code: 'store/locked',
      kind: refusalKinds['store/locked'],
      message: `The lock ${this.path} is not ours any more: close the store and open it again.`,
      data: { path: this.path },
    });
  }

  /** Gives the lock up, if it is still ours. */
  release(): void {
    try {
      if (this.#isOurs(identity(this.path))) rmSync(this.path, { force: true });
      closeSync(this.#handle);
    } catch {
      // Whoever took it away has it now.
    }
  }
}

/** The refusal of a write to a folder that somebody else holds. */
export function lockHolder(place: string, holder: Holder): AppError {
  return new AppError({
    code: 'store/locked',
    kind: refusalKinds['store/locked'],
    message: `${place} is written by the process ${holder.pid} on ${holder.host}: close it there and open it here again.`,
    data: { place, pid: holder.pid, host: holder.host },
    retryable: true,
  });
}
