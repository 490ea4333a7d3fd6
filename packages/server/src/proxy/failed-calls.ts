/** Stores calls that could not be recorded. Each stays listed with its reason until it is acknowledged or recorded. */
import { isAppError } from '@coppice/core';
import { joinPath, mkdir, readdir, readdirSync, readFile, readFileSync, rename, rm, writeFile } from '#platform/system';
import { isWireKind, parseJsonObject, readTextField, type WireKind } from './exchange.ts';
import { encodeOverflowCall } from './overflow-files.ts';
import { removeSecrets } from './remove-secrets.ts';
import type { WaitingCall } from './waiting-call.ts';

export interface FailedCall {
  readonly id: string;
  /** The owner. Other users cannot see the call. */
  readonly owner: string;
  /** The time at which recording was given up. */
  readonly at: number;
  readonly project: string;
  readonly wire: WireKind;
  /** The model; null if the call was never parsed. */
  readonly model: string | null;
  /** The status of the response; null if unknown. */
  readonly status: number | null;
  readonly code: string;
  readonly reason: string;
  /** The size of the file from which the call can be recorded later; 0 if it has no file. */
  readonly keptBytes: number;
}

/** When and for which model recording failed, and the status of the response. */
export type FailedCallDetails = Pick<FailedCall, 'at' | 'model' | 'status'>;

// The largest number of listed calls, and the largest total size of their files. Calls beyond the first limit are only
// counted; calls beyond the second have no file.
const [maxCalls, maxBytes] = [10_000, 256 * 1024 * 1024];
const [noteEnding, callEnding] = ['.json', '.call'];
const safeId = /^[\w-]{1,100}$/;

/** Stores failed calls in a folder that other processes can read, or in memory if no folder is configured. */
export class FailedCalls {
  readonly #folder: string | null;
  readonly #calls = new Map<string, FailedCall>();
  /** The calls with a file. If the file is missing, another process has acknowledged the call. */
  readonly #inFiles = new Set<string>();
  readonly #writes = new Set<Promise<void>>();
  #uncounted = 0;
  #refreshing: Promise<void> | null = null;

