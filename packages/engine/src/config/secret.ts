/** The one place where keys are held while the process runs. */
import { inspect } from 'node:util';
import { AppError } from '@coppice/core';

const hidden = '«hidden»';

/**
 * A key that cannot be printed, serialised or copied: every way of turning it into text gives «hidden». It is bound to
 * the origin it was configured for and given out for no other (a base URL swapped later does not take it along).
 */
export class Secret {
  readonly #value: string;
  readonly #origin: string;

  constructor(value: string, address: string) {
    this.#value = value;
    this.#origin = new URL(address).origin;
    known.add(this);
  }

  /** The origin that the key may be sent to. */
  get origin(): string {
    return this.#origin;
  }

  /** The key, for a request to this address. Throws `provider/foreign-host` when it is not the configured host. */
  for(address: string | URL): string {
    const origin = new URL(address).origin;
    if (origin === this.#origin) return this.#value;
    throw new AppError({
      code: 'provider/foreign-host',
      kind: 'refused',
      message: `The key for ${this.#origin} is not sent to ${origin}. Configure a key for that address.`,
    });
  }

  /** A text in which the key, wherever it stands, is replaced. */
  hide(text: string): string {
    return this.#value.length < 4 ? text : text.replaceAll(this.#value, hidden);
  }

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

// Weak, so that a secret that nobody holds any more is not kept alive for the sake of redaction.
class SecretSet {
  #refs: WeakRef<Secret>[] = [];

  add(secret: Secret): void {
    this.#refs = this.#refs.filter((ref) => ref.deref() !== undefined);
    this.#refs.push(new WeakRef(secret));
  }

  *[Symbol.iterator](): Generator<Secret> {
    for (const ref of this.#refs) {
      const secret = ref.deref();
      if (secret !== undefined) yield secret;
    }
  }
}

const known = new SecretSet();

/** A text in which every key that this process holds is replaced. */
export function hideSecrets(text: string): string {
  let safe = text;
  for (const secret of known) safe = secret.hide(safe);
  return safe;
}
