// Parses the incomplete beginning of a large JSON file, to detect its format.
import type { Json } from '@coppice/core';
import { setOwnProperty } from '../json-copy.ts';

interface ListFrame {
  readonly list: Json[];
}
interface ObjectFrame {
  readonly object: Record<string, Json>;
  key: string | undefined;
}
type PartialFrame = ListFrame | ObjectFrame;

const space = /[\s]*/y;
const scalar = /(?:true|false|null|-?\d[\d.eE+-]*)/y;

/** Returns the index after the closing quote of the string that begins at `start`; -1 if the string is incomplete. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x5c) at++;
    else if (unit === 0x22) return at + 1;
  }
  return -1;
}

function readString(text: string, start: number, end: number): string | undefined {
  try {
    return String(JSON.parse(text.slice(start, end)));
  } catch {
    return undefined;
  }
}

/**
 * Parses the first JSON value of an incomplete text: open containers are closed, and an incomplete value is left out.
 * Undefined if the text does not begin with JSON. For detection only; nothing is validated.
 */
export function parsePartialJson(text: string): Json | undefined {
  const stack: PartialFrame[] = [];
  let root: Json | undefined;
  const put = (value: Json): void => {
    const frame = stack[stack.length - 1];
    if (frame === undefined) root = value;
    else if ('list' in frame) frame.list.push(value);
    else if (frame.key !== undefined) {
      setOwnProperty(frame.object, frame.key, value);
      frame.key = undefined;
    }
  };
  let at = 0;
  while (at < text.length) {
    space.lastIndex = at;
    space.exec(text);
    at = space.lastIndex;
    const unit = text[at];
    const frame = stack[stack.length - 1];
    if (unit === undefined) break;
    if (unit === '{' || unit === '[') {
      const list: Json[] = [];
      const object: Record<string, Json> = {};
      put(unit === '[' ? list : object);
      stack.push(unit === '[' ? { list } : { object, key: undefined });
      at++;
    } else if (unit === '}' || unit === ']') {
      stack.pop();
      at++;
      if (stack.length === 0) return root;
    } else if (unit === ',' || unit === ':') {
      if (frame === undefined) return root;
      at++;
    } else if (unit === '"') {
      const end = stringEnd(text, at);
      const value = end === -1 ? undefined : readString(text, at, end);
      if (value === undefined) break;
      if (frame !== undefined && 'object' in frame && frame.key === undefined) frame.key = value;
      else put(value);
      at = end;
    } else {
      scalar.lastIndex = at;
      const found = scalar.exec(text)?.[0];
      if (found === undefined) return root;
      at += found.length;
      // A number at the end may be incomplete.
      if (at === text.length && frame !== undefined) break;
      put(found === 'true' ? true : found === 'false' ? false : found === 'null' ? null : Number(found));
    }
    if (stack.length === 0 && root !== undefined) return root;
  }
  return root;
}
