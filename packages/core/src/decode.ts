/**
 * Readers for untrusted values: commands, arguments, steps, records on disk, session entries, foreign formats. A {@link
 * FieldReader} reads one field of an object and throws {@link MalformedError} with the path of a wrong value; the
 * `get…` functions return undefined instead. Pure, without I/O.
 */
import { type RefusalCode, refuse } from './errors.ts';
import type { Json, JsonObject } from './message.ts';

/** An object whose fields are still unknown. */
export type FieldMap = { readonly [key: string]: unknown };

/** Reads one field of an object; throws {@link MalformedError} if the value is wrong. */
export type FieldReader<T> = (fields: FieldMap, key: string) => T;

/** Thrown for a value of the wrong type or shape. */
export class MalformedError extends Error {
  /** The path of the value, such as `messages[3].id`. */
  where: string;
  /** The error code, if it differs from the caller's default. */
  readonly code: RefusalCode | undefined;
  readonly #says: string;

  /**
   * `says` is the rest of a sentence after the path, for example `must be a text`; with a code it is the whole
   * sentence.
   */
  constructor(where: string, says: string, code?: RefusalCode) {
    super();
    this.where = where;
    this.code = code;
    this.#says = says;
  }

  override get message(): string {
    return this.code === undefined ? `${this.where} ${this.#says}`.trim() : this.#says;
  }
}

/** Whether a value is an object and not a list. */
export function isFieldMap(value: unknown): value is FieldMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value that is known to be JSON is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isFieldMap(value);
}

/** Returns the value if it is an object, else an object without fields. */
export function fieldsOrEmpty(value: unknown): FieldMap {
  return isFieldMap(value) ? value : {};
}

/** Returns the value of a field; inherited properties do not count. */
export function ownField(fields: FieldMap, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** Throws {@link MalformedError} with the message that the field must be `wanted`. */
export function throwMalformed(key: string, wanted: string): never {
  throw new MalformedError(key, `must be ${wanted}`);
}

/** Runs a nested reader and prefixes the paths of its errors. */
export function decodeWithin<T>(key: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof MalformedError) error.where = `${key}${error.where.startsWith('[') ? '' : '.'}${error.where}`;
    throw error;
  }
}

/**
 * Creates a reader from a type guard. Marked as pure, so that a bundler drops unused readers.
 * @__NO_SIDE_EFFECTS__
 */
export function createFieldReader<T>(fits: (value: unknown) => value is T, wanted: string): FieldReader<T> {
  return (fields, key) => {
    const value = ownField(fields, key);
    return fits(value) ? value : throwMalformed(key, wanted);
  };
}

const isString = (value: unknown): value is string => typeof value === 'string';

/** Reads a string; throws if the field is missing or has another type. */
export function requiredText(fields: FieldMap, key: string): string {
  const value = ownField(fields, key);
  return typeof value === 'string' ? value : throwMalformed(key, 'a text');
}

/** Reads a finite number; NaN, infinities and numeric strings are refused. */
export const finiteNumberField: FieldReader<number> = createFieldReader(
  (value): value is number => Number.isFinite(value),
  'a number',
);

/** Reads a boolean; the strings `true` and `false` are refused. */
export const booleanField: FieldReader<boolean> = createFieldReader(
  (value): value is boolean => typeof value === 'boolean',
  'true or false',
);

/** Reads an object; null and lists are refused. */
export const objectField: FieldReader<FieldMap> = createFieldReader(isFieldMap, 'an object');

/** Reads a list without checking its items. */
export const listField: FieldReader<readonly unknown[]> = createFieldReader(
  (value): value is readonly unknown[] => Array.isArray(value),
  'a list',
);

/** Reads a list whose items are all strings. */
export const textListField: FieldReader<readonly string[]> = createFieldReader(
  (value): value is string[] => Array.isArray(value) && value.every(isString),
  'a list of texts',
);

/** Reads any value except symbols, bigints and functions. The caller must validate the value. */
export const jsonField: FieldReader<unknown> = createFieldReader(
  (value): value is unknown => !['symbol', 'bigint', 'function'].includes(typeof value),
  'data',
);

/** Creates a reader for an integer of at least `least`. @__NO_SIDE_EFFECTS__ */
export function integerFieldFrom(least: number): FieldReader<number> {
  return createFieldReader(
    (value): value is number => Number.isSafeInteger(value) && Number(value) >= least,
    `a whole number from ${least}`,
  );
}

/** Reads a safe integer of at least 0. */
export const integerField: FieldReader<number> = integerFieldFrom(0);

/** Reads a safe integer of at least 1, for the limit of a list. */
export const limitField: FieldReader<number> = integerFieldFrom(1);

/** Creates a reader for a field with one of the given values. @__NO_SIDE_EFFECTS__ */
export function oneOfField<T extends string>(words: readonly T[]): FieldReader<T> {
  return createFieldReader((value): value is T => words.some((word) => word === value), `one of ${words.join(', ')}`);
}

/** Creates a reader that returns null if the field is missing or null. @__NO_SIDE_EFFECTS__ */
export function nullableField<T>(read: FieldReader<T>): FieldReader<T | null> {
  return (fields, key) => (ownField(fields, key) == null ? null : read(fields, key));
}

