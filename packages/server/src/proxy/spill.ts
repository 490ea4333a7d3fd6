/** Calls that wait in files: those that memory had no room for, and those that were left when a server stopped. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WireKind } from './exchange.ts';
import type { CallTaken, WaitingCall } from './waiting-call.ts';

/** A call as it was put into a file. */
export interface KeptCall {
  /** What its answers are named by. */
  readonly id: string;
  readonly owner: string;
  readonly project: string;
  readonly wire: WireKind;
  readonly request: Uint8Array;
  readonly call: CallTaken;
}

type Head = Omit<KeptCall, 'id' | 'request' | 'call'> &
  Omit<CallTaken, 'response'> & { readonly id?: string; readonly requestBytes: number };

// The folders of this process: a folder with its number that is not among them was left by an earlier one.
const own = new Set<string>();

/** The files of one recorder, in a folder that nobody else writes to. */
export class Spill {
  readonly #parent: string | null;
  readonly #newId: () => string;
  readonly #removing = new Set<Promise<void>>();
  #folder: string | null = null;

  /** Below the given folder; in a fresh temporary one if there is none. */
  constructor(parent: string | null, newId: () => string) {
    this.#parent = parent;
    this.#newId = newId;
  }

  /** Writes a call to a file of its own, for its owner's eyes alone. Null where there is nothing to write. */
  async write(waiting: WaitingCall): Promise<string | null> {
    const { id, owner, project, wire, call, request } = waiting;
    if (call === null || request === null) return null;
    const { response, ...rest } = call;
    const head: Head = { ...rest, id, owner, project, wire, requestBytes: request.byteLength };
    // By the time of their requests, so that whoever takes them over has them in order.
    const file = join(this.#open(), `${String(waiting.number).padStart(12, '0')}-${this.#newId()}.call`);
    await writeFile(file, Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), request, response]), {
      mode: 0o600,
    });
    return file;
  }

  /** Reads one back. */
  async read(file: string): Promise<KeptCall> {
    const bytes = await readFile(file);
    const end = bytes.indexOf(10);
    const head: Head = JSON.parse(bytes.subarray(0, end).toString('utf8'));
    // Those that were kept before calls had ids get one now.
    const { id = this.#newId(), owner, project, wire, requestBytes, ...rest } = head;
    const [from, to] = [end + 1, end + 1 + requestBytes];
    const call: CallTaken = { ...rest, encoding: rest.encoding, response: bytes.subarray(to) };
    return { id, owner, project, wire, request: bytes.subarray(from, to), call };
  }

  /** Removes one; nobody waits for it. */
  remove(file: string): void {
    const removing = rm(file, { force: true })
      .catch(() => undefined)
      .then(() => void this.#removing.delete(removing));
    this.#removing.add(removing);
  }

  /** The files that were left by processes that are gone, oldest first; they are this recorder's from now on. */
  takeOver(): readonly string[] {
    if (this.#parent === null) return [];
    const files: string[] = [];
    for (const name of namesIn(this.#parent).filter((each) => /^\d+-/.test(each) && isLeft(each))) {
      const folder = `${process.pid}-${this.#newId()}`;
      own.add(folder);
      try {
        // Whoever renames it first has it.
        renameSync(join(this.#parent, name), join(this.#parent, folder));
      } catch {
        continue;
      }
      for (const file of namesIn(join(this.#parent, folder))) files.push(join(this.#parent, folder, file));
    }
    return files;
  }

  /** Takes the folder away if nothing is in it. */
  async close(): Promise<void> {
    await Promise.all(this.#removing);
    if (this.#folder === null) return;
    try {
      rmdirSync(this.#folder);
    } catch {
      // Something is in it, for the next process.
    }
  }

  #open(): string {
    if (this.#folder !== null) return this.#folder;
    const name = `${process.pid}-${this.#newId()}`;
    own.add(name);
    if (this.#parent === null) this.#folder = mkdtempSync(join(tmpdir(), 'coppice-proxy-'));
    else {
      const folder = join(this.#parent, name);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      this.#folder = folder;
    }
    return this.#folder;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function isLeft(folder: string): boolean {
  if (own.has(folder)) return false;
  const pid = Number.parseInt(folder, 10);
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // Somebody else's process is one that runs.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
