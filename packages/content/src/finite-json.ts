/** Parses JSON of other programs whose numbers may be larger than a double. */
import type { Json } from '@coppice/core';
import { isJsonObject } from '@coppice/core/decode';

/** Replaces non-finite numbers by the largest finite ones, because JSON cannot represent infinity. */
function clampNumber(value: Json): Json {
  if (typeof value === 'number')
    return Number.isFinite(value) ? value : value > 0 ? Number.MAX_VALUE : -Number.MAX_VALUE;
  return value;
}

/** Replaces the non-finite numbers in a value. */
export function clampNumbers(root: Json): Json {
  const copyOf = (value: Json): Json =>
    Array.isArray(value) ? [...value] : isJsonObject(value) ? { ...value } : clampNumber(value);
  const top = copyOf(root);
  const stack: Json[] = [top];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const holder = next;
    if (typeof holder !== 'object' || holder === null) continue;
    for (const [key, item] of Object.entries(holder)) {
      if (typeof item !== 'number' && (typeof item !== 'object' || item === null)) continue;
      const copy = copyOf(item);
      Object.defineProperty(holder, key, { value: copy, writable: true, enumerable: true, configurable: true });
      stack.push(copy);
    }
  }
  return top;
}

// Only a number with an exponent of three digits, or with more than 300 digits, can be larger than a double.
const maybeTooLarge = /\d[eE]\+?\d{3}|\d{300}/;

/** Parses JSON like `JSON.parse`, but returns numbers that are larger than a double as the largest finite ones. */
export function parseFiniteJson(text: string): Json {
  const value: Json = JSON.parse(text);
  return maybeTooLarge.test(text) ? clampNumbers(value) : value;
}
