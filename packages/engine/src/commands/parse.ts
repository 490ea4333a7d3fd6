import type { CommandWord } from './contract.ts';
import { makeCommandError } from './errors.ts';

/** A parsed line: the name of the command and the words after it. */
export interface ParsedCommandLine {
  readonly name: string;
  readonly words: readonly CommandWord[];
}

const quotes: ReadonlySet<string | undefined> = new Set(['"', "'"]);

/**
 * Parses a line such as `/label "the oak" --on 3`. The slash is optional. Quotes open only at the beginning of a
 * word, so that an apostrophe stays a character; inside double quotes a backslash escapes the next character. Throws
 * on unclosed quotes and on a line without a name.
 */
export function parseCommand(line: string): ParsedCommandLine {
  const { words, open } = splitCommandWords(line);
  if (open)
    throw makeCommandError('command/bad-arguments', `A quote is not closed in ${JSON.stringify(quotedLine(line))}.`);
  const [first, ...rest] = words;
  const name = first?.text.replace(/^\//, '').toLowerCase() ?? '';
  if (name === '') throw makeCommandError('command/unknown', 'Name a command, such as /help.', {});
  return { name, words: rest };
}

function quotedLine(line: string): string {
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}

/** Splits a line into words. `open` tells whether the last word has an unclosed quote. */
export function splitCommandWords(line: string): { readonly words: readonly CommandWord[]; readonly open: boolean } {
  const words: CommandWord[] = [];
  let at = 0;
  for (;;) {
    while (at < line.length && isSpaceCharacter(line[at])) at++;
    if (at >= line.length) return { words, open: false };
    const begin = at;
    const quote = quotes.has(line[at]) ? line[at] : undefined;
    if (quote === undefined) {
      while (at < line.length && !isSpaceCharacter(line[at])) at++;
      const word = line.slice(begin, at);
      // For example `--focus="two words"`.
      const inner = /^--[a-z-]+=(["'])/.exec(word)?.[1];
      if (inner === undefined) {
        words.push({ text: word, at: begin, quoted: false });
        continue;
      }
      const start = begin + word.indexOf(inner);
      const { text, end } = readQuoted(line, start, inner);
      words.push({ text: line.slice(begin, start) + text, at: begin, quoted: false });
      if (end === null) return { words, open: true };
      at = end;
      continue;
    }
    const { text, end } = readQuoted(line, begin, quote);
    words.push({ text, at: begin, quoted: true });
    if (end === null) return { words, open: true };
    at = end;
  }
}

/** Returns the text after an opening quote, and the offset after the closing quote; null if the quote is not closed. */
function readQuoted(line: string, from: number, quote: string): { readonly text: string; readonly end: number | null } {
  let text = '';
  for (let at = from + 1; at < line.length; at++) {
    const letter = line[at];
    if (letter === quote) return { text, end: at + 1 };
    if (letter === '\\' && quote === '"' && at + 1 < line.length) at++;
    text += line[at];
  }
  return { text, end: null };
}

function isSpaceCharacter(letter: string | undefined): boolean {
  return letter !== undefined && /\s/.test(letter);
}

/** Formats a text as one word of a line, quoted where necessary. */
export function quoteCommandWord(text: string): string {
  if (text !== '' && !/\s/.test(text) && !quotes.has(text[0]) && !text.startsWith('--')) return text;
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