/** Creates a reader that returns undefined if the field is missing or null. @__NO_SIDE_EFFECTS__ */
export function optionalField<T>(read: FieldReader<T>): FieldReader<T | undefined> {
  return (fields, key) => (ownField(fields, key) == null ? undefined : read(fields, key));
}

/** Creates a reader that returns undefined if the field is missing, but refuses null. @__NO_SIDE_EFFECTS__ */
export function optionalNonNullField<T>(read: FieldReader<T>): FieldReader<T | undefined> {
  return (fields, key) => (ownField(fields, key) === undefined ? undefined : read(fields, key));
}

/** Returns a copy without undefined fields, which types with optional fields do not accept. */
export function omitUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> };
export function omitUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** A reader for each field; an optional field is left out of the result if its reader returns undefined. */
export type FieldShapes<T> = {
  readonly [K in keyof T]-?: undefined extends T[K] ? FieldReader<T[K] | undefined> : FieldReader<T[K]>;
};

/**
 * Creates a function that reads an object with the given field readers into a new object. Other fields are dropped.
 * @__NO_SIDE_EFFECTS__
 */
export function shapeReader<T>(shape: FieldShapes<T>): (fields: FieldMap) => T {
  const readers = Object.entries<FieldReader<unknown>>(shape);
  return (fields) => {
    const made: { [key: string]: unknown } = {};
    for (let at = 0; at < readers.length; at++) {
      const [key, read] = readers[at] as [string, FieldReader<unknown>];
      const value = read(fields, key);
      if (value !== undefined) made[key] = value;
    }
    // Each field has the type of its reader; TypeScript cannot derive that from the loop.
    return made as T;
  };
}

/** Creates a reader for an object field with the given field readers. @__NO_SIDE_EFFECTS__ */
export function shapeField<T>(shape: FieldShapes<T>): FieldReader<T> {
  const read = shapeReader(shape);
  return (fields, key) => {
    const value = objectField(fields, key);
    return decodeWithin(key, () => read(value));
  };
}

/** Creates a reader for a list field whose elements are objects. @__NO_SIDE_EFFECTS__ */
export function shapeListField<T>(read: (fields: FieldMap) => T): FieldReader<readonly T[]> {
  return listFieldOf((items, index) => {
    const item = items[index];
    return isFieldMap(item) ? decodeWithin(`[${index}]`, () => read(item)) : throwMalformed(`[${index}]`, 'an object');
  });
}

/**
 * Creates a reader for a list field. Each element is read like a field whose name is the index. @__NO_SIDE_EFFECTS__
 */
export function listFieldOf<T>(read: (items: FieldMap, index: string) => T): FieldReader<readonly T[]> {
  return (fields, key) => {
    const value = listField(fields, key);
    return decodeWithin(key, () => value.map((item, index) => read({ [index]: item }, String(index))));
  };
}

/** The reader of each field by its name. */
export type FieldReaders = { readonly [key: string]: FieldReader<unknown> };

/**
 * Creates a function that validates an object without copying it: each field with its reader. Unknown fields are
 * refused, and an undefined field counts as missing. `what` names the object in error messages. @__NO_SIDE_EFFECTS__
 */
export function makeExactFieldsCheck(what: string, readers: FieldReaders): (fields: FieldMap) => void {
  const entries = Object.entries(readers);
  const names = new Set(Object.keys(readers));
  return (fields) => {
    for (const key of Object.keys(fields))
      if (!names.has(key) && fields[key] !== undefined)
        throw new MalformedError(
          key,
          `${what} has no field ${JSON.stringify(key.slice(0, 64))}; it has ${[...names].join(', ')}.`,
          'command/invalid',
        );
    for (const [key, read] of entries) read(fields, key);
  };
}

/**
 * Returns the name that a misspelt name probably means: one that begins with it, or one with at most a third of its
 * characters wrong, missing or too many, whatever their case.
 */
export function findNearestName(name: string, names: readonly string[]): string | undefined {
  const wrong = name.slice(0, 64);
  const wrongLower = wrong.toLowerCase();
  let nearest: string | undefined;
  let [least, leastExact] = [Math.ceil(wrong.length / 3), Number.POSITIVE_INFINITY];
  for (const each of names) {
    const known = each.toLowerCase();
    const edits = wrong.length > 1 && known.startsWith(wrongLower) ? 0.5 : countEdits(wrongLower, known);
    if (edits > least) continue;
    // Of two names that differ only in case, the one in the same case is nearer.
    const exact = countEdits(wrong, each);
    if (edits < least || exact < leastExact) [nearest, least, leastExact] = [each, edits, exact];
  }
  return nearest;
}

/** Returns how many characters must be inserted, removed or replaced (the Levenshtein distance). */
function countEdits(from: string, to: string): number {
  let row = Array.from(to, (_, at) => at + 1);
  for (let y = 0; y < from.length; y++) {
    let [diagonal, left] = [y, y + 1];
    row = row.map((above, x) => {
      left = Math.min(above + 1, left + 1, diagonal + (from[y] === to[x] ? 0 : 1));
      diagonal = above;
      return left;
    });
  }
  return row.at(-1) ?? from.length;
}

