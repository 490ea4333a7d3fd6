/** JSON of other programs: no answer may cost a multiple of its size. */
import type { Json } from '@coppice/core';

// Each level of a nested value takes some fifty bytes for one of text. Below this size that does not matter, and above it
// nothing that a model says nests so deep.
const looked = 1 << 20;
const deepest = 1000;

/** A value as JSON says it; undefined for what is no JSON, or is long and nests deeper than any answer does. */
export function parseBounded(text: string): Json | undefined {
  if (text.length > looked && nestsTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function nestsTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === 0x22) at = endOfJsonString(text, at);
    else if (sign === 0x5b || sign === 0x7b) depth++;
    else if (sign === 0x5d || sign === 0x7d) depth--;
    if (depth > deepest) return true;
  }
  return false;
}

/** Where the quotation mark stands that ends a text. */
function endOfJsonString(text: string, begins: number): number {
  for (let at = text.indexOf('"', begins + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
