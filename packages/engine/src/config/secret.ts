/** Wraps secrets so that they are never printed, and removes them from texts that are stored or logged. */
import { AppError } from '@coppice/core';
import { isMaskableKey, makeKeyMask, maskKeys, selectMaskableKeys } from './mask-keys.ts';

const hidden = '«hidden»';
// Four characters of a shorter key would reveal too much of it.
const shortestShown = 12;

// Node's `inspect` calls the method under this symbol. It is looked up by name, because this file runs in browsers too.
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

/** Base class whose string and JSON conversions all return «hidden». */
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

  [inspectSymbol](): string {
    return hidden;
  }
}

/** A text that cannot be printed, serialised or copied by accident: every conversion gives «hidden». */
export class SecretText extends Unprintable {
  readonly #value: string;

  /** Registers the text, so that it is removed from logs and errors while this object is referenced. */
  constructor(value: string, registry: SecretRegistry = allSecrets) {
    super();
    this.#value = value;
    registry.add(this);
  }

  /** Returns the text itself. Only the code that sends it may call this. */
  reveal(): string {
    return this.#value;
  }

  /** Replaces this value in a text: a key by its mask, anything else by «hidden». */
  hide(text: string): string {
    // Replacing a short value would remove ordinary words from every text.
    if (this.#value.length < 6) return text;
    return maskKeys(text, [this.#value], isMaskableKey(this.#value) ? makeKeyMask : () => hidden);
  }
}

/**
 * An API key, bound to the origin it was configured for. It is not given out for another origin, so changing a base URL
 * later does not leak the key. Prints and serialises as «hidden».
 */
export class Secret extends Unprintable {
  readonly #value: SecretText;
  readonly #origin: string;

  constructor(value: string, address: string) {
    super();
    this.#value = new SecretText(value);
    maskedKeys.add(this.#value);
    this.#origin = new URL(address).origin;
  }

  /** The origin that the key may be sent to. */
  get origin(): string {
    return this.#origin;
  }

  /** The last four characters, to tell keys apart; null for a short key. */
  get lastFour(): string | null {
    const value = this.#value.reveal();
    return value.length < shortestShown ? null : value.slice(-4);
  }

  /** Returns the key for a request to this address. Throws `provider/foreign-host` for any other origin. */
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

// Weak references, so that redaction does not keep unused secrets alive.
class SecretRegistry {
  #refs: WeakRef<SecretText>[] = [];

  add(secret: SecretText): void {
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

const allSecrets = new SecretRegistry();
// The keys that are masked in messages too. Other hidden values may be ordinary texts, for example a path.
const maskedKeys = new SecretRegistry();
// Secrets in the headers and arguments of MCP servers, and in variables that are passed on to them. They are separate
// from `allSecrets`, because an MCP server may get them.
const settingSecrets = new SecretRegistry();

// Matches names of variables that hold secrets.
const secretName =
  /(?:^|[_.-])(?:api_?key|key|token|secret|pass|password|passwd|passphrase|pwd|credentials?|auth|bearer|cookie|pat|dsn)s?(?:$|[_.-]|\d)/i;
const randomText = /^(?=.*\d)(?=.*[A-Za-z])[\w+=-]{20,}$/;
const filePath = /^(?:~|\.{0,2})[\\/]|^[A-Za-z]:[\\/]/;
const addressWithPassword = /:\/\/[^/\s:]*:[^/\s]+@/;
const address = /^[a-z][a-z\d+.-]*:\/\//i;

/**
 * Returns whether a variable is a secret by its name or its form. Paths and URLs without a password are not secrets.
 */
function isSecretVariable(name: string, value: string): boolean {
  if (filePath.test(value)) return false;
  if (address.test(value)) return addressWithPassword.test(value);
  return secretName.test(name) || randomText.test(value);
}

/** Wraps a variable for an MCP server. It is never printed; if it is a secret, it is masked in messages too. */
export function wrapServerVariable(name: string, value: string): SecretText {
  const variable = new SecretText(value);
  if (isSecretVariable(name, value)) maskedKeys.add(variable);
  return variable;
}

// A credential after its scheme. The token alone is masked too, because a program may repeat it without the scheme.
const credential = /^(?:bearer|basic|token|digest|apikey)\s+(\S+)$/i;

/**
 * Returns the values of settings (headers, variables, arguments) that are secrets by their name or form. They are
 * masked as long as the result is referenced.
 */
export function findSecretSettings(named: Iterable<readonly [name: string, value: string]>): readonly SecretText[] {
  const found = new Set<string>();
  for (const [name, value] of named) {
    const token = credential.exec(value)?.[1] ?? value;
    if (token !== value || isSecretVariable(name, value)) found.add(token);
  }
  return [...found].map((value) => new SecretText(value, settingSecrets));
}

/**
 * Finds the arguments of a command that an option names as a secret: `--token x` and `--token=x`. A random-looking
 * value is not enough here, because package names look random too.
 */
export function findSecretArguments(command: readonly string[]): readonly (readonly [name: string, value: string])[] {
  return command.flatMap((word, at) => {
    const [, name, value] = /^--?([\w-]+)=(.*)$/s.exec(word) ?? [];
    const [, before = ''] = /^--?([\w-]+)$/.exec(command[at - 1] ?? '') ?? [];
    const named = name !== undefined && value !== undefined ? ([name, value] as const) : ([before, word] as const);
    return secretName.test(named[0]) && !named[1].startsWith('-') ? [named] : [];
  });
}

/**
 * Returns whether a text contains a registered key or other hidden value. Secrets in headers, arguments and passed
 * variables do not count.
 */
export function containsSecret(text: string): boolean {
  return allSecrets.hide(text) !== text;
}

/** Returns the configured keys that are masked in the messages of users, models and tools; see `mask-keys.ts`. */
export function listConfiguredKeys(): readonly string[] {
  return selectMaskableKeys([...maskedKeys.values(), ...settingSecrets.values()]);
}

/** Replaces every secret of this process in a text. */
export function hideSecrets(text: string): string {
  return settingSecrets.hide(allSecrets.hide(text));
}
