/** Holds the calls that wait: in memory up to a bound, in files beyond it, and beyond that the oldest goes. */

import { type KeptCall, OverflowFiles } from './overflow-files.ts';
import type { RecorderOptions } from './recorder-contract.ts';
import { answerBytes, type CallEntered, type CallTaken, type WaitingCall } from './waiting-call.ts';

const [memoryBytes, spillBytes] = [64 * 1024 * 1024, 1024 * 1024 * 1024];
// What a call takes beside its bytes.
const callOverhead = 2_000;

/** What holding calls needs of the recorder. */
export interface CallBufferOptions
  extends Pick<RecorderOptions, 'newId' | 'now' | 'spillFolder' | 'memoryBytes' | 'spillBytes' | 'answerBytes'> {
  /** What was read of a call is not needed any more, or not in memory. */
  readonly forget: (place: WaitingCall) => void;
  readonly note: (error: unknown) => void;
  /** A call is given up without having been tried. */
  readonly drop: (place: WaitingCall, error: Error) => void;
  /** Something in a line changed. */
  readonly stir: (key: string) => void;
}

/** A place in a line. */
export interface TakenPlace {
  readonly key: string;
  readonly place: WaitingCall;
}

/** The calls that wait, by owner and project. */
export class CallBuffer {
  /** By owner and project: their exchanges are applied in the order in which the requests came. */
  readonly lines = new Map<string, WaitingCall[]>();
  /** Calls on their way to files. */
  readonly moves = new Set<Promise<void>>();
  readonly #options: CallBufferOptions;
  readonly #spill: OverflowFiles;
  readonly #most: number;
  #entered = 0;
  #bytes = 0;
  #moving = 0;
  #onDisk = 0;
  #files = 0;
  #dropped = 0;

  constructor(options: CallBufferOptions) {
    this.#options = options;
    this.#most = options.memoryBytes ?? memoryBytes;
    this.#spill = new OverflowFiles(options.spillFolder ?? null, options.newId);
  }

