/**
 * The line of exchanges that wait to be recorded. A client has its bytes before anything here begins, and nothing here can
 * delay or fail a call: what does not fit into memory goes to a file, and what does not fit there is dropped and counted.
 */
import { mkdirSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAppError, type Store } from '@coppice/core';
import type { Asked, Returned } from './exchange.ts';
import { type Exchange, type Recorded, recordExchange } from './record.ts';

/** What is kept of a call until it is recorded. */
export interface CallTaken {
  readonly asked: Asked;
  readonly project: string;
  readonly provider: string;
  readonly response: string;
  readonly status: number;
  /** False where the stream was cut. */
  readonly whole: boolean;
  readonly timing: Exchange['timing'];
}

/** A place in the line, taken when the request came. */
export interface Ticket {
  /** The call is through, and what is to be recorded is known. */
  finish(call: CallTaken): void;
  /** Nothing is to be recorded. */
  cancel(): void;
}

/** One line of what was recorded last. */
export interface RecordedCall {
  /** Whose it is; nobody else is told of it. */
  readonly owner: string;
  readonly at: number;
  readonly project: string;
  readonly model: string;
  readonly status: number;
  readonly usage: unknown;
  readonly totalMs: number;
  readonly treeId: string | null;
  readonly nodeId: string | null;
  /** New nodes; the rest of the history was there. */
  readonly nodes: number;
}

/** How the recorder is. */
export interface RecorderState {
  readonly recording: boolean;
  readonly waiting: number;
  readonly waitingBytes: number;
  readonly spilled: number;
  readonly recorded: number;
  readonly dropped: number;
  readonly failed: number;
  readonly lastError: string | null;
}

/** What a recorder is made with. */
export interface RecorderOptions {
  readonly storeOf: (owner: string) => Store;
  readonly now: () => number;
  readonly newId: () => string;
  readonly readReturned: (call: CallTaken) => Returned;
  readonly costOf: (call: CallTaken, returned: Returned) => Exchange['cost'];
  readonly recording: boolean;
  /** Where what does not fit into memory goes; nowhere if not given. */
  readonly spillFolder?: string | undefined;
  readonly memoryBytes?: number | undefined;
  readonly spillBytes?: number | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

interface Waiting {
  readonly owner: string;
  state: 'open' | 'ready' | 'gone';
  call: CallTaken | null;
  file: string | null;
  size: number;
  /** On its way to a file; whoever wants to read it waits for that. */
  moving: Promise<void> | null;
}

const [memoryBytes, spillBytes] = [64 * 1024 * 1024, 1024 * 1024 * 1024];
const shownCalls = 200;
const longestWaitMs = 5_000;

/** The recorder. */
export class Recorder {
  readonly #options: RecorderOptions;
  /** By owner and project: their exchanges are applied in the order in which the requests came. */
  readonly #lines = new Map<string, Waiting[]>();
  readonly #working = new Map<string, Promise<void>>();
  readonly #calls: RecordedCall[] = [];
  #recording: boolean;
  #closing = false;
  #bytes = 0;
  #onDisk = 0;
  #files = 0;
  #recorded = 0;
  #dropped = 0;
  #failed = 0;
  #lastError: string | null = null;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#recording = options.recording;
  }

  /** What was recorded last, newest first. */
  get calls(): readonly RecordedCall[] {
    return this.#calls.toReversed();
  }

