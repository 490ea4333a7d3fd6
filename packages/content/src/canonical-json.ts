import { refuse } from '@coppice/core';
import { isPlainObject } from './json-copy.ts';
import { showValue } from './problem.ts';

/** An array or object that is being written, and the index of the next item or key. */
type CanonicalFrame =
  | { readonly items: readonly unknown[]; next: number }
  | { readonly object: Readonly<Record<string, unknown>>; readonly keys: readonly string[]; next: number };

// Deeper than any message, and deeper than JSON.stringify supports. Only a value that contains itself reaches this
// limit.
const deepest = 100_000;

function openFrame(value: object): CanonicalFrame {
  if (Array.isArray(value)) return { items: value, next: 0 };
  if (!isPlainObject(value)) refuse('message/invalid', 'An object that is not plain data cannot be written as JSON.');
  // sort() orders by UTF-16 code unit, the same on every machine; localeCompare would not.
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return { object: value, keys: keys.sort(), next: 0 };
}

function writeLeaf(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    refuse('message/invalid', `The number ${value} cannot be written as JSON.`, { number: String(value) });
  }
  // JSON.stringify escapes lone surrogates and writes -0 as 0.
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return JSON.stringify(value);
  }
  return refuse('message/invalid', `There is ${showValue(value)} where JSON needs a value.`);
}

/**
 * Serialises a value so that the text depends only on the value: keys sorted by UTF-16 code unit, no white space,
 * numbers as JavaScript writes them (-0 as 0), lone surrogates as `\udXXX`. Refuses non-finite numbers and values that
 * are not JSON. Leaves out `undefined` members like JSON.stringify. Iterative, so that any depth works.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return writeLeaf(value);
  const stack: CanonicalFrame[] = [];
  let frame: CanonicalFrame | undefined = openFrame(value);
  let text = 'items' in frame ? '[' : '{';
  while (frame !== undefined) {
    let child: unknown;
    if ('items' in frame) {
      if (frame.next === frame.items.length) {
        text += ']';
        frame = stack.pop();
        continue;
      }
      if (frame.next > 0) text += ',';
      child = frame.items[frame.next++];
    } else {
      const key: string | undefined = frame.keys[frame.next];
      if (key === undefined) {
        text += '}';
        frame = stack.pop();
        continue;
      }
      text += `${frame.next > 0 ? ',' : ''}${JSON.stringify(key)}:`;
      frame.next++;
      child = frame.object[key];
    }
    if (typeof child === 'object' && child !== null) {
      if (stack.length >= deepest) refuse('message/invalid', 'A value that contains itself cannot be written as JSON.');
      stack.push(frame);
      frame = openFrame(child);
      text += 'items' in frame ? '[' : '{';
    } else {
      text += writeLeaf(child);
    }
  }
  return text;
}
