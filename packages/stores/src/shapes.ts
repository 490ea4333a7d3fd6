/** What values are, for callers without types: what is of another kind is refused by a code and named. */
import { type RefusalCode, refuse } from '@coppice/core';

/** What is wrong with a value: the code it is refused by, where it stands, and the rest of a sentence about it. */
export interface Problem {
  readonly code: RefusalCode;
  readonly where: string;
  readonly says: string;
}

/** What is wrong with a value, or null. Nothing is written down for what is in order: imports bring thousands of parts. */
export type Part = (value: unknown) => Problem | null;

type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is an object with named parts. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value in a sentence, whatever it is. */
export function shown(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'of this kind' : String(value).slice(0, 64);
}

function part(fits: (value: unknown) => boolean, says: string): Part {
  const problem: Problem = { code: 'command/invalid', where: '', says };
  return (value) => (fits(value) ? null : problem);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** What others look at. Only what JSON has no word for is refused, for a sentence about it could not be written. */
export const anything = part((value) => !['symbol', 'bigint', 'function'].includes(typeof value), 'is no data');
/** A text. */
export const text = part(isText, 'is no text');
/** True or false, or not said. */
export const flag = part((value) => value == null || typeof value === 'boolean', 'is neither true nor false');
/** A number that JSON can say. */
export const number = part(Number.isFinite, 'is no number');
/** A whole number, from zero on. */
export const whole = part((value) => Number.isSafeInteger(value) && Number(value) >= 0, 'is no whole number');
/** An object with named parts. */
export const fields = part(isFields, 'is no object');
/** A list of whatever. */
export const list = part(Array.isArray, 'is no list');

/** The id of a node; what is none names nothing, as an id that no node has. */
export const node: Part = (value) =>
  isText(value) ? null : { code: 'tree/unknown-node', where: '', says: `There is no node ${shown(value)}.` };
/** The id of a tree. */
export const tree: Part = (value) =>
  isText(value) ? null : { code: 'tree/unknown-tree', where: '', says: `There is no tree ${shown(value)}.` };
/** The id of whatever is asked for. */
export const id: Part = (value) =>
  isText(value) ? null : { code: 'id/invalid', where: '', says: `An id is a text, not ${shown(value)}.` };

/** A part that may be left out. */
export function maybe(wanted: Part): Part {
  return (value) => (value === undefined ? null : wanted(value));
}

/** A part that may be left out, or be null, which says as much. */
export function orNull(wanted: Part): Part {
  return (value) => (value == null ? null : wanted(value));
}

/** One of some words. */
export function oneOf(...words: readonly string[]): Part {
  return part((value) => words.some((word) => word === value), `is none of ${words.join(', ')}`);
}

/** A list of such parts. */
export function listOf(wanted: Part): Part {
  return (value) => {
    if (!Array.isArray(value)) return list(value);
    for (let index = 0; index < value.length; index++) {
      const problem = wanted(value[index]);
      if (problem !== null) return { ...problem, where: `[${index}]${problem.where}` };
    }
    return null;
  };
}

/** An object with such parts, and perhaps others. */
export function objectOf(shape: Readonly<Record<string, Part>>): Part {
  const parts = Object.entries(shape);
  return (value) => {
    if (!isFields(value)) return fields(value);
    for (const [name, wanted] of parts) {
      const problem = wanted(value[name]);
      if (problem !== null) return { ...problem, where: `.${name}${problem.where}` };
    }
    return null;
  };
}

/** Refuses what is not as it should be; `what` names it. */
export function check(what: string, value: unknown, wanted: Part): void {
  const problem = wanted(value);
  if (problem === null) return;
  const { code, says } = problem;
  const where = `${what}${problem.where}`;
  refuse(code, code === 'command/invalid' ? `${where} ${says}.` : says, { where });
}