  get state(): RecorderState {
    let waiting = 0;
    for (const line of this.#lines.values()) waiting += line.filter((each) => each.state === 'ready').length;
    return {
      recording: this.#recording,
      waiting,
      waitingBytes: this.#bytes,
      spilled: this.#files,
      recorded: this.#recorded,
      dropped: this.#dropped,
      failed: this.#failed,
      lastError: this.#lastError,
    };
  }

  /** Goes on recording, or keeps nothing until told to again. */
  set recording(on: boolean) {
    this.#recording = on;
  }

  /** Takes a place in the line of an owner's project. */
  enter(owner: string, project: string): Ticket {
    if (!this.#recording) return { finish: () => undefined, cancel: () => undefined };
    const key = JSON.stringify([owner, project]);
    const line = this.#lines.get(key) ?? [];
    this.#lines.set(key, line);
    const place: Waiting = { owner, state: 'open', call: null, file: null, size: 0, moving: null };
    line.push(place);
    return {
      finish: (call) => {
        if (place.state !== 'open') return;
        place.state = 'ready';
        place.call = call;
        // Two bytes a character is what the texts take in memory.
        place.size = 2 * call.response.length + 2_000;
        this.#bytes += place.size;
        place.moving = this.#makeRoom(place);
        void place.moving.then(() => this.#work(key));
      },
      cancel: () => {
        if (place.state === 'open') place.state = 'gone';
        this.#work(key);
      },
    };
  }

  /** Resolves when everything that is through is recorded. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working.values());
  }

  /** Records what is waiting, for so long, and takes nothing more. */
  async close(ms = 3_000): Promise<void> {
    this.#recording = false;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([this.idle(), late]);
    clearTimeout(timer);
    this.#closing = true;
  }

  /** Keeps to the bound: the newest goes to a file, and where that cannot be, the oldest goes for good. */
  async #makeRoom(place: Waiting): Promise<void> {
    const most = this.#options.memoryBytes ?? memoryBytes;
    if (this.#bytes <= most) return;
    const { spillFolder } = this.#options;
    if (
      spillFolder !== undefined &&
      place.call !== null &&
      this.#onDisk + place.size <= (this.#options.spillBytes ?? spillBytes)
    ) {
      const file = join(spillFolder, `${this.#options.newId()}.json`);
      const text = JSON.stringify(place.call);
      try {
        mkdirSync(spillFolder, { recursive: true, mode: 0o700 });
        await writeFile(file, text, { mode: 0o600 });
        place.call = null;
        place.file = file;
        this.#bytes -= place.size;
        this.#onDisk += place.size;
        this.#files += 1;
        return;
      } catch (error) {
        this.#note(error);
      }
    }
    while (this.#bytes > most && this.#dropOldest());
  }

  #dropOldest(): boolean {
    for (const line of this.#lines.values()) {
      const oldest = line.find((each) => each.state === 'ready' && each.call !== null);
      if (oldest === undefined) continue;
      this.#bytes -= oldest.size;
      oldest.call = null;
      oldest.state = 'gone';
      this.#dropped += 1;
      this.#note(new Error('A call was not recorded: more came than could be written.'));
      return true;
    }
    return false;
  }

  #work(key: string): void {
    if (this.#working.has(key) || this.#closing) return;
    const working = this.#drain(key).finally(() => this.#working.delete(key));
    this.#working.set(key, working);
  }

  async #drain(key: string): Promise<void> {
    const line = this.#lines.get(key) ?? [];
    for (let first = line[0]; first !== undefined && first.state !== 'open'; first = line[0]) {
      if (first.state === 'ready') await this.#record(first);
      line.shift();
    }
    if (line.length === 0) this.#lines.delete(key);
  }

  async #record(place: Waiting): Promise<void> {
    await place.moving;
    if (place.state !== 'ready') return;
    const call = await this.#callOf(place).catch((error: unknown) => {
      this.#note(error);
      return null;
    });
    if (call !== null) await this.#apply(place.owner, call);
    if (place.file === null) this.#bytes -= place.call === null ? 0 : place.size;
    else {
      this.#onDisk -= place.size;
      this.#files -= 1;
      await rm(place.file, { force: true }).catch(() => undefined);
    }
    place.call = null;
    place.state = 'gone';
  }

  async #callOf({ call, file }: Waiting): Promise<CallTaken | null> {
    if (call !== null || file === null) return call;
    const kept: CallTaken = JSON.parse(await readFile(file, 'utf8'));
    return kept;
  }

  /** Tries until the store takes it: a store that is away for a while is not a reason to forget. */
  async #apply(owner: string, call: CallTaken): Promise<void> {
    const { now, newId } = this.#options;
    const returned = this.#options.readReturned(call);
    const exchange: Exchange = { ...call, returned, cost: this.#options.costOf(call, returned) };
    for (let wait = 50; ; wait = Math.min(wait * 2, longestWaitMs)) {
      try {
        const recorded = await recordExchange(this.#options.storeOf(owner), exchange, { actor: owner, now, newId });
        this.#recorded += 1;
        this.#lastError = null;
        this.#show(owner, call, returned, recorded);
        return;
      } catch (error) {
        this.#note(error);
        const mayPass = isAppError(error) && error.kind === 'unavailable';
        if (!mayPass || this.#closing) {
          this.#failed += 1;
          this.#show(owner, call, returned, null);
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, wait).unref());
      }
    }
  }

  #show(owner: string, call: CallTaken, returned: Returned, recorded: Recorded | null): void {
    this.#calls.push({
      owner,
      at: call.timing.startedAt,
      project: call.project,
      model: returned.model ?? call.asked.model,
      status: call.status,
      usage: returned.usage,
      totalMs: call.timing.totalMs,
      treeId: recorded?.treeId ?? null,
      nodeId: recorded?.added[0] ?? recorded?.parentId ?? null,
      nodes: recorded?.nodes ?? 0,
    });
    if (this.#calls.length > shownCalls) this.#calls.shift();
  }

  #note(error: unknown): void {
    this.#lastError = error instanceof Error ? error.message : String(error);
    this.#options.onError?.(error);
  }
}
