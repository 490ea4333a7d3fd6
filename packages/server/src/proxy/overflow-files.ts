/** Calls that wait in files: those that memory had no room for, and those that were left when a server stopped. */
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WireKind } from './exchange.ts';
import { requestForFile } from './hide-keys.ts';
import { answerForFile } from './read-answer.ts';
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

type OverflowHead = Omit<KeptCall, 'id' | 'request' | 'call'> &
  Omit<CallTaken, 'response'> & { readonly id?: string; readonly requestBytes: number };

const [whole, part] = ['.call', '.part'];
// What is told of a call before its bytes is short.
const headBytes = 16 * 1024;

// The folders of this process: a folder with its number that is not among them was left by an earlier one.
const own = new Set<string>();

/** A call as it is put into a file, without the keys that came with it. Null where there is nothing to write. */
export async function encodeCall(waiting: WaitingCall): Promise<Buffer | null> {
  const { id, owner, project, wire, secrets } = waiting;
  if (waiting.call === null || waiting.request === null) return null;
  const request = requestForFile(waiting.request, secrets);
  const { response, ...rest } = await answerForFile(wire, waiting.call, secrets);
  const head: OverflowHead = { ...rest, id, owner, project, wire, requestBytes: request.byteLength };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), request, response]);
}

/** The files of one recorder, in a folder that nobody else writes to. */
export class OverflowFiles {
  readonly #parent: string | null;
  readonly #newId: () => string;
  readonly #removing = new Set<Promise<void>>();
  #folder: string | null = null;
  /** Those that earlier processes left. */
  readonly #taken: string[] = [];

  /** Below the given folder; in a fresh temporary one if there is none. */
  constructor(parent: string | null, newId: () => string) {
    this.#parent = parent;
    this.#newId = newId;
  }

  /** Writes a call to a file of its own, for its owner's eyes alone. Null where there is nothing to write. */
  async write(waiting: WaitingCall): Promise<string | null> {
    const bytes = await encodeCall(waiting);
    if (bytes === null) return null;
    // By the time of their requests, so that whoever takes them over has them in order.
    const file = join(this.#open(), `${String(waiting.number).padStart(12, '0')}-${this.#newId()}${whole}`);
    // Under a name of its own until it is whole: half an answer would be recorded as if it were one.
    await writeFile(`${file}${part}`, bytes, { mode: 0o600 });
    await rename(`${file}${part}`, file);
    return file;
  }

  /** Copies a call that was kept elsewhere into a file of this recorder. */
  async copyFrom(kept: string): Promise<string> {
    const file = join(this.#open(), `${'9'.repeat(12)}-${this.#newId()}${whole}`);
    await copyFile(kept, `${file}${part}`);
    await rename(`${file}${part}`, file);
    return file;
  }

  /** Whose a call is, read at once: so those of an earlier process are in line before the first of this one. */
  headOf(file: string): Pick<KeptCall, 'id' | 'owner' | 'project' | 'wire'> {
    const beginning = Buffer.alloc(headBytes);
    const opened = openSync(file, 'r');
    try {
      const length = readSync(opened, beginning);
      const end = beginning.subarray(0, length).indexOf(10);
      const { id = this.#newId(), owner, project, wire }: OverflowHead = JSON.parse(beginning.toString('utf8', 0, end));
      return { id, owner, project, wire };
    } finally {
      closeSync(opened);
    }
  }

  /** Reads one back. */
  async read(file: string): Promise<KeptCall> {
    const bytes = await readFile(file);
    const end = bytes.indexOf(10);
    const head: OverflowHead = JSON.parse(bytes.subarray(0, end).toString('utf8'));
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
    const left = namesInDirectory(this.#parent).filter((each) => /^\d+-/.test(each) && isLeft(each));
    for (const name of left.sort(byTime)) {
      const folder = `${process.pid}-${this.#newId()}`;
      own.add(folder);
      try {
        // Whoever renames it first has it.
        renameSync(join(this.#parent, name), join(this.#parent, folder));
      } catch {
        continue;
      }
      const taken = join(this.#parent, folder);
      this.#taken.push(taken);
      for (const file of namesInDirectory(taken)) {
        if (file.endsWith(whole)) files.push(join(taken, file));
        else rmSync(join(taken, file), { force: true, recursive: true });
      }
    }
    return files;
  }

  /** Takes the folders away in which nothing is. */
  async close(): Promise<void> {
    await Promise.all(this.#removing);
    for (const folder of this.#folder === null ? this.#taken : [...this.#taken, this.#folder])
      try {
        rmdirSync(folder);
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

function namesInDirectory(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

// Behind the number of its process a folder has an id that grows with time.
function byTime(one: string, other: string): number {
  const [a, b] = [one, other].map((name) => name.slice(name.indexOf('-')));
  return a === undefined || b === undefined || a === b ? 0 : a < b ? -1 : 1;
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
