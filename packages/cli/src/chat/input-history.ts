/** Stores the texts that the user sent, in a file beside the configuration that only the user can read. */
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const kept = 500;
// A pasted document would fill the file, and users do not search for one with the arrow keys.
const longest = 10_000;

/** The texts that were sent, oldest first, and a function that adds one. */
export interface InputHistory {
  readonly texts: readonly string[];
  add(text: string): void;
}

/** Opens the history at a path. The chat works without it, so a file that cannot be read or written is ignored. */
export function openInputHistory(path: string): InputHistory {
  const texts = readTexts(path);
  let last = texts.at(-1);
  return {
    texts: texts.slice(-kept),
    add(text) {
      if (text === last || text.length > longest) return;
      last = text;
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        appendFileSync(path, `${JSON.stringify(text)}\n`, { mode: 0o600 });
      } catch {
        // The disk is full or read-only; sending the message reports that.
      }
    },
  };
}

function readTexts(path: string): readonly string[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    const texts = lines.flatMap((line) => textOfLine(line));
    if (texts.length > kept * 2) shorten(path, texts.slice(-kept));
    return texts;
  } catch {
    return [];
  }
}

/** Returns the text of a line; empty if the line is incomplete, for example after a crash. */
function textOfLine(line: string): readonly string[] {
  if (line === '') return [];
  try {
    const text: unknown = JSON.parse(line);
    return typeof text === 'string' ? [text] : [];
  } catch {
    return [];
  }
}

function shorten(path: string, texts: readonly string[]): void {
  const next = `${path}.part-${process.pid}`;
  writeFileSync(next, texts.map((text) => `${JSON.stringify(text)}\n`).join(''), { mode: 0o600 });
  renameSync(next, path);
}
