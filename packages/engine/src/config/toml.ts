/** Reads TOML tables field by field; errors name file, line and key. */
import { AppError, deprecationText, type FieldMap } from '@coppice/core';
import { findNearestName, isFieldMap } from '@coppice/core/decode';
import { parse, TomlError } from 'smol-toml';
import type { ConfigWarning } from './contract.ts';
import { SecretText } from './secret.ts';

/** One key of the configuration file, or one of its sections, as the code that reads it declares it. */
export interface Setting {
  /** The names of the enclosing tables and of the key; a name that the user chooses is written `<name>`. */
  readonly path: readonly string[];
  readonly kind: 'section' | 'text' | 'number' | 'whole number' | 'true or false' | 'texts' | 'named texts' | 'word';
  readonly about: string;
  /** The default; undefined if the setting is then unset or empty. */
  readonly default?: string | number | boolean | undefined;
  readonly bounds?: NumberBounds | undefined;
  /** The allowed values, if the setting is one of several words. */
  readonly words?: readonly string[] | undefined;
  /** Whether the value is never printed. */
  readonly secret?: boolean | undefined;
}

/** Receives every setting that is read, whether the file contains it or not. */
export type SettingListener = (setting: Setting) => void;

/** The bounds of a number, both included. */
export interface NumberBounds {
  readonly min: number;
  readonly max?: number | undefined;
}

export interface TomlFile {
  readonly name: string;
  readonly text: string;
}

function invalidToml(where: string, what: string, path?: readonly string[]): never {
  const data = path === undefined ? { where, what } : { where, what, path };
  throw new AppError({ code: 'config/invalid', kind: 'invalid', message: `${where}: ${what}`, data });
}

function isTomlTable(value: unknown): value is FieldMap {
  return isFieldMap(value) && !(value instanceof Date);
}

/** Parses the file. The error for invalid syntax names line and column but does not quote the line. */
export function parseToml(
  file: TomlFile,
  warnings: ConfigWarning[],
  onSetting?: SettingListener,
  leftOut?: ReadonlySet<string>,
): TomlTable {
  let value: unknown;
  try {
    value = parse(file.text);
  } catch (cause) {
    // The parser's message quotes the surrounding lines, which may contain a key.
    const [what = 'it cannot be read'] = cause instanceof Error ? cause.message.split('\n') : [];
    const line = cause instanceof TomlError ? `:${cause.line}:${cause.column}` : '';
    const reason = what.replace(/^Invalid TOML document: /, '');
    return invalidToml(
      `${file.name}${line}`,
      `this is not TOML (${reason}). Write texts in quotes, tables as [name], and each key once.`,
    );
  }
  return new TomlTable({ file, warnings, onSetting, leftOut }, [], isTomlTable(value) ? value : {});
}

/** Writes a key as TOML does: in quotes if it is not a bare key. */
function formatTomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

/** Splits a dotted key or table header into its parts; null if the text is not a valid key. */
function splitTomlKey(text: string): string[] | null {
  const parts: string[] = [];
  const part = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*(\.|$)/y;
  while (part.lastIndex < text.length) {
    const match = part.exec(text);
    if (match === null) return null;
    parts.push(match[1] ?? match[2] ?? match[3] ?? '');
  }
  return parts;
}

