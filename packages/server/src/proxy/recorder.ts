/**
 * The line of exchanges that wait to be recorded. A client has its bytes before anything here begins, and nothing here can
 * delay or fail a call: what does not fit into memory goes to a file, and what does not fit there is dropped and counted.
 */
import { isAppError } from '@coppice/core';
import { Courtesy } from './courtesy.ts';
import { readReturned } from './read-returned.ts';
import { type Exchange, type Recorded, type Recording, recordExchange, recordHistory } from './record.ts';
import type { RecordedCall, RecorderHealth, RecorderOptions, RecorderState, Ticket } from './recorder-contract.ts';
import { Spill } from './spill.ts';
import {
  askedOf,
  type CallEntered,
  type CallTaken,
  goesOnFrom,
  textOfResponse,
  type WaitingCall,
} from './waiting-call.ts';

export type { RecordedCall, RecorderHealth, RecorderOptions, RecorderState, Ticket } from './recorder-contract.ts';
export type { CallEntered, CallTaken } from './waiting-call.ts';

const [memoryBytes, spillBytes] = [64 * 1024 * 1024, 1024 * 1024 * 1024];
// A longer answer is passed on all the same, and recorded up to here.
const answerBytes = 16 * 1024 * 1024;
// What a call takes beside its bytes.
const callOverhead = 2_000;
const shownCalls = 200;
const longestWaitMs = 5_000;
const defaultPatienceMs = 60_000;

