import type { Json } from '@coppice/core';

const encoder = new TextEncoder();

/** A result as text for the model: a string as it is, anything else as JSON. */
export function formatToolResult(result: Json | undefined): string {
  if (typeof result === 'string') return result;
  // A tool that returns nothing only reports that it is done.
  return JSON.stringify(result) ?? 'done';
}

/** Limits a text to a number of bytes, never inside a character, and appends a note if it was cut. */
export function truncateToBytes(text: string, limit: number): { readonly text: string; readonly truncated: boolean } {
  // A character has at most three bytes per code unit: a short text need not be measured.
  if (text.length * 3 <= limit) return { text, truncated: false };
  const total = Buffer.byteLength(text);
  if (total <= limit) return { text, truncated: false };
  const mark = `\n[truncated: the result has ${total} bytes, the limit is ${limit}]`;
  const space = new Uint8Array(Math.max(0, limit - mark.length));
  const { read } = encoder.encodeInto(text, space);
  return { text: text.slice(0, read) + mark, truncated: true };
}