/** Returns the line number of a key, counted from 1; the line of the nearest enclosing table if the key is missing. */
export function findLineOfKey(text: string, path: readonly string[]): number | null {
  let table: string[] = [];
  let best = 0;
  let line: number | null = null;
  for (const [index, raw] of text.split('\n').entries()) {
    const header = /^\s*\[\[?([^\]]+)\]\]?\s*(?:#.*)?$/.exec(raw)?.[1];
    if (header !== undefined) table = splitTomlKey(header) ?? table;
    const key =
      header === undefined
        ? splitTomlKey(/^\s*((?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_.\s-])+?)\s*=/.exec(raw)?.[1] ?? '')
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

/** The state that all tables of one file share. */
interface TomlFileState {
  readonly file: TomlFile;
  readonly warnings: ConfigWarning[];
  readonly onSetting?: SettingListener | undefined;
  /** Fields to treat as missing, in the form of {@link joinFieldPath}. */
  readonly leftOut?: ReadonlySet<string> | undefined;
}

/** Encodes the path of a field as one text, for use in a set. */
export function joinFieldPath(path: readonly string[]): string {
  return JSON.stringify(path);
}

/**
 * A table of the file that is read field by field. `finish` warns about fields that were never read. Each method takes
 * the description of its setting, from which the settings reference is generated.
 */
export class TomlTable {
  readonly #state: TomlFileState;
  readonly #path: readonly string[];
  /** The path with placeholders instead of the names that the user chose. */
  readonly #generalPath: readonly string[];
  #fields: Readonly<Record<string, unknown>>;
  readonly #readKeys = new Set<string>();
  #placeholder: string | null = null;

  constructor(
    reading: TomlFileState,
    path: readonly string[],
    fields: Readonly<Record<string, unknown>>,
    generalPath: readonly string[] = path,
  ) {
    this.#state = reading;
    this.#path = path;
    const { leftOut } = reading;
    this.#fields =
      leftOut === undefined || leftOut.size === 0
        ? fields
        : Object.fromEntries(Object.entries(fields).filter(([key]) => !leftOut.has(joinFieldPath([...path, key]))));
    this.#generalPath = generalPath;
  }

  /**
   * Returns the names of all fields, where the user chooses the names; the reference shows the placeholder, for example
   * `<name>`.
   */
  chosenNames(placeholder: `<${string}>`): readonly string[] {
    this.#placeholder = placeholder;
    return Object.keys(this.#fields);
  }

  /** Returns file and line of a field, or of the table without an argument. */
  where(key?: string): string {
    const { file } = this.#state;
    const path = key === undefined ? this.#path : [...this.#path, key];
    const line = findLineOfKey(file.text, path);
    return line === null ? file.name : `${file.name}:${line}`;
  }

  /** Throws an error that names the field but not its value, which may be a key. */
  refuse(key: string, what: string): never {
    const path = [...this.#path, key];
    return invalidToml(this.where(key), `${path.map(formatTomlKey).join('.')} ${what}.`, path);
  }

  /** Reports a setting that has no effect or is deprecated; the program continues. */
  warn(key: string, what: string): void {
    this.#state.warnings.push({
      where: this.where(key),
      message: `${[...this.#path, key].map(formatTomlKey).join('.')} ${what}.`,
    });
  }

  /**
   * Accepts a former name of a field with a warning; if both are given, the current name takes precedence. Call it
   * before the field is read.
   */
  acceptFormer(former: string, key: string, since: string): void {
    if (!Object.hasOwn(this.#fields, former)) return;
    this.#readKeys.add(former);
    const name = (each: string) => [...this.#path, each].map(formatTomlKey).join('.');
    const message = deprecationText({ name: name(former), use: name(key), since });
    this.#state.warnings.push({ where: this.where(former), message });
    if (!Object.hasOwn(this.#fields, key)) this.#fields = { ...this.#fields, [key]: this.#fields[former] };
  }

  #get(key: string, setting: Omit<Setting, 'path'>): unknown {
    this.#readKeys.add(key);
    this.#state.onSetting?.({ path: this.#generalPathOf(key), ...setting });
    return Object.hasOwn(this.#fields, key) ? this.#fields[key] : undefined;
  }

  #generalPathOf(key: string): readonly string[] {
    return [...this.#generalPath, this.#placeholder ?? key];
  }

  /** Reads a text. Throws if the value is empty or not a text. */
  text(key: string, about: string): string | undefined {
    const value = this.#get(key, { kind: 'text', about });
    if (value === undefined) return undefined;
    if (typeof value === 'string' && value !== '') return value;
    return this.refuse(key, 'must be a non-empty text in quotes');
  }

  /** Reads a text that must be one of `words`. */
  word<T extends string>(key: string, about: string, words: readonly T[]): T | undefined;
  word<T extends string>(key: string, about: string, words: readonly T[], otherwise: NoInfer<T>): T;
  word<T extends string>(key: string, about: string, words: readonly T[], otherwise?: T): T | undefined {
    const value = this.#get(key, { kind: 'word', about, words, default: otherwise });
    if (value === undefined) return otherwise;
    const found = words.find((word) => word === value);
    return found ?? this.refuse(key, `must be one of ${words.map((word) => `"${word}"`).join(', ')}`);
  }

  /** Reads a number. Throws if it is outside the bounds. */
  number(key: string, about: string, bounds: NumberBounds): number | undefined;
  number(key: string, about: string, bounds: NumberBounds, otherwise: number): number;
  number(key: string, about: string, bounds: NumberBounds, otherwise?: number): number | undefined {
    return this.#number(key, { kind: 'number', about, bounds, default: otherwise }, bounds) ?? otherwise;
  }

  /** Reads an integer. Throws if it is outside the bounds. */
  whole(key: string, about: string, bounds: NumberBounds): number | undefined;
  whole(key: string, about: string, bounds: NumberBounds, otherwise: number): number;
  whole(key: string, about: string, bounds: NumberBounds, otherwise?: number): number | undefined {
    return this.#number(key, { kind: 'whole number', about, bounds, default: otherwise }, bounds) ?? otherwise;
  }

  #number(key: string, setting: Omit<Setting, 'path'>, { min, max }: NumberBounds): number | undefined {
    const value = this.#get(key, setting);
    if (value === undefined) return undefined;
    const isWhole = setting.kind !== 'whole number' || Number.isInteger(value);
    if (typeof value === 'number' && isWhole && value >= min && value <= (max ?? Number.MAX_SAFE_INTEGER)) return value;
    const kind = setting.kind === 'whole number' ? 'whole number' : 'number';
    return this.refuse(key, `must be a ${kind} from ${min}${max === undefined ? '' : ` up to ${max}`}`);
  }

  /** Reads a boolean. Throws on any other type. */
  flag(key: string, about: string): boolean | undefined;
  flag(key: string, about: string, otherwise: boolean): boolean;
  flag(key: string, about: string, otherwise?: boolean): boolean | undefined {
    const value = this.#get(key, { kind: 'true or false', about, default: otherwise });
    if (value === undefined) return otherwise;
    return typeof value === 'boolean' ? value : this.refuse(key, 'must be true or false');
  }

  /** Reads a list of texts; undefined if it is missing. */
  texts(key: string, about: string): readonly string[] | undefined {
    const value = this.#get(key, { kind: 'texts', about });
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((each): each is string => typeof each === 'string')) return value;
    return this.refuse(key, 'must be a list of texts');
  }

  /** Reads a table whose values are texts; empty if it is missing. */
  named(key: string, about: string): Readonly<Record<string, string>> {
    const value = this.#get(key, { kind: 'named texts', about });
    const found: Record<string, string> = Object.create(null);
    if (value === undefined) return found;
    if (!isTomlTable(value)) return this.refuse(key, 'must be a table of texts');
    for (const [name, each] of Object.entries(value)) {
      if (typeof each !== 'string') return this.refuse(key, `must be a table of texts; ${formatTomlKey(name)} is none`);
      found[name] = each;
    }
    return found;
  }

  /** Reads a text that must never be printed. */
  hidden(key: string, about: string): SecretText | undefined {
    const value = this.#get(key, { kind: 'text', about, secret: true });
    if (value === undefined) return undefined;
    if (typeof value === 'string' && value.trim() !== '') return new SecretText(value.trim());
    return this.refuse(key, 'must be a non-empty text in quotes');
  }

  /** Returns a nested table; an empty one if it is missing. */
  table(key: string, about: string): TomlTable {
    const value = this.#get(key, { kind: 'section', about });
    if (value !== undefined && !isTomlTable(value))
      return this.refuse(key, `must be a table, written [${[...this.#path, key].map(formatTomlKey).join('.')}]`);
    return new TomlTable(this.#state, [...this.#path, key], value ?? {}, this.#generalPathOf(key));
  }

  /** Warns about every field that was not read: most likely a typo. */
  finish(): void {
    for (const key of Object.keys(this.#fields))
      if (!this.#readKeys.has(key)) {
        const meant = findNearestName(key, [...this.#readKeys]);
        const hint = meant === undefined ? '' : ` (did you mean ${formatTomlKey(meant)}?)`;
        this.warn(key, `is not known and has no effect${hint}`);
      }
  }
}