/** The names of all options, as a table, so that the compiler reports a name that is missing. */
export type OptionNames<T> = Readonly<Record<keyof T, unknown>>;

/** Returns the end of a sentence about a name that does not exist: the name, and the nearest one or all that exist. */
function describeUnknownName(name: string, names: readonly string[]): string {
  const nearest = findNearestName(name, names);
  const help = nearest === undefined ? `; it has ${names.join(', ')}.` : `. Did you mean ${JSON.stringify(nearest)}?`;
  return JSON.stringify(name.slice(0, 64)) + help;
}

/**
 * Refuses options of `caller` that do not exist, such as misspelt ones, which would otherwise have no effect. The error
 * names the nearest option that exists.
 */
export function assertOptionNames<T extends object>(caller: string, options: T, names: OptionNames<T>): void {
  const given: unknown = options;
  if (!isFieldMap(given)) return refuse('command/invalid', `${caller} takes its options as an object.`);
  for (const name of Object.keys(given))
    if (!Object.hasOwn(names, name) && given[name] !== undefined)
      refuse('command/invalid', `${caller} has no option ${describeUnknownName(name, Object.keys(names))}`, {
        where: name.slice(0, 64),
      });
}

/** Creates a reader for an object field with exactly these fields. The object is not copied. @__NO_SIDE_EFFECTS__ */
export function exactObjectField(what: string, readers: FieldReaders): FieldReader<FieldMap> {
  const check = makeExactFieldsCheck(what, readers);
  return (fields, key) => {
    const value = objectField(fields, key);
    decodeWithin(key, () => check(value));
    return value;
  };
}

/** Throws if an argument is invalid. `what` is the name of the argument in the message. */
export function assertArgument(what: string, value: unknown, read: FieldReader<unknown>): void {
  refuseIfMalformed(() => read({ [what]: value }, what));
}

/**
 * Refuses a value that is not a store, such as a promise that was not awaited. `caller` is the function that needs the
 * store.
 */
export function assertStore(caller: string, store: unknown): void {
  if (typeof store === 'object' && store !== null && 'forOwner' in store) return;
  refuse('command/invalid', `${caller} needs a store, such as \`await openStore('sqlite:chats.db')\`.`);
}

/** Runs readers and turns a {@link MalformedError} into a refusal with its code, or `command/invalid`. */
export function refuseIfMalformed<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    const { code, message, where } = error;
    return refuse(code ?? 'command/invalid', code === undefined ? `${message}.` : message, { where });
  }
}

/** Formats a value for an error message: at most 64 characters of a primitive value, no contents of an object. */
export function describeValue(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'of this kind' : String(value).slice(0, 64);
}

/** Returns a string field; undefined if it is missing or has another type. */
export function getText(fields: FieldMap, key: string): string | undefined {
  const value = ownField(fields, key);
  return typeof value === 'string' ? value : undefined;
}

/** Returns a text field; undefined if it is missing, empty or of another type. */
export function getFilledText(fields: FieldMap, key: string): string | undefined {
  return getText(fields, key) || undefined;
}

/** Returns the strings of a list field; other items are skipped. */
export function getTexts(fields: FieldMap, key: string): readonly string[] {
  return listOrEmpty(fields, key).filter(isString);
}

/** Returns a finite number field; undefined if it is missing or has another type. */
export function getNumber(fields: FieldMap, key: string): number | undefined {
  const value = ownField(fields, key);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Returns an object field; undefined if it is missing or has another type. The input must come from JSON. */
export function getObject(fields: FieldMap, key: string): JsonObject | undefined {
  const value = ownField(fields, key);
  return isJsonObject(value) ? value : undefined;
}

/** Returns an object field; an empty object if it is missing or has another type. */
export function objectOrEmpty(fields: FieldMap, key: string): JsonObject {
  return getObject(fields, key) ?? {};
}

/** Returns a list field; an empty list if it is missing or has another type. */
export function listOrEmpty(fields: FieldMap, key: string): readonly Json[] {
  return getList(fields, key) ?? [];
}

/** Returns a list field; undefined if it is missing or has another type. */
export function getList(fields: FieldMap, key: string): readonly Json[] | undefined {
  const value = ownField(fields, key);
  return Array.isArray(value) ? value : undefined;
}

/** Returns the own member of JSON at a path of keys; undefined if the path ends early. */
export function getMember(value: Json | undefined, ...keys: readonly string[]): Json | undefined {
  let place = value;
  for (const key of keys) place = isJsonObject(place) && Object.hasOwn(place, key) ? place[key] : undefined;
  return place;
}

/** Follows a path of keys in JSON and returns the text there, or undefined. */
export function getTextMember(value: Json | undefined, ...keys: readonly string[]): string | undefined {
  const found = getMember(value, ...keys);
  return typeof found === 'string' ? found : undefined;
}

/** Follows a path of keys in JSON and returns the finite number there, or undefined. */
export function getNumberMember(value: Json | undefined, ...keys: readonly string[]): number | undefined {
  const found = getMember(value, ...keys);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}
