/**
 * The vocabulary for values that come from outside: commands, arguments, steps, records on disk, session entries, foreign
 * formats. A {@link FieldReader} takes one field of an object and throws {@link Malformed} with its place where it is not what
 * it should be; the `get…` functions answer undefined instead. Pure, and without I/O.
 */
import { type RefusalCode, refuse } from './errors.ts';
import type { Json, JsonObject } from './message.ts';

/** An object whose fields are still unknown. */
export type FieldMap = { readonly [key: string]: unknown };

/** Reads one field of an object. */
export type FieldReader<T> = (fields: FieldMap, key: string) => T;

/** A value that is not what was asked for. */
export class Malformed extends Error {
  /** Where it is, such as `messages[3].id`. */
  where: string;
  /** The code to refuse it with, where that is not the caller's usual one. */
  readonly code: RefusalCode | undefined;
  readonly #says: string;

  /** `says` follows the place, such as `must be a text`; with a code it is the whole sentence. */
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

/** Whether a value that is known to be JSON, or to be kept as such, is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isFieldMap(value);
}

/** The value of a field; what is inherited does not count. */
export function ownField(fields: FieldMap, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** Throws that a field is not what it should be. */
export function throwMalformed(key: string, wanted: string): never {
  throw new Malformed(key, `must be ${wanted}`);
}

/** Runs a reader of something nested, so that what it throws names the whole way down. */
export function decodeWithin<T>(key: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Malformed) error.where = `${key}${error.where.startsWith('[') ? '' : '.'}${error.where}`;
    throw error;
  }
}

/**
 * A reader of fields that pass a test. Marked, so that a bundle takes those readers along that it uses.
 * @__NO_SIDE_EFFECTS__
 */
export function fieldReader<T>(fits: (value: unknown) => value is T, wanted: string): FieldReader<T> {
  return (fields, key) => {
    const value = ownField(fields, key);
    return fits(value) ? value : throwMalformed(key, wanted);
  };
}

const isString = (value: unknown): value is string => typeof value === 'string';

/** A text field. */
export function requiredText(fields: FieldMap, key: string): string {
  const value = ownField(fields, key);
  return typeof value === 'string' ? value : throwMalformed(key, 'a text');
}

/** A finite number. */
export const finite: FieldReader<number> = fieldReader((value): value is number => Number.isFinite(value), 'a number');

/** True or false. */
export const flag: FieldReader<boolean> = fieldReader(
  (value): value is boolean => typeof value === 'boolean',
  'true or false',
);

/** An object field. */
export const object: FieldReader<FieldMap> = fieldReader(isFieldMap, 'an object');

/** A list field. */
export const list: FieldReader<readonly unknown[]> = fieldReader(
  (value): value is readonly unknown[] => Array.isArray(value),
  'a list',
);

/** A list of texts. */
export const texts: FieldReader<readonly string[]> = fieldReader(
  (value): value is string[] => Array.isArray(value) && value.every(isString),
  'a list of texts',
);

/** Whatever JSON may have a word for; others look closer. */
export const anyValue: FieldReader<unknown> = fieldReader(
  (value): value is unknown => !['symbol', 'bigint', 'function'].includes(typeof value),
  'data',
);

/** A whole number from a least one on. @__NO_SIDE_EFFECTS__ */
export function integerFrom(least: number): FieldReader<number> {
  return fieldReader(
    (value): value is number => Number.isSafeInteger(value) && Number(value) >= least,
    `a whole number from ${least}`,
  );
}

/** A whole number from zero on. */
export const integer: FieldReader<number> = integerFrom(0);

/** How many are wanted: at least one. */
export const limit: FieldReader<number> = integerFrom(1);

/** A field that is one of a few words. @__NO_SIDE_EFFECTS__ */
export function oneOf<T extends string>(words: readonly T[]): FieldReader<T> {
  return fieldReader((value): value is T => words.some((word) => word === value), `one of ${words.join(', ')}`);
}

/** A field, or null where it is missing. @__NO_SIDE_EFFECTS__ */
export function nullOr<T>(read: FieldReader<T>): FieldReader<T | null> {
  return (fields, key) => (ownField(fields, key) == null ? null : read(fields, key));
}

/** A field that may be missing or null. @__NO_SIDE_EFFECTS__ */
export function optionalField<T>(read: FieldReader<T>): FieldReader<T | undefined> {
  return (fields, key) => (ownField(fields, key) == null ? undefined : read(fields, key));
}

/** A field that may be missing; null is not the same. @__NO_SIDE_EFFECTS__ */
export function optionalOrNull<T>(read: FieldReader<T>): FieldReader<T | undefined> {
  return (fields, key) => (ownField(fields, key) === undefined ? undefined : read(fields, key));
}

