import { germanPhrase } from './command-phrases-de.ts';
import { germanLine, germanSaid } from './commands-de.ts';
import type { Dictionary } from './dictionary.ts';
import { currentLanguage } from './index.ts';
import { germanUsage, ownNamesDe } from './names-de.ts';

/** The output of a command in the user's language, as far as it is translated. */
export function commandWords(said: string): Dictionary {
  return currentLanguage() === 'de' ? germanSaid(said) : { said };
}

/** A line of a command's list, in the user's language. */
export function commandLine(line: string): string {
  return currentLanguage() === 'de' ? germanLine(line) : line;
}

/** The summary of a command or argument, in the user's language. */
export function commandPhrase(phrase: string): string {
  return currentLanguage() === 'de' ? (germanPhrase(phrase) ?? phrase) : phrase;
}

/** The usage of a command, with argument names in the user's language. */
export function commandUsage(usage: string): string {
  return currentLanguage() === 'de' ? germanUsage(usage) : usage;
}

/** The translated name of a built-in thing; other names are returned unchanged. */
export function germanCommandName(name: string): string {
  return currentLanguage() === 'de' && Object.hasOwn(ownNamesDe, name) ? (ownNamesDe[name] ?? name) : name;
}
