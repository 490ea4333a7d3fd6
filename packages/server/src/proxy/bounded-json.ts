/** Parses JSON of other programs within limits, so that parsing does not need a multiple of the text's memory. */
import type { Json } from '@coppice/core';

// Deeply nested JSON takes about fifty bytes of memory per byte of text. Below this length that does not matter, and an
// answer of a model that is longer is never nested so deeply.
const maxUncheckedLength = 1 << 20;
const deepest = 1000;

/** Parses JSON; undefined if it is invalid, or long and nested too deeply. */
export function parseBoundedJson(text: string): Json | undefined {
  if (text.length > maxUncheckedLength && nestsTooDeep(text)) return undefined;
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

/**
 * Returns the texts of the complete objects and lists in a JSON list whose end is missing. The caller parses each of
 * them.
 */
export function splitJsonList(text: string): readonly string[] {
  const values: string[] = [];
  let depth = 0;
  let begins = -1;
  for (let at = text.indexOf('[') + 1; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === 0x22) at = endOfJsonString(text, at);
    else if (sign === 0x5b || sign === 0x7b) {
      if (depth++ === 0) begins = at;
    } else if ((sign === 0x5d || sign === 0x7d) && --depth === 0) values.push(text.slice(begins, at + 1));
    // The end of the list itself.
    if (depth < 0) break;
  }
  return values;
}

/** Returns the index of the closing quotation mark of a JSON string. */
function endOfJsonString(text: string, begins: number): number {
  for (let at = text.indexOf('"', begins + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
