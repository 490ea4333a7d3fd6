/** TOML with places: reads a table field by field, and says file, line and key of whatever is wrong. */
import { AppError } from '@coppice/core';
import { parse, TomlError } from 'smol-toml';
import type { ConfigWarning } from './contract.ts';
import { Hidden } from './secret.ts';

/** A file of TOML. */
export interface TomlFile {
  readonly name: string;
  readonly text: string;
}

function invalidToml(where: string, what: string, cause?: unknown): never {
  throw new AppError({ code: 'config/invalid', kind: 'invalid', message: `${where}: ${what}`, cause, data: { where } });
}

function isTomlTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** The whole file as a table. Refuses what is no TOML, with line and column and without showing the line itself. */
export function openToml(file: TomlFile, warnings: ConfigWarning[]): TomlTable {
  let value: unknown;
  try {
    value = parse(file.text);
  } catch (cause) {
    // The parser's message quotes the lines around the place, and a key may stand on one of them.
    const [what = 'it cannot be read'] = cause instanceof Error ? cause.message.split('\n') : [];
    const line = cause instanceof TomlError ? `:${cause.line}:${cause.column}` : '';
    return invalidToml(`${file.name}${line}`, `this is no TOML (${what.replace(/^Invalid TOML document: /, '')}).`);
  }
  return new TomlTable(file, [], isTomlTable(value) ? value : {}, warnings);
}

/** A key as TOML writes it. */
function tomlText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

/** The parts of a dotted key or header; null when the text is none. */
function keyParts(text: string): string[] | null {
  const parts: string[] = [];
  const part = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*(\.|$)/y;
  while (part.lastIndex < text.length) {
    const match = part.exec(text);
    if (match === null) return null;
    parts.push(match[1] ?? match[2] ?? match[3] ?? '');
  }
  return parts;
}

/** The line that a key stands on, from 1; that of the nearest table around it when the key itself is not there. */
export function lineOfKey(text: string, path: readonly string[]): number | null {
  let table: string[] = [];
  let best = 0;
  let line: number | null = null;
  for (const [index, raw] of text.split('\n').entries()) {
    const header = /^\s*\[\[?([^\]]+)\]\]?\s*(?:#.*)?$/.exec(raw)?.[1];
    if (header !== undefined) table = keyParts(header) ?? table;
    const key =
      header === undefined
        ? keyParts(/^\s*((?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_.\s-])+?)\s*=/.exec(raw)?.[1] ?? '')
        : [];
    if (header === undefined && (key === null || key.length === 0)) continue;
    const here = [...table, ...(key ?? [])];
    const common = here.length <= path.length && here.every((part, at) => part === path[at]) ? here.length : 0;
    if (common > best) {
      best = common;
      line = index + 1;
    }
  }
  return line;
}

/** A table of the file, read field by field; `finish` warns of what nobody asked for. */
export class TomlTable {
  readonly #file: TomlFile;
  readonly #path: readonly string[];
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #warnings: ConfigWarning[];
  readonly #asked = new Set<string>();

  constructor(
    file: TomlFile,
    path: readonly string[],
    fields: Readonly<Record<string, unknown>>,
    warnings: ConfigWarning[],
  ) {
    this.#file = file;
    this.#path = path;
    this.#fields = fields;
    this.#warnings = warnings;
  }

  /** The names of all fields. */
  get names(): readonly string[] {
    return Object.keys(this.#fields);
  }

  /** File and line of a field, or of the table itself. */
  where(key?: string): string {
    const path = key === undefined ? this.#path : [...this.#path, key];
    const line = lineOfKey(this.#file.text, path);
    return line === null ? this.#file.name : `${this.#file.name}:${line}`;
  }

  /** Refuses a field in words that name it; the value itself is never shown, since it may be a key. */
  refuse(key: string, what: string): never {
    return invalidToml(this.where(key), `${[...this.#path, key].map(tomlText).join('.')} ${what}.`);
  }

  /** Notes something that a person wants to know. */
  warn(key: string, what: string): void {
    this.#warnings.push({
      where: this.where(key),
      message: `${[...this.#path, key].map(tomlText).join('.')} ${what}.`,
    });
  }

  #get(key: string): unknown {
    this.#asked.add(key);
    return Object.hasOwn(this.#fields, key) ? this.#fields[key] : undefined;
  }

  /** A text that is not empty. */
  text(key: string): string | undefined {
    const value = this.#get(key);
    if (value === undefined) return undefined;
    if (typeof value === 'string' && value !== '') return value;
    return this.refuse(key, 'must be a text in quotes that is not empty');
  }

  /** One of a few words. */
  word<T extends string>(key: string, words: readonly T[]): T | undefined {
    const value = this.#get(key);
    if (value === undefined) return undefined;
    const found = words.find((word) => word === value);
    return found ?? this.refuse(key, `must be one of ${words.map((word) => `"${word}"`).join(', ')}`);
  }

  /** A number within bounds. */
  number(key: string, min: number, max = Number.MAX_SAFE_INTEGER): number | undefined {
    const value = this.#get(key);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && value >= min && value <= max) return value;
    const upper = max === Number.MAX_SAFE_INTEGER ? '' : ` up to ${max}`;
    return this.refuse(key, `must be a number from ${min}${upper}`);
  }

  /** A whole number within bounds. */
  whole(key: string, min: number, max = Number.MAX_SAFE_INTEGER): number | undefined {
    const value = this.number(key, min, max);
    return value === undefined || Number.isInteger(value) ? value : this.refuse(key, 'must be a whole number');
  }

  /** True or false. */
  flag(key: string): boolean | undefined {
    const value = this.#get(key);
    if (value === undefined || typeof value === 'boolean') return value;
    return this.refuse(key, 'must be true or false');
  }

  /** A list of texts. */
  texts(key: string): readonly string[] | undefined {
    const value = this.#get(key);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((each): each is string => typeof each === 'string')) return value;
    return this.refuse(key, 'must be a list of texts');
  }

  /** Texts by name. */
  named(key: string): Readonly<Record<string, string>> {
    const value = this.#get(key);
    const found: Record<string, string> = Object.create(null);
    if (value === undefined) return found;
    if (!isTomlTable(value)) return this.refuse(key, 'must be a table of texts');
    for (const [name, each] of Object.entries(value)) {
      if (typeof each !== 'string') return this.refuse(key, `must be a table of texts; ${tomlText(name)} is none`);
      found[name] = each;
    }
    return found;
  }

  /** A text that is never shown. */
  hidden(key: string): Hidden | undefined {
    const value = this.#get(key);
    if (value === undefined) return undefined;
    if (typeof value === 'string' && value.trim() !== '') return new Hidden(value.trim());
    return this.refuse(key, 'must be a text in quotes that is not empty');
  }

  /** A table inside this one; empty when it is missing. */
  table(key: string): TomlTable {
    const value = this.#get(key);
    if (value !== undefined && !isTomlTable(value))
      return this.refuse(key, `must be a table, written [${[...this.#path, key].map(tomlText).join('.')}]`);
    return new TomlTable(this.#file, [...this.#path, key], value ?? {}, this.#warnings);
  }

  /** Warns of every field that nobody asked for: most likely a slip of the pen. */
  finish(): void {
    for (const key of this.names) if (!this.#asked.has(key)) this.warn(key, 'is not known and has no effect');
  }
}
