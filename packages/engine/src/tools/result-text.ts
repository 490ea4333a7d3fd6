import { utf8Length } from '@coppice/content';
import type { Json } from '@coppice/core';

const encoder = new TextEncoder();

/** Formats a result as text for the model: a string stays as it is, anything else becomes JSON. */
export function formatToolResult(result: Json | undefined): string {
  if (typeof result === 'string') return result;
  // JSON has no text for undefined; a tool that returns nothing is done.
  return JSON.stringify(result) ?? 'done';
}

/** Truncates a text to a number of bytes, never inside a character, and appends a note if it was cut. */
export function truncateToBytes(text: string, limit: number): { readonly text: string; readonly truncated: boolean } {
  // A UTF-16 code unit has at most three bytes in UTF-8, so a short text need not be measured.
  if (text.length * 3 <= limit) return { text, truncated: false };
  const total = utf8Length(text);
  if (total <= limit) return { text, truncated: false };
  const mark = `\n[truncated: the result has ${total} bytes, the limit is ${limit}]`;
  const space = new Uint8Array(Math.max(0, limit - mark.length));
  const { read } = encoder.encodeInto(text, space);
  return { text: text.slice(0, read) + mark, truncated: true };
}