/** A reader for each field; a field that may be missing is left out where its reader gives nothing. */
export type FieldShapes<T> = {
  readonly [K in keyof T]-?: undefined extends T[K] ? FieldReader<T[K] | undefined> : FieldReader<T[K]>;
};

/** Reads objects by the readers of their fields, into fresh ones without any others. @__NO_SIDE_EFFECTS__ */
export function shapeReader<T>(shape: FieldShapes<T>): (fields: FieldMap) => T {
  const readers = Object.entries<FieldReader<unknown>>(shape);
  return (fields) => {
    const made: { [key: string]: unknown } = {};
    for (let at = 0; at < readers.length; at++) {
      const [key, read] = readers[at] as [string, FieldReader<unknown>];
      const value = read(fields, key);
      if (value !== undefined) made[key] = value;
    }
    // Each field is what its reader says, which the loop over them cannot show the compiler.
    return made as T;
  };
}

/** An object field of a shape. @__NO_SIDE_EFFECTS__ */
export function nestedShape<T>(shape: FieldShapes<T>): FieldReader<T> {
  const read = shapeReader(shape);
  return (fields, key) => {
    const value = object(fields, key);
    return decodeWithin(key, () => read(value));
  };
}

/** A list field, each element an object that is read. @__NO_SIDE_EFFECTS__ */
export function listOfShapes<T>(read: (fields: FieldMap) => T): FieldReader<readonly T[]> {
  return eachItem((items, index) => {
    const item = items[index];
    return isFieldMap(item) ? decodeWithin(`[${index}]`, () => read(item)) : throwMalformed(`[${index}]`, 'an object');
  });
}

/** A list field whose elements are read as fields of it, by their index. @__NO_SIDE_EFFECTS__ */
export function eachItem<T>(read: (items: FieldMap, index: string) => T): FieldReader<readonly T[]> {
  return (fields, key) => {
    const value = list(fields, key);
    return decodeWithin(key, () => Array.from(value, (_, index) => read(value as unknown as FieldMap, String(index))));
  };
}

/** Readers of the fields that an object may have, by name. */
export type FieldReaders = { readonly [key: string]: FieldReader<unknown> };

/**
 * Checks an object without copying it: each field by its reader, and that there are no others. A field that is undefined
 * counts as missing. `what` names the object in the sentence that refuses an unknown field. @__NO_SIDE_EFFECTS__
 */
export function assertExactFields(what: string, readers: FieldReaders): (fields: FieldMap) => void {
  const entries = Object.entries(readers);
  const names = new Set(Object.keys(readers));
  return (fields) => {
    for (const key of Object.keys(fields))
      if (!names.has(key) && fields[key] !== undefined)
        throw new Malformed(
          key,
          `${what} has no field ${JSON.stringify(key.slice(0, 64))}; it has ${[...names].join(', ')}.`,
          'command/invalid',
        );
    for (const [key, read] of entries) read(fields, key);
  };
}

/** An object field with such fields and no others, as it is. @__NO_SIDE_EFFECTS__ */
export function exactFields(what: string, readers: FieldReaders): FieldReader<FieldMap> {
  const check = assertExactFields(what, readers);
  return (fields, key) => {
    const value = object(fields, key);
    decodeWithin(key, () => check(value));
    return value;
  };
}

/** Refuses an argument that is not as it should be; `what` names it, and its sentence begins with that. */
export function assertArgument(what: string, value: unknown, read: FieldReader<unknown>): void {
  refuseMalformed(() => read({ [what]: value }, what));
}

/** Runs readers and turns what they throw into a refusal: by the code it brings, or `command/invalid`. */
export function refuseMalformed<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    const { code, message, where } = error;
    return refuse(code ?? 'command/invalid', code === undefined ? `${message}.` : message, { where });
  }
}

/** A value in a sentence, whatever it is. */
export function describeValue(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'of this kind' : String(value).slice(0, 64);
}

/** The text of a field; undefined where there is none. */
export function getText(fields: FieldMap, key: string): string | undefined {
  const value = ownField(fields, key);
  return typeof value === 'string' ? value : undefined;
}

/** The finite number of a field; undefined where there is none. */
export function getNumber(fields: FieldMap, key: string): number | undefined {
  const value = ownField(fields, key);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The object of a field; undefined where there is none. What is read from JSON holds JSON and nothing else. */
export function getObject(fields: FieldMap, key: string): JsonObject | undefined {
  const value = ownField(fields, key);
  return isJsonObject(value) ? value : undefined;
}

/** The list of a field; undefined where there is none. */
export function getList(fields: FieldMap, key: string): readonly Json[] | undefined {
  const value = ownField(fields, key);
  return Array.isArray(value) ? value : undefined;
}
