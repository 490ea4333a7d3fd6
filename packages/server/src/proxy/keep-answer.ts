/**
 * What is kept of an answer until it is recorded. A stream says a word with a few hundred bytes around it: a long one is put
 * together on its way, so that what bounds it is what it says and not how it is sent.
 */
import type { WireKind } from './exchange.ts';
import { condensed, isEventStream } from './stream-events.ts';

const megabyte = 1024 * 1024;
// Most answers are through before this, and nothing is read of them while they are passed on.
const condenseFrom = 4 * megabyte;
const condenseAtOnce = megabyte;
// A service that never ends is not read for ever, however little it says.
const streamBytes = 64 * megabyte;

/** Where an answer is kept, and how much of it there may be. */
export interface KeptAnswerOptions {
  /** Null where nothing can be put together: it is no call that is recorded, or its answer comes packed. */
  readonly wire: WireKind | null;
  /** Whether so many more bytes may be kept. */
  keep(bytes: number): boolean;
  /** So many of them are not needed any more. */
  giveBack(bytes: number): void;
  /** From how many bytes on it is put together. */
  readonly condenseFrom?: number | undefined;
  /** How many bytes of a stream are read in all. */
  readonly streamBytes?: number | undefined;
}

/** An answer while it comes. */
export class KeptAnswer {
  readonly #keeping: KeptAnswerOptions;
  readonly #together: Uint8Array[] = [];
  /** As it came: behind what is put together already. */
  #raw: Uint8Array[] = [];
  #rawBytes = 0;
  #seen = 0;
  #isWhole = true;
  /** Whether putting it together makes it shorter; not known before it was tried. */
  #shrinks = true;
  #working: Promise<void> | null = null;

  constructor(keeping: KeptAnswerOptions) {
    this.#keeping = keeping;
  }

  /** Whether everything that came is kept. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** More of it came. */
  add(piece: Uint8Array): void {
    this.#seen += piece.byteLength;
    const most = this.#keeping.streamBytes ?? streamBytes;
    this.#isWhole &&= this.#seen <= most && this.#keeping.keep(piece.byteLength);
    if (!this.#isWhole) return;
    this.#raw.push(piece);
    this.#rawBytes += piece.byteLength;
    if (this.#rawBytes >= (this.#keeping.condenseFrom ?? condenseFrom)) this.#working ??= this.#condense();
  }

  /** Resolves when nothing of it is being put together. */
  async settled(): Promise<void> {
    await this.#working;
  }

  /** All of it that was kept, once. */
  async take(): Promise<Uint8Array> {
    await this.#working;
    const bytes = Buffer.concat([...this.#together, ...this.#raw]);
    this.#together.length = 0;
    this.#raw = [];
    return bytes;
  }

  async #condense(): Promise<void> {
    const { wire, giveBack } = this.#keeping;
    const atOnce = Math.min(condenseAtOnce, this.#keeping.condenseFrom ?? condenseFrom);
    while (wire !== null && this.#shrinks && this.#rawBytes >= atOnce) {
      const taken = this.#takeRaw(atOnce);
      // A document is one thing from its beginning to its end.
      this.#shrinks = this.#together.length > 0 || isEventStream(taken);
      const asItCame = { bytes: new Uint8Array(), rest: taken };
      // What nests too deep to be written again is left to whoever records it, who refuses it.
      const { bytes, rest } = this.#shrinks ? await condensed(wire, taken).catch(() => asItCame) : asItCame;
      this.#shrinks &&= bytes.byteLength + rest.byteLength < taken.byteLength / 2;
      if (bytes.byteLength > 0) this.#together.push(bytes);
      this.#raw.unshift(rest);
      this.#rawBytes += rest.byteLength;
      giveBack(taken.byteLength - bytes.byteLength - rest.byteLength);
    }
    // What cannot be made shorter stays as it came, and is not tried again.
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
    return Buffer.concat(this.#raw.splice(0, count));
  }
}
