/** Parses and records calls, on the proxy's thread or on a worker thread. */
import { deriveId, messageKit } from '@coppice/content';
import type { Store } from '@coppice/core';
import type { ParsedRequest, ParsedResponse } from './exchange.ts';
import { readCapturedResponse } from './read-captured-response.ts';
import { type RecordedNodes, recordExchange, recordHistory } from './record.ts';
import type { CallPrice, CallSummary, RecordingBackend } from './recorder-contract.ts';
import { type CallDigest, type CallToRecord, parseQueuedRequest } from './waiting-call.ts';

/** The stores, the clock and the id generator of the backend. */
export interface LocalRecordingOptions {
  readonly storeOf: (owner: string) => Store | Promise<Store>;
  readonly now: () => number;
  readonly newId: () => string;
}

/** A parsed call. It is kept until the call is recorded, so that the call is not parsed twice. */
interface CallReading {
  readonly asked: ParsedRequest | null;
  keys?: readonly string[];
  returned?: ParsedResponse;
}

/** Parses and records calls on the thread that calls it. */
export class LocalRecording implements RecordingBackend {
  readonly usesOtherThread = false;
  readonly #options: LocalRecordingOptions;
  readonly #readings = new Map<number, CallReading>();

  constructor(options: LocalRecordingOptions) {
    this.#options = options;
  }

  async digest(call: CallToRecord): Promise<CallDigest | null> {
    const asked = this.#read(call)?.asked ?? null;
    if (asked === null) return null;
    const { wire, systemPrompt, previous, history } = asked;
    return { wire, systemPrompt, previous, messages: history.length };
  }

  async keys(call: CallToRecord): Promise<readonly string[]> {
    const reading = this.#read(call);
    if (reading === null || reading.asked === null) return [];
    reading.keys ??= reading.asked.history.map((message) => messageKit.key(message));
    return reading.keys;
  }

  async recordHistory(call: CallToRecord): Promise<void> {
    const asked = this.#read(call)?.asked ?? null;
    if (asked === null) return;
    await recordHistory(
      await this.#options.storeOf(call.owner),
      asked,
      { ...call, callId: call.id },
      this.#given(call),
    );
  }

  async summary(call: CallToRecord): Promise<CallSummary | null> {
    const read = await this.#readWhole(call);
    if (read === null) return null;
    const { asked, returned } = read;
    return { model: returned.model ?? asked.model, usage: returned.usage };
  }

  async record(call: CallToRecord, { cost }: CallPrice): Promise<RecordedNodes | null> {
    const read = await this.#readWhole(call);
    if (read === null || call.call === null) return null;
    const { asked, returned } = read;
    const { provider, timing } = call.call;
    const replyIds = Array.from({ length: Math.max(1, returned.answers.length) }, (_, at) =>
      at === 0 ? call.id : deriveId('proxy-answer', call.id, at),
    );
    const { project, origin } = call;
    const exchange = { asked, returned, project, origin, callId: call.id, provider, timing, cost, replyIds };
    return recordExchange(await this.#options.storeOf(call.owner), exchange, this.#given(call));
  }

  forget(number: number): void {
    this.#readings.delete(number);
  }

  async close(): Promise<void> {
    this.#readings.clear();
  }

  #given({ owner: actor }: CallToRecord) {
    const { now, newId } = this.#options;
    return { actor, now, newId };
  }

  /** Returns the parsed call; null if the request is in a file, which is read when the call is recorded. */
  #read({ number, wire, request, secrets }: CallToRecord): CallReading | null {
    const known = this.#readings.get(number);
    if (known !== undefined || request === null) return known ?? null;
    const reading: CallReading = { asked: parseQueuedRequest(wire, request, secrets) };
    this.#readings.set(number, reading);
    return reading;
  }

  async #readWhole(
    call: CallToRecord,
  ): Promise<{ readonly asked: ParsedRequest; readonly returned: ParsedResponse } | null> {
    const reading = this.#read(call);
    if (reading === null || reading.asked === null || call.call === null) return null;
    reading.returned ??= await readCapturedResponse(call.wire, call.call, call.secrets);
    return { asked: reading.asked, returned: reading.returned };
  }
}
