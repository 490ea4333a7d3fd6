// Parses JSON text. JSON.parse silently accepts three problems: it keeps only the last value of a duplicate key, reads
// a number beyond the range of a double as Infinity (written back as null), and rounds an integer with too many digits.
// This parser refuses all three.
import { type Json, makeRefusedResult, ok, type Result } from '@coppice/core';
import { defaultLimits } from './limits.ts';
import { truncateText } from './problem.ts';

const quote = 0x22;
const backslash = 0x5c;

type NumberFinding = { readonly depth: true } | { readonly depth: false; readonly what: string };

/** Returns the index of the quote that ends the string whose opening quote is at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = end - 1;
    while (escapes > start && text.charCodeAt(escapes) === backslash) escapes--;
    if ((end - 1 - escapes) % 2 === 0) return end;
  }
  return text.length;
}

function readJsonKey(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  if (!raw.includes('\\')) return raw;
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    // The text is not JSON; the full parse reports the position.
    return raw;
  }
}

function isNumberPart(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || unit === 0x2e || unit === 0x2b || unit === 0x2d || (unit | 0x20) === 0x65;
}

/** Returns the digits of an integer without an exponent. */
function plainDigits(value: number): string {
  const [mantissa = '', exponent] = String(Math.abs(value)).split('e+');
  if (exponent === undefined) return mantissa;
  const [whole = '', fraction = ''] = mantissa.split('.');
  return whole + fraction.padEnd(Number(exponent), '0');
}

function numberProblem(literal: string): string | undefined {
  // Up to 15 digits survive a double, and a literal this short has no exponent that exceeds the range.
  if (literal.length < 5) return undefined;
  const value = Number(literal);
  if (Number.isNaN(value)) return undefined;
  if (!Number.isFinite(value))
    return `has the number ${truncateText(literal, 40)}, which is too large for a JSON number here`;
  if (literal.length <= 15 || /[.eE]/.test(literal)) return undefined;
  if (plainDigits(value) === literal.replace('-', '')) return undefined;
  return `has the whole number ${truncateText(literal, 40)}, which would come back as ${value}; send it as a string`;
}

/** Scans text that may not be JSON. The result is valid only if the text is JSON, except for the depth. */
function findProblem(text: string, maxDepth: number): NumberFinding | undefined {
  const open: (Set<string> | undefined)[] = [];
  let keys: Set<string> | undefined;
  let keyNext = false;
  let found: NumberFinding | undefined;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === quote) {
      const end = endOfString(text, index);
      if (keyNext && keys !== undefined) {
        const key = readJsonKey(text, index, end);
        if (keys.has(key))
          found ??= { depth: false, what: `has the key ${JSON.stringify(truncateText(key, 60))} twice in one object` };
        keys.add(key);
        keyNext = false;
      }
      index = end;
    } else if (unit === 0x7b || unit === 0x5b) {
      open.push(keys);
      if (open.length > maxDepth) return { depth: true };
      keyNext = unit === 0x7b;
      keys = keyNext ? new Set() : undefined;
    } else if (unit === 0x7d || unit === 0x5d) {
      keys = open.pop();
      keyNext = false;
    } else if (unit === 0x2c) {
      keyNext = keys !== undefined;
    } else if (unit === 0x2d || (unit >= 0x30 && unit <= 0x39)) {
      let end = index + 1;
      while (end < text.length && isNumberPart(text.charCodeAt(end))) end++;
      const what = numberProblem(text.slice(index, end));
      if (what !== undefined) found ??= { depth: false, what };
      index = end - 1;
    }
  }
  return found;
}

/**
 * Parses JSON text strictly. Refuses text that is not JSON, that nests deeper than `depth`, that repeats a key in one
 * object, or that has a number which would change when written back. Key order is kept, except that integer keys come
 * first, as in every JavaScript object. `__proto__` is an ordinary own key.
 */
export function parseJson(text: string, where = 'The text', depth = defaultLimits.jsonDepth): Result<Json> {
  const problem = findProblem(text, depth);
  if (problem?.depth)
    return makeRefusedResult('message/invalid', `${where} nests deeper than ${depth} levels.`, { where, depth });
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'it cannot be read';
    return makeRefusedResult('message/invalid', `${where} is not JSON: ${truncateText(reason, 200)}.`, { where });
  }
  if (problem !== undefined) return makeRefusedResult('message/invalid', `${where} ${problem.what}.`, { where });
  return ok(value);
}
