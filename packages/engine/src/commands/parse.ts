import type { CommandWord } from './contract.ts';
import { commandError } from './errors.ts';

/** A line as it was typed: the command's name, and the words after it. */
export interface ParsedCommandLine {
  readonly name: string;
  readonly words: readonly CommandWord[];
}

const quotes: ReadonlySet<string | undefined> = new Set(['"', "'"]);

/**
 * Reads a line such as `/label "the oak" --on 3`. The slash may be left out. Quotes open at the beginning of a word only,
 * so that an apostrophe is one; inside double quotes a backslash takes the next character as it is. Refuses quotes that
 * are not closed, and a line without a name.
 */
export function parseCommand(line: string): ParsedCommandLine {
  const { words, open } = splitCommandWords(line);
  if (open)
    throw commandError('command/bad-arguments', `A quote is not closed in ${JSON.stringify(quotedLine(line))}.`);
  const [first, ...rest] = words;
  const name = first?.text.replace(/^\//, '').toLowerCase() ?? '';
  if (name === '') throw commandError('command/unknown', 'Name a command, such as /help.', {});
  return { name, words: rest };
}

function quotedLine(line: string): string {
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}

/** The words of a line, and whether its last one stands in quotes that are still open. */
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
      // As in `--focus="two words"`.
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

/** What stands in quotes that open at a place, and the place after them; null if they never close. */
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

/** A text as one word of a line, in quotes where it needs them. */
export function quoteWord(text: string): string {
  if (text !== '' && !/\s/.test(text) && !quotes.has(text[0]) && !text.startsWith('--')) return text;
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