/** The recorder. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #spill: Spill;
  readonly #courtesy = new Courtesy();
  /** By owner and project: their exchanges are applied in the order in which the requests came. */
  readonly #lines = new Map<string, WaitingCall[]>();
  readonly #working = new Map<string, Promise<void>>();
  readonly #moves = new Set<Promise<void>>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #calls: RecordedCall[] = [];
  readonly #listeners = new Set<(call: RecordedCall) => void>();
  #recording: boolean;
  #closing = false;
  #entered = 0;
  #bytes = 0;
  #moving = 0;
  #onDisk = 0;
  #files = 0;
  #recorded = 0;
  #dropped = 0;
  #failed = 0;
  #lastError: string | null = null;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#recording = options.recording;
    this.#spill = new Spill(options.spillFolder ?? null, options.newId);
  }

  /** What was recorded last, newest first. */
  get calls(): readonly RecordedCall[] {
    return this.#calls.toReversed();
  }

  get state(): RecorderState {
    let waiting = 0;
    for (const line of this.#lines.values())
      for (const { state } of line) if (state === 'ready' || state === 'recording') waiting += 1;
    return {
      recording: this.#recording,
      health: this.#health(),
      waiting,
      waitingBytes: this.#bytes,
      spilled: this.#files,
      recorded: this.#recorded,
      dropped: this.#dropped,
      failed: this.#failed,
      lastError: this.#lastError,
    };
  }

  #health(): RecorderHealth {
    if (this.#lastError !== null) return 'failing';
    if (!this.#recording) return 'paused';
    return this.#files > 0 ? 'behind' : 'recording';
  }

  /** Goes on recording, or keeps nothing until told to again. */
  set recording(on: boolean) {
    this.#recording = on;
  }

  /** Takes a place in the line of an owner's project. */
  enter(entered: CallEntered): Ticket {
    if (!this.#recording) return { keep: () => false, finish: () => undefined, cancel: () => undefined };
    const { key, place } = this.#takePlace(entered, entered.request);
    place.size = entered.request.byteLength + callOverhead;
    this.#bytes += place.size;
    const most = this.#options.memoryBytes ?? memoryBytes;
    let kept = 0;
    const underWay = this.#courtesy.begin();
    return {
      keep: (bytes) => {
        underWay.answered();
        if (kept + bytes > answerBytes || this.#bytes + bytes > most + answerBytes) return false;
        kept += bytes;
        place.size += bytes;
        this.#bytes += bytes;
        return true;
      },
      finish: (call) => {
        underWay.end();
        if (place.state !== 'open') return;
        place.state = 'ready';
        place.readyAt = this.#options.now();
        place.call = call;
        const size = entered.request.byteLength + call.response.byteLength + callOverhead;
        this.#bytes += size - place.size;
        place.size = size;
        if (this.#bytes > most) this.#makeRoom(key, place);
        this.#work(key);
      },
      cancel: () => {
        underWay.end();
        if (place.state !== 'open') return;
        this.#leave(key, place);
        this.#work(key);
      },
    };
  }

  /** Tells of each call as soon as it is recorded, or is given up; what is returned ends that. */
  listen(listener: (call: RecordedCall) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Takes over what an earlier process left in files. */
  resume(): void {
    for (const file of this.#spill.takeOver()) void this.#adopt(file).catch((error: unknown) => this.#note(error));
  }

  /** Resolves when everything that is through is recorded. */
  async idle(): Promise<void> {
    while (this.#working.size + this.#moves.size > 0) await Promise.all([...this.#working.values(), ...this.#moves]);
  }

  /** Records what is waiting, for so long, takes nothing more, and leaves the rest in files for the next process. */
  async close(ms = 3_000): Promise<void> {
    this.#recording = false;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([this.idle(), late]);
    clearTimeout(timer);
    this.#closing = true;
    for (const each of this.#timers.values()) clearTimeout(each);
    for (const line of this.#lines.values())
      for (const place of line) if (place.call !== null && place.file === null) await this.#toFile(place);
    await this.#spill.close();
  }

  #takePlace(
    { owner, project, wire }: Omit<CallEntered, 'request'>,
    request: Uint8Array | null,
  ): { readonly key: string; readonly place: WaitingCall } {
    const key = JSON.stringify([owner, project]);
    const line = this.#lines.get(key) ?? [];
    this.#lines.set(key, line);
    const place: WaitingCall = {
      owner,
      project,
      wire,
      number: this.#entered++,
      state: 'open',
      request,
      call: null,
      asked: undefined,
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

  async #adopt(file: string): Promise<void> {
    const { owner, project, wire } = await this.#spill.read(file);
    const { key, place } = this.#takePlace({ owner, project, wire }, null);
    this.#files += 1;
    Object.assign(place, { state: 'ready', readyAt: this.#options.now(), file });
    this.#work(key);
  }

  /** Keeps to the bound: the newest goes to a file, and where that cannot be, the oldest goes for good. */
  #makeRoom(key: string, place: WaitingCall): void {
    const most = this.#options.memoryBytes ?? memoryBytes;
    const mostOnDisk = this.#options.spillBytes ?? spillBytes;
    const drop = () => {
      while (this.#bytes > most && this.#dropOldest());
    };
    // A disk that hangs must not keep everything in memory that is on its way to it.
    if (this.#onDisk + this.#moving + place.size > mostOnDisk || this.#moving + place.size > most) return drop();
    const moving = this.#toFile(place).then((there) => {
      if (!there) drop();
      place.moving = null;
      this.#moves.delete(moving);
      this.#work(key);
    });
    place.moving = moving;
    this.#moves.add(moving);
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
      place.call = null;
      place.request = null;
      place.file = file;
      this.#bytes -= place.size;
      this.#onDisk += place.size;
      this.#files += 1;
      return true;
    } catch (error) {
      this.#note(error);
      return false;
    } finally {
      this.#moving -= place.size;
    }
  }

  #dropOldest(): boolean {
    let found: { readonly key: string; readonly place: WaitingCall } | null = null;
    for (const [key, line] of this.#lines) {
      const place = line.find((each) => each.state === 'ready' && each.call !== null);
      if (place !== undefined && (found === null || place.number < found.place.number)) found = { key, place };
    }
    if (found === null) return false;
    this.#leave(found.key, found.place);
    this.#dropped += 1;
    this.#note(new Error('A call was not recorded: more came than could be written.'));
    return true;
  }

  /** Takes a call out of its line, with what it holds. */
  #leave(key: string, place: WaitingCall): void {
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
      asked: null,
      keys: null,
      waitsFor: null,
      size: 0,
    });
    const line = this.#lines.get(key) ?? [];
    const at = line.indexOf(place);
    if (at !== -1) line.splice(at, 1);
    if (line.length === 0) this.#lines.delete(key);
  }

  #work(key: string): void {
    if (this.#working.has(key) || this.#closing) return;
    const working = this.#drain(key).finally(() => this.#working.delete(key));
    this.#working.set(key, working);
  }

  async #drain(key: string): Promise<void> {
    for (let next = this.#next(key); next !== null && !this.#closing; next = this.#next(key)) {
      const { place, before } = next;
      if (place.moving !== null) {
        await place.moving;
        // While it was on its way to a file, it may have had to go.
        continue;
      }
      place.state = 'recording';
      if (this.#recording) await this.#courtesy.letPass(this.#lines.get(key)?.length ?? 1);
      const began = performance.eventLoopUtilization();
      for (const earlier of before) await this.#placeAhead(earlier);
      if (await this.#record(place)) this.#leave(key, place);
      else place.state = 'ready';
      if (this.#recording) await this.#courtesy.rest(performance.eventLoopUtilization(began).active);
    }
  }

  /** The first call that is through and goes on from none that is not; with those before it, which it overtakes. */
  #next(key: string): { readonly place: WaitingCall; readonly before: readonly WaitingCall[] } | null {
    const before: WaitingCall[] = [];
    for (const place of this.#lines.get(key) ?? []) {
      if (place.state === 'ready' && !this.#waits(place, before)) return { place, before };
      before.push(place);
    }
    if (before.some((place) => place.state === 'ready')) this.#lookAgain(key);
    return null;
  }

  #waits(place: WaitingCall, before: readonly WaitingCall[]): boolean {
    if (before.length === 0) return false;
    const { now, patienceMs = defaultPatienceMs } = this.#options;
    if (now() - place.readyAt >= patienceMs) return false;
    if (place.waitsFor !== null && place.waitsFor.state !== 'gone') return true;
    // What is in a file is not read twice to find out: it keeps to its place.
    place.waitsFor =
      place.request === null ? (before[0] ?? null) : (before.find((earlier) => goesOnFrom(place, earlier)) ?? null);
    return place.waitsFor !== null;
  }

  #lookAgain(key: string): void {
    if (this.#timers.has(key)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(key);
      this.#work(key);
    }, this.#options.patienceMs ?? defaultPatienceMs);
    this.#timers.set(key, timer.unref());
  }

  get #given(): Omit<Recording, 'actor'> {
    const { now, newId } = this.#options;
    return { now, newId };
  }

  /** What an earlier call asked goes into the tree before a later call: requests are in their order, answered or not. */
  async #placeAhead(earlier: WaitingCall): Promise<void> {
    if (earlier.placed || earlier.request === null) return;
    const asked = askedOf(earlier);
    earlier.placed = true;
    if (asked === null) return;
    const { owner, project } = earlier;
    try {
      await recordHistory(this.#options.storeOf(owner), asked, project, { ...this.#given, actor: owner });
    } catch (error) {
      this.#note(error);
    }
  }

  /** Whether it is through: false only where the recorder is closing and the call is left for the next one. */
  async #record(place: WaitingCall): Promise<boolean> {
    try {
      if (place.file !== null) {
        const kept = await this.#spill.read(place.file);
        place.request = kept.request;
        place.call = kept.call;
      }
      const asked = askedOf(place);
      const { call } = place;
      if (call === null || asked === null) return true;
      const { status, cut, timing, provider } = call;
      const returned = readReturned(place.wire, { text: await textOfResponse(call), status, cut });
      const cost = this.#options.costOf(provider, returned.model ?? asked.model, returned);
      const replyIds = Array.from({ length: Math.max(1, returned.answers.length) }, () => this.#options.newId());
      return await this.#apply(place, call, {
        asked,
        returned,
        project: place.project,
        provider,
        timing,
        cost,
        replyIds,
      });
    } catch (error) {
      // Nothing that a client or a service can send may stop the line.
      this.#note(error);
      this.#failed += 1;
      return true;
    }
  }

  /** Tries until the store takes it: a store that is away for a while is not a reason to forget. */
  async #apply({ owner }: WaitingCall, call: CallTaken, exchange: Exchange): Promise<boolean> {
    for (let wait = 50; ; wait = Math.min(wait * 2, longestWaitMs)) {
      if (this.#closing) return false;
      try {
        const store = this.#options.storeOf(owner);
        const recorded = await recordExchange(store, exchange, { ...this.#given, actor: owner });
        this.#recorded += 1;
        if (this.#lastError !== null) this.#options.onRecovered?.();
        this.#lastError = null;
        this.#show(owner, call, exchange, recorded);
        return true;
      } catch (error) {
        this.#note(error);
        const mayPass = isAppError(error) && error.kind === 'unavailable';
        if (!mayPass) {
          this.#failed += 1;
          this.#show(owner, call, exchange, null);
          return true;
        }
        await new Promise((resolve) => setTimeout(resolve, wait).unref());
      }
    }
  }

  #show(owner: string, call: CallTaken, { asked, returned, project }: Exchange, recorded: Recorded | null): void {
    const shown: RecordedCall = {
      owner,
      at: call.timing.startedAt,
      project,
      model: returned.model ?? asked.model,
      status: call.status,
      usage: returned.usage,
      firstMs: call.timing.firstMs,
      totalMs: call.timing.totalMs,
      treeId: recorded?.treeId ?? null,
      nodeId: recorded?.added[0] ?? recorded?.parentId ?? null,
      nodes: recorded?.nodes ?? 0,
    };
    this.#calls.push(shown);
    if (this.#calls.length > shownCalls) this.#calls.shift();
    for (const listener of this.#listeners) listener(shown);
  }

  #note(error: unknown): void {
    this.#lastError = error instanceof Error ? error.message : String(error);
    this.#options.onError?.(error);
  }
}
