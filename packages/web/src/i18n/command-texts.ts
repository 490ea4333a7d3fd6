import { germanPhrase } from './command-phrases-de.ts';
import { germanLine, germanSaid } from './commands-de.ts';
import type { Dictionary } from './dictionary.ts';
import { currentLanguage } from './index.ts';
import { germanUsage, ownNamesDe } from './names-de.ts';

/** What a command said, in the reader's language as far as the page knows its sentences. */
export function commandWords(said: string): Dictionary {
  return currentLanguage() === 'de' ? germanSaid(said) : { said };
}

/** A line of a list that a command shows, in the reader's language. */
export function commandLine(line: string): string {
  return currentLanguage() === 'de' ? germanLine(line) : line;
}

/** What a command or one of its arguments is for, in the reader's language. */
export function commandPhrase(phrase: string): string {
  return currentLanguage() === 'de' ? (germanPhrase(phrase) ?? phrase) : phrase;
}

/** The form of a command, in the reader's language as far as it is not typed so. */
export function commandUsage(usage: string): string {
  return currentLanguage() === 'de' ? germanUsage(usage) : usage;
}

/** The name of something that comes with the program, or comes from elsewhere and has only the one that it has. */
export function germanCommandName(name: string): string {
  return currentLanguage() === 'de' && Object.hasOwn(ownNamesDe, name) ? (ownNamesDe[name] ?? name) : name;
}
