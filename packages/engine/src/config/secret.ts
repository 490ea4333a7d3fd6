/** The one place where keys are held while the process runs. */
import { inspect } from 'node:util';
import { AppError } from '@coppice/core';
import { isMaskable, keyMask, maskableKeys } from './mask-keys.ts';

const hidden = '«hidden»';

/** Whatever turns it into text is given «hidden». */
class Unprintable {
  toString(): string {
    return hidden;
  }

  toJSON(): string {
    return hidden;
  }

  [Symbol.toPrimitive](): string {
    return hidden;
  }

  [inspect.custom](): string {
    return hidden;
  }
}

/** A text that cannot be printed, serialised or copied by accident: every way of turning it into text gives «hidden». */
export class Hidden extends Unprintable {
  readonly #value: string;

  constructor(value: string) {
    super();
    this.#value = value;
    held.add(this);
  }

  /** The text itself, for the one place that needs it. */
  reveal(): string {
    return this.#value;
  }

  /** A text in which this one is replaced: a key by its mask, anything else by «hidden». */
  hide(text: string): string {
    // Short values would take ordinary words out of every sentence.
    if (this.#value.length < 6) return text;
    return text.replaceAll(this.#value, isMaskable(this.#value) ? keyMask(this.#value) : hidden);
  }
}

/**
 * A key. It is bound to the origin it was configured for and given out for no other: a base URL that is swapped later
 * does not take it along. Prints, serialises and copies as «hidden».
 */
export class Secret extends Unprintable {
  readonly #value: Hidden;
  readonly #origin: string;

  constructor(value: string, address: string) {
    super();
    this.#value = new Hidden(value);
    keys.add(this.#value);
    this.#origin = new URL(address).origin;
  }

  /** The origin that the key may be sent to. */
  get origin(): string {
    return this.#origin;
  }

  /** The key, for a request to this address. Throws `provider/foreign-host` when it is not the configured host. */
  for(address: string | URL): string {
    const origin = new URL(address).origin;
    if (origin === this.#origin) return this.#value.reveal();
    throw new AppError({
      code: 'provider/foreign-host',
      kind: 'refused',
      message: `The key for ${this.#origin} is not sent to ${origin}. Configure a key for that address.`,
    });
  }
}

// Weak, so that a secret that nobody holds any more is not kept alive for the sake of redaction.
class HeldSecrets {
  #refs: WeakRef<Hidden>[] = [];

  add(secret: Hidden): void {
    this.#refs = this.#refs.filter((ref) => ref.deref() !== undefined);
    this.#refs.push(new WeakRef(secret));
  }

  hide(text: string): string {
    let safe = text;
    for (const ref of this.#refs) safe = ref.deref()?.hide(safe) ?? safe;
    return safe;
  }

  values(): readonly string[] {
    return this.#refs.flatMap((ref) => ref.deref()?.reveal() ?? []);
  }
}

const held = new HeldSecrets();
// Those that are keys: other secrets, such as the environment of a tool's server, may be ordinary texts like a path.
const keys = new HeldSecrets();

/** The configured keys that are replaced in what people, models and tools say; see `mask-keys.ts`. */
export function heldKeys(): readonly string[] {
  return maskableKeys(keys.values());
}

/** A text in which every secret that this process holds is replaced. */
export function hideSecrets(text: string): string {
  return held.hide(text);
}
