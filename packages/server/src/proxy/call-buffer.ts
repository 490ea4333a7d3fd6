/**
 * Stores waiting calls: in memory up to a limit, then in files. When the files are full too, the oldest call is
 * dropped.
 */

import { type KeptCall, OverflowFiles } from './overflow-files.ts';
import type { RecorderOptions } from './recorder-contract.ts';
import { unknownOrigin } from './session-of-call.ts';
import { type CapturedResponse, maxAnswerBytes, type QueuedCallInput, type WaitingCall } from './waiting-call.ts';

const [memoryBytes, spillBytes] = [64 * 1024 * 1024, 1024 * 1024 * 1024];
// The memory that a call takes besides its bytes.
const callOverhead = 2_000;

/** The functions of the recorder that the buffer calls. */
export interface CallBufferOptions
  extends Pick<RecorderOptions, 'newId' | 'now' | 'spillFolder' | 'memoryBytes' | 'spillBytes' | 'answerBytes'> {
  /** Releases the parsed form of a call. */
  readonly forget: (place: WaitingCall) => void;
  readonly note: (error: unknown) => void;
  /** Reports a call that is dropped without an attempt to record it. */
  readonly drop: (place: WaitingCall, error: Error) => void;
  /** Reports that the queue with this key has changed. */
  readonly stir: (key: string) => void;
}

/** The position of a call in a queue. */
export interface QueuePosition {
  readonly key: string;
  readonly place: WaitingCall;
}

/** The waiting calls, by owner and project. */
export class CallBuffer {
  /** The queues by owner and project. The calls of a queue are recorded in the order of their requests. */
  readonly lines = new Map<string, WaitingCall[]>();
  /** Calls that are being moved to files. */
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

  /** The number and size of waiting calls. */
  get figures() {
    let waiting = 0;
    for (const line of this.lines.values())
      for (const { state } of line) if (state === 'ready' || state === 'recording') waiting += 1;
    return { waiting, waitingBytes: this.#bytes, spilled: this.#files, dropped: this.#dropped };
  }

  /** Adds a new request to the queue of its owner and project. */
  take(entered: QueuedCallInput): QueuePosition {
    const taken = this.#takePlace(entered, entered.request);
    taken.place.size = entered.request.byteLength + callOverhead;
    this.#bytes += taken.place.size;
    return taken;
  }

  /** The calls of an owner whose responses are not complete. */
  openCalls(owner: string): readonly WaitingCall[] {
    return [...this.lines.values()].flat().filter((place) => place.owner === owner && place.state === 'open');
  }

  /** Whether so many more bytes of a response may be kept, in addition to `kept`. */
  admit(place: WaitingCall, kept: number, bytes: number): boolean {
    const most = this.#options.answerBytes ?? maxAnswerBytes;
    if (kept + bytes > most || this.#bytes + bytes > this.#most + most) return false;
    place.size += bytes;
    this.#bytes += bytes;
    return true;
  }

  /** Releases bytes of a response. */
  giveBack(place: WaitingCall, bytes: number): void {
    place.size -= bytes;
    this.#bytes -= bytes;
  }

  /** Marks the response as complete, so that the call can be recorded. */
  complete({ key, place }: QueuePosition, call: CapturedResponse): void {
    place.state = 'ready';
    place.readyAt = this.#options.now();
    place.call = call;
    const size = (place.request?.byteLength ?? 0) + call.response.byteLength + callOverhead;
    this.#bytes += size - place.size;
    place.size = size;
    if (this.#bytes > this.#most) this.#freeSpace(key, place);
  }

  /** Adds the files of earlier processes to the queues. */
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

  /** Adds a failed call from its file to the queue. */
  async takeFrom(kept: string): Promise<void> {
    this.#options.stir(this.#adopt(await this.#spill.copyFrom(kept)));
  }

  /** Reads a call from its file. */
  read(file: string): Promise<KeptCall> {
    return this.#spill.read(file);
  }

  /** Removes a call from its queue and releases its memory. */
  leave({ key, place }: QueuePosition): void {
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

  /** Moves the calls in memory to files, for the next process. */
  async close(): Promise<void> {
    for (const line of this.lines.values())
      for (const place of [...line]) if (place.call !== null && place.file === null) await this.#toFile(place);
    await this.#spill.close();
  }

  #takePlace(
    { owner, project, wire, secrets, origin = unknownOrigin }: Omit<QueuedCallInput, 'request'>,
    request: Uint8Array | null,
    id: string = this.#options.newId(),
  ): QueuePosition {
    const key = JSON.stringify([owner, project]);
    const line = this.lines.get(key) ?? [];
    this.lines.set(key, line);
    const place: WaitingCall = {
      id,
      owner,
      project,
      wire,
      secrets,
      origin,
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

  /** Adds a call from a file to its queue; returns the queue's key. */
  #adopt(file: string): string {
    const { id, owner, project, wire, origin } = this.#spill.headOf(file);
    const { key, place } = this.#takePlace({ owner, project, wire, secrets: [], origin }, null, id);
    this.#files += 1;
    Object.assign(place, { state: 'ready', readyAt: this.#options.now(), file });
    return key;
  }

  /** Enforces the limits: moves the newest call to a file, or drops the oldest if the files are full. */
  #freeSpace(key: string, place: WaitingCall): void {
    const mostOnDisk = this.#options.spillBytes ?? spillBytes;
    const drop = () => {
      while (this.#bytes > this.#most && this.#dropOldest());
    };
    // A disk that does not respond must not keep all the calls in memory that are being moved to it.
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
    let found: QueuePosition | null = null;
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