  /** Stores failed calls in a subfolder of `parent`, or in memory if `parent` is null. */
  constructor(parent: string | null) {
    this.#folder = parent === null ? null : joinPath(parent, 'failed');
    if (this.#folder !== null) this.#load(readNotes(this.#folder));
  }

  /** The number of unacknowledged calls. */
  get count(): number {
    return this.#calls.size + this.#uncounted;
  }

  /** Returns the calls of an owner, newest first. */
  async list(owner: string): Promise<readonly FailedCall[]> {
    await this.refresh();
    return [...this.#calls.values()].filter((call) => call.owner === owner).sort((a, b) => b.at - a.at);
  }

  /** Reads the calls that other processes added or acknowledged. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#readFolder().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /**
   * Adds a call with the reason of its failure and, if requested, its bytes. Never rejects: if the disk is full, the
   * list in memory still has the call.
   */
  async add(
    waitingCall: WaitingCall,
    about: FailedCallDetails,
    error: unknown,
    keepsCall: boolean,
  ): Promise<FailedCall> {
    const { owner, project, wire, secrets } = waitingCall;
    const id = safeId.test(waitingCall.id) ? waitingCall.id : `${about.at}-${waitingCall.number}`;
    const message = error instanceof Error ? error.message : String(error);
    const note: FailedCall = {
      id,
      owner,
      project,
      wire,
      ...about,
      code: isAppError(error) ? error.code : 'proxy/failed',
      reason: removeSecrets(message, secrets, 'error'),
      keptBytes: 0,
    };
    if (this.#calls.size >= maxCalls) {
      this.#uncounted += 1;
      return note;
    }
    this.#calls.set(id, note);
    await this.#track(this.#keep(note, waitingCall, keepsCall));
    return this.#calls.get(id) ?? note;
  }

  /** Removes calls of an owner from the list, by default all. Returns their number. */
  async acknowledge(owner: string, ids?: readonly string[]): Promise<number> {
    await this.refresh();
    const named = ids === undefined ? null : new Set(ids);
    const found = [...this.#calls.values()].filter((call) => call.owner === owner && (named?.has(call.id) ?? true));
    for (const { id } of found) {
      this.#calls.delete(id);
      this.#inFiles.delete(id);
      await this.#remove(id);
    }
    if (named === null) this.#uncounted = 0;
    return found.length;
  }

  /** Returns the file of a failed call; null if the call has no file or belongs to another owner. */
  fileOf(owner: string, id: string): string | null {
    const call = this.#calls.get(id);
    if (this.#folder === null || call === undefined || call.owner !== owner || call.keptBytes === 0) return null;
    return joinPath(this.#folder, `${id}${callEnding}`);
  }

  /** Resolves when all writes have finished. */
  async waitForWrites(): Promise<void> {
    while (this.#writes.size > 0) await Promise.all(this.#writes);
  }

  async #keep(note: FailedCall, waitingCall: WaitingCall, keepsCall: boolean): Promise<void> {
    if (this.#folder === null) return;
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const bytes = keepsCall ? await this.#writeCall(note.id, waitingCall) : 0;
      const whole = { ...note, keptBytes: bytes };
      await this.#write(`${note.id}${noteEnding}`, JSON.stringify(whole));
      if (!this.#calls.has(note.id)) return await this.#remove(note.id);
      this.#calls.set(note.id, whole);
      this.#inFiles.add(note.id);
    } catch {
      // The disk is full or unavailable. The note is kept in memory and in the log.
    }
  }

  async #writeCall(id: string, waitingCall: WaitingCall): Promise<number> {
    let kept = 0;
    for (const { keptBytes } of this.#calls.values()) kept += keptBytes;
    const call = await encodeOverflowCall(waitingCall).catch(() => null);
    if (call === null || kept + call.byteLength > maxBytes) return 0;
    await this.#write(`${id}${callEnding}`, call);
    return call.byteLength;
  }

  /** Writes a file under a temporary name, then renames it, so that readers see no partial file. */
  async #write(name: string, bytes: string | Uint8Array): Promise<void> {
    const file = joinPath(this.#folder ?? '', name);
    await writeFile(`${file}.part`, bytes, { mode: 0o600 });
    await rename(`${file}.part`, file);
  }

  async #remove(id: string): Promise<void> {
    if (this.#folder === null) return;
    for (const ending of [noteEnding, callEnding])
      await rm(joinPath(this.#folder, `${id}${ending}`), { force: true }).catch(() => undefined);
  }

  #track(work: Promise<void>): Promise<void> {
    const tracked = work.finally(() => void this.#writes.delete(tracked));
    this.#writes.add(tracked);
    return tracked;
  }

  async #readFolder(): Promise<void> {
    if (this.#folder === null) return;
    await this.waitForWrites();
    const folder = this.#folder;
    const names = new Set((await readdir(folder).catch(() => [])).filter((name) => name.endsWith(noteEnding)));
    for (const id of this.#inFiles)
      if (!names.has(`${id}${noteEnding}`)) {
        this.#inFiles.delete(id);
        this.#calls.delete(id);
      }
    const added = [...names].filter((name) => !this.#inFiles.has(name.slice(0, -noteEnding.length)));
    const texts = await Promise.all(added.map((name) => readFile(joinPath(folder, name), 'utf8').catch(() => '')));
    this.#load(texts);
  }

  #load(notes: readonly string[]): void {
    for (const text of notes) {
      const note = readNote(text);
      if (note === null) continue;
      this.#calls.set(note.id, note);
      this.#inFiles.add(note.id);
    }
  }
}

/** Reads the notes of earlier processes synchronously, so that the first health report is correct. */
function readNotes(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(noteEnding))
      .map((name) => readFileSync(joinPath(folder, name), 'utf8'));
  } catch {
    return [];
  }
}

/** Returns the note of a call; null if it is invalid, for example in a truncated file. */
function readNote(text: string): FailedCall | null {
  const note = parseJsonObject(text);
  if (note === null) return null;
  const [id, owner, project, wire] = ['id', 'owner', 'project', 'wire'].map((key) => readTextField(note, key) ?? '');
  const { at, status, keptBytes } = note;
  if (id === undefined || !safeId.test(id) || owner === undefined || project === undefined) return null;
  if (!isWireKind(wire) || typeof at !== 'number') return null;
  return {
    id,
    owner,
    project,
    wire,
    at,
    model: readTextField(note, 'model'),
    status: typeof status === 'number' ? status : null,
    code: readTextField(note, 'code') ?? 'proxy/failed',
    reason: readTextField(note, 'reason') ?? '',
    keptBytes: typeof keptBytes === 'number' ? keptBytes : 0,
  };
}
