/**
 * Stores calls until they are recorded: in memory up to a limit, then in files. When the files are full too, the oldest
 * call is dropped.
 */

import { type OverflowCall, OverflowFiles } from './overflow-files.ts';
import type { RecorderOptions } from './recorder-contract.ts';
import { unknownCallOrigin } from './session-of-call.ts';
import { type CapturedResponse, maxAnswerBytes, type QueuedCallInput, type WaitingCall } from './waiting-call.ts';

const [memoryBytes, spillBytes] = [64 * 1024 * 1024, 1024 * 1024 * 1024];
// The estimated memory of a call besides its bytes.
const callOverhead = 2_000;

/** The limits of the buffer, and the functions of the recorder that it calls. */
export interface CallBufferOptions
  extends Pick<RecorderOptions, 'newId' | 'now' | 'spillFolder' | 'memoryBytes' | 'spillBytes' | 'answerBytes'> {
  /** Releases the parsed form of a call. */
  readonly forget: (waitingCall: WaitingCall) => void;
  readonly onError: (error: unknown) => void;
  /** Reports a call that is dropped without an attempt to record it. */
  readonly drop: (waitingCall: WaitingCall, error: Error) => void;
  /** Reports that the queue with this key has changed. */
  readonly onChanged: (key: string) => void;
}

/** A call, and the key of its queue. */
export interface CallInQueue {
  readonly key: string;
  readonly waitingCall: WaitingCall;
}

/** The waiting calls, by owner and project. */
export class CallBuffer {
  /** The queues by owner and project. The calls of a queue are recorded in the order of their requests. */
  readonly queues = new Map<string, WaitingCall[]>();
  /** Calls that are being moved to files. */
  readonly moves = new Set<Promise<void>>();
  readonly #options: CallBufferOptions;
  readonly #overflowFiles: OverflowFiles;
  readonly #maxBytes: number;
  #callCount = 0;
  #memoryBytes = 0;
  #movingBytes = 0;
  #diskBytes = 0;
  #fileCount = 0;
  #dropped = 0;

  constructor(options: CallBufferOptions) {
    this.#options = options;
    this.#maxBytes = options.memoryBytes ?? memoryBytes;
    this.#overflowFiles = new OverflowFiles(options.spillFolder ?? null, options.newId);
  }

