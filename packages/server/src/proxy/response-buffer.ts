/**
 * Stores a response until it is recorded. A stream has a few hundred bytes per word, so a long stream is condensed as
 * it arrives. The size limit applies to the condensed content.
 */
import { joinBytes } from '@coppice/content';
import type { WireKind } from './exchange.ts';
import { condenseStream, isEventStream } from './stream-events.ts';

const megabyte = 1024 * 1024;
// Shorter responses, which are most, are not parsed while they are forwarded.
const condenseFrom = 4 * megabyte;
const condenseAtOnce = megabyte;
// A longer stream is not read further, even if it contains little text, because it may be endless.
const streamBytes = 64 * megabyte;

/** The format of the response, and the functions that reserve memory for it. */
export interface ResponseBufferOptions {
  /** The wire of the response; null if it cannot be condensed, because it is not recorded or is compressed. */
  readonly wire: WireKind | null;
  /** Reserves memory for this many more bytes. Returns false if they must not be kept. */
  keep(bytes: number): boolean;
  /** Releases this many reserved bytes. */
  releaseBytes(bytes: number): void;
  /** The size from which the response is condensed. */
  readonly condenseFrom?: number | undefined;
  /** The largest total size of a stream that is read. */
  readonly streamBytes?: number | undefined;
}

/** Collects a response while it arrives. */
export class ResponseBuffer {
  readonly #keeping: ResponseBufferOptions;
  readonly #together: Uint8Array[] = [];
  /** Raw bytes after the condensed part. */
  #raw: Uint8Array[] = [];
  #rawBytes = 0;
  #seen = 0;
  #isWhole = true;
  /** Whether condensing makes the response shorter. True until condensing has been tried. */
  #shrinks = true;
  #working: Promise<void> | null = null;

  constructor(keeping: ResponseBufferOptions) {
    this.#keeping = keeping;
  }

  /** Whether all received bytes are kept. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Adds received bytes. */
  add(piece: Uint8Array): void {
    this.#seen += piece.byteLength;
    const most = this.#keeping.streamBytes ?? streamBytes;
    this.#isWhole &&= this.#seen <= most && this.#keeping.keep(piece.byteLength);
    if (!this.#isWhole) return;
    this.#raw.push(piece);
    this.#rawBytes += piece.byteLength;
    if (this.#rawBytes >= (this.#keeping.condenseFrom ?? condenseFrom)) this.#working ??= this.#condense();
  }

  /** Resolves when no condensing is running. */
  async waitForCondensing(): Promise<void> {
    await this.#working;
  }

  /** Returns all kept bytes. Can be called once. */
  async take(): Promise<Uint8Array> {
    await this.#working;
    const bytes = joinBytes([...this.#together, ...this.#raw]);
    this.#together.length = 0;
    this.#raw = [];
    return bytes;
  }

  async #condense(): Promise<void> {
    const { wire, releaseBytes: giveBack } = this.#keeping;
    const atOnce = Math.min(condenseAtOnce, this.#keeping.condenseFrom ?? condenseFrom);
    while (wire !== null && this.#shrinks && this.#rawBytes >= atOnce) {
      const taken = this.#takeRaw(atOnce);
      // A JSON document cannot be condensed piece by piece.
      this.#shrinks = this.#together.length > 0 || isEventStream(taken);
      const asItCame = { bytes: new Uint8Array(), rest: taken };
      // Data that is nested too deeply to be written stays raw, and is recorded as an error.
      const { bytes, rest } = this.#shrinks ? await condenseStream(wire, taken).catch(() => asItCame) : asItCame;
      this.#shrinks &&= bytes.byteLength + rest.byteLength < taken.byteLength / 2;
      if (bytes.byteLength > 0) this.#together.push(bytes);
      this.#raw.unshift(rest);
      this.#rawBytes += rest.byteLength;
      giveBack(taken.byteLength - bytes.byteLength - rest.byteLength);
    }
    // Data that cannot be condensed stays raw, and condensing is not tried again.
    this.#working = wire === null || !this.#shrinks ? Promise.resolve() : null;
  }

  #takeRaw(atLeast: number): Uint8Array {
    let [count, bytes] = [0, 0];
    for (const piece of this.#raw) {
      if (bytes >= atLeast) break;
      bytes += piece.byteLength;
      count += 1;
    }
    this.#rawBytes -= bytes;
    return joinBytes(this.#raw.splice(0, count));
  }
}