  /** How much there is. */
  get figures() {
    let waiting = 0;
    for (const line of this.lines.values())
      for (const { state } of line) if (state === 'ready' || state === 'recording') waiting += 1;
    return { waiting, waitingBytes: this.#bytes, spilled: this.#files, dropped: this.#dropped };
  }

  /** Takes a place in the line of an owner's project for a request that just came. */
  take(entered: CallEntered): TakenPlace {
    const taken = this.#takePlace(entered, entered.request);
    taken.place.size = entered.request.byteLength + callOverhead;
    this.#bytes += taken.place.size;
    return taken;
  }

  /** Whether so many more bytes of an answer may be kept, after so many. */
  admit(place: WaitingCall, kept: number, bytes: number): boolean {
    const most = this.#options.answerBytes ?? answerBytes;
    if (kept + bytes > most || this.#bytes + bytes > this.#most + most) return false;
    place.size += bytes;
    this.#bytes += bytes;
    return true;
  }

  /** So many bytes of an answer are not kept any more. */
  giveBack(place: WaitingCall, bytes: number): void {
    place.size -= bytes;
    this.#bytes -= bytes;
  }

  /** An answer is through: the call may be recorded from now on. */
  complete({ key, place }: TakenPlace, call: CallTaken): void {
    place.state = 'ready';
    place.readyAt = this.#options.now();
    place.call = call;
    const size = (place.request?.byteLength ?? 0) + call.response.byteLength + callOverhead;
    this.#bytes += size - place.size;
    place.size = size;
    if (this.#bytes > this.#most) this.#freeSpace(key, place);
  }

  /** Takes over what earlier processes left in files. */
  takeOver(): void {
    const keys = new Set<string>();
    for (const file of this.#spill.takeOver())
      try {
        keys.add(this.#adopt(file));
      } catch (error) {
        this.#options.note(error);
      }
    for (const key of keys) this.#options.stir(key);
  }

  /** Puts a call that was kept in a file elsewhere into its line. */
  async takeFrom(kept: string): Promise<void> {
    this.#options.stir(this.#adopt(await this.#spill.copyFrom(kept)));
  }

  /** Reads a call that waits in a file. */
  read(file: string): Promise<KeptCall> {
    return this.#spill.read(file);
  }

  /** Takes a call out of its line, with what it holds. */
  leave({ key, place }: TakenPlace): void {
    this.#options.forget(place);
    if (place.file === null) this.#bytes -= place.size;
    else {
      this.#onDisk -= place.size;
      this.#files -= 1;
      this.#spill.remove(place.file);
    }
    Object.assign(place, {
      state: 'gone',
      call: null,
      request: null,
      outline: null,
      keys: null,
      waitsFor: null,
      size: 0,
    });
    const line = this.lines.get(key) ?? [];
    const at = line.indexOf(place);
    if (at !== -1) line.splice(at, 1);
    if (line.length === 0) this.lines.delete(key);
  }

  /** Puts what is still in memory into files, for the next process. */
  async close(): Promise<void> {
    for (const line of this.lines.values())
      for (const place of [...line]) if (place.call !== null && place.file === null) await this.#toFile(place);
    await this.#spill.close();
  }

  #takePlace(
    { owner, project, wire, secrets }: Omit<CallEntered, 'request'>,
    request: Uint8Array | null,
    id: string = this.#options.newId(),
  ): TakenPlace {
    const key = JSON.stringify([owner, project]);
    const line = this.lines.get(key) ?? [];
    this.lines.set(key, line);
    const place: WaitingCall = {
      id,
      owner,
      project,
      wire,
      secrets,
      number: this.#entered++,
      state: 'open',
      request,
      call: null,
      outline: undefined,
      keys: null,
      placed: false,
      readyAt: 0,
      waitsFor: null,
      file: null,
      size: 0,
      moving: null,
    };
    line.push(place);
    return { key, place };
  }

  /** Takes a place for a call in a file; whose line it is in. */
  #adopt(file: string): string {
    const { id, owner, project, wire } = this.#spill.headOf(file);
    const { key, place } = this.#takePlace({ owner, project, wire, secrets: [] }, null, id);
    this.#files += 1;
    Object.assign(place, { state: 'ready', readyAt: this.#options.now(), file });
    return key;
  }

  /** Keeps to the bound: the newest goes to a file, and where that cannot be, the oldest goes for good. */
  #freeSpace(key: string, place: WaitingCall): void {
    const mostOnDisk = this.#options.spillBytes ?? spillBytes;
    const drop = () => {
      while (this.#bytes > this.#most && this.#dropOldest());
    };
    // A disk that hangs must not keep everything in memory that is on its way to it.
    if (this.#onDisk + this.#moving + place.size > mostOnDisk || this.#moving + place.size > this.#most) return drop();
    const moving = this.#toFile(place).then((there) => {
      if (!there) drop();
      place.moving = null;
      this.moves.delete(moving);
      this.#options.stir(key);
    });
    place.moving = moving;
    this.moves.add(moving);
  }

  async #toFile(place: WaitingCall): Promise<boolean> {
    this.#moving += place.size;
    try {
      const file = await this.#spill.write(place);
      if (file === null) return false;
      if (place.state === 'gone') {
        this.#spill.remove(file);
        return true;
      }
      this.#options.forget(place);
      place.call = null;
      place.request = null;
      place.file = file;
      this.#bytes -= place.size;
      this.#onDisk += place.size;
      this.#files += 1;
      return true;
    } catch (error) {
      this.#options.note(error);
      return false;
    } finally {
      this.#moving -= place.size;
    }
  }

  #dropOldest(): boolean {
    let found: TakenPlace | null = null;
    for (const [key, line] of this.lines) {
      const place = line.find((each) => each.state === 'ready' && each.call !== null);
      if (place !== undefined && (found === null || place.number < found.place.number)) found = { key, place };
    }
    if (found === null) return false;
    this.#options.drop(found.place, new Error('A call was not recorded: more came than could be written.'));
    this.leave(found);
    this.#dropped += 1;
    return true;
  }
}