  /** The number and size of waiting calls. */
  get figures() {
    let waiting = 0;
    for (const queue of this.queues.values())
      for (const { state } of queue) if (state === 'ready' || state === 'recording') waiting += 1;
    return { waiting, waitingBytes: this.#memoryBytes, spilled: this.#fileCount, dropped: this.#dropped };
  }

  /** Adds a new request to the queue of its owner and project. */
  add(input: QueuedCallInput): CallInQueue {
    const position = this.#enqueue(input, input.request);
    position.waitingCall.size = input.request.byteLength + callOverhead;
    this.#memoryBytes += position.waitingCall.size;
    return position;
  }

  /** Returns the calls of an owner whose responses are not complete. */
  openCalls(owner: string): readonly WaitingCall[] {
    return [...this.queues.values()]
      .flat()
      .filter((waitingCall) => waitingCall.owner === owner && waitingCall.state === 'open');
  }

  /**
   * Reserves memory for `bytes` more of a response, of which `kept` are stored. Returns false if the limits do not
   * allow it.
   */
  reserveBytes(waitingCall: WaitingCall, kept: number, bytes: number): boolean {
    const most = this.#options.answerBytes ?? maxAnswerBytes;
    if (kept + bytes > most || this.#memoryBytes + bytes > this.#maxBytes + most) return false;
    waitingCall.size += bytes;
    this.#memoryBytes += bytes;
    return true;
  }

  /** Releases reserved bytes of a response. */
  releaseBytes(waitingCall: WaitingCall, bytes: number): void {
    waitingCall.size -= bytes;
    this.#memoryBytes -= bytes;
  }

  /** Marks the response as complete, so that the call can be recorded. */
  complete({ key, waitingCall }: CallInQueue, call: CapturedResponse): void {
    waitingCall.state = 'ready';
    waitingCall.readyAt = this.#options.now();
    waitingCall.call = call;
    const size = (waitingCall.request?.byteLength ?? 0) + call.response.byteLength + callOverhead;
    this.#memoryBytes += size - waitingCall.size;
    waitingCall.size = size;
    if (this.#memoryBytes > this.#maxBytes) this.#freeSpace(key, waitingCall);
  }

  /** Adds calls that earlier processes left in files to the queues. */
  adoptEarlierFiles(): void {
    const keys = new Set<string>();
    for (const file of this.#overflowFiles.adoptEarlierFiles())
      try {
        keys.add(this.#addFile(file));
      } catch (error) {
        this.#options.onError(error);
      }
    for (const key of keys) this.#options.onChanged(key);
  }

  /** Adds a failed call from its file to the queue, to record it again. */
  async addFromFile(kept: string): Promise<void> {
    this.#options.onChanged(this.#addFile(await this.#overflowFiles.copyFrom(kept)));
  }

  /** Reads a call from its file. */
  read(file: string): Promise<OverflowCall> {
    return this.#overflowFiles.read(file);
  }

  /** Removes a call from its queue and releases its memory. */
  remove({ key, waitingCall }: CallInQueue): void {
    this.#options.forget(waitingCall);
    if (waitingCall.file === null) this.#memoryBytes -= waitingCall.size;
    else {
      this.#diskBytes -= waitingCall.size;
      this.#fileCount -= 1;
      this.#overflowFiles.remove(waitingCall.file);
    }
    Object.assign(waitingCall, {
      state: 'gone',
      call: null,
      request: null,
      digest: null,
      keys: null,
      waitsFor: null,
      size: 0,
    });
    const queue = this.queues.get(key) ?? [];
    const at = queue.indexOf(waitingCall);
    if (at !== -1) queue.splice(at, 1);
    if (queue.length === 0) this.queues.delete(key);
  }

  /** Writes the calls in memory to files, for the next process. */
  async close(): Promise<void> {
    for (const queue of this.queues.values())
      for (const waitingCall of [...queue])
        if (waitingCall.call !== null && waitingCall.file === null) await this.#moveToFile(waitingCall);
    await this.#overflowFiles.close();
  }

  #enqueue(
    { owner, project, wire, secrets, origin = unknownCallOrigin }: Omit<QueuedCallInput, 'request'>,
    request: Uint8Array | null,
    id: string = this.#options.newId(),
  ): CallInQueue {
    const key = JSON.stringify([owner, project]);
    const queue = this.queues.get(key) ?? [];
    this.queues.set(key, queue);
    const waitingCall: WaitingCall = {
      id,
      owner,
      project,
      wire,
      secrets,
      origin,
      number: this.#callCount++,
      state: 'open',
      request,
      call: null,
      digest: undefined,
      keys: null,
      placed: false,
      readyAt: 0,
      waitsFor: null,
      file: null,
      size: 0,
      moving: null,
    };
    queue.push(waitingCall);
    return { key, waitingCall };
  }

  /** Adds a call from a file to its queue; returns the queue's key. */
  #addFile(file: string): string {
    const { id, owner, project, wire, origin } = this.#overflowFiles.headOf(file);
    const { key, waitingCall } = this.#enqueue({ owner, project, wire, secrets: [], origin }, null, id);
    this.#fileCount += 1;
    Object.assign(waitingCall, { state: 'ready', readyAt: this.#options.now(), file });
    return key;
  }

  /**
   * Frees memory: moves the call that has just completed to a file, or drops the oldest calls if the files are full.
   */
  #freeSpace(key: string, waitingCall: WaitingCall): void {
    const maxDiskBytes = this.#options.spillBytes ?? spillBytes;
    const drop = () => {
      while (this.#memoryBytes > this.#maxBytes && this.#dropOldest());
    };
    // The files would become too large, or the disk is too slow: calls that wait for the disk must not fill the memory.
    if (
      this.#diskBytes + this.#movingBytes + waitingCall.size > maxDiskBytes ||
      this.#movingBytes + waitingCall.size > this.#maxBytes
    )
      return drop();
    const moving = this.#moveToFile(waitingCall).then((isMoved) => {
      if (!isMoved) drop();
      waitingCall.moving = null;
      this.moves.delete(moving);
      this.#options.onChanged(key);
    });
    waitingCall.moving = moving;
    this.moves.add(moving);
  }

  async #moveToFile(waitingCall: WaitingCall): Promise<boolean> {
    this.#movingBytes += waitingCall.size;
    try {
      const file = await this.#overflowFiles.write(waitingCall);
      if (file === null) return false;
      if (waitingCall.state === 'gone') {
        this.#overflowFiles.remove(file);
        return true;
      }
      this.#options.forget(waitingCall);
      waitingCall.call = null;
      waitingCall.request = null;
      waitingCall.file = file;
      this.#memoryBytes -= waitingCall.size;
      this.#diskBytes += waitingCall.size;
      this.#fileCount += 1;
      return true;
    } catch (error) {
      this.#options.onError(error);
      return false;
    } finally {
      this.#movingBytes -= waitingCall.size;
    }
  }

  #dropOldest(): boolean {
    let found: CallInQueue | null = null;
    for (const [key, queue] of this.queues) {
      const waitingCall = queue.find((each) => each.state === 'ready' && each.call !== null);
      if (waitingCall !== undefined && (found === null || waitingCall.number < found.waitingCall.number))
        found = { key, waitingCall };
    }
    if (found === null) return false;
    this.#options.drop(found.waitingCall, new Error('A call was not recorded, because too many calls are waiting.'));
    this.remove(found);
    this.#dropped += 1;
    return true;
  }
}
