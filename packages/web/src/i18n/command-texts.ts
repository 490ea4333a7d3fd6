import type { CommandAnswer, CommandPhrase } from '@coppice/client';
import { commandWordsDe } from './command-words-de.ts';
import { germanLines, germanPhrase, germanReport } from './commands-de.ts';
import type { Dictionary } from './dictionary.ts';
import { currentLanguage } from './index.ts';
import { germanUsage, ownNamesDe } from './names-de.ts';

/** What a command reports, in the user's language. */
export function commandWords(answer: Pick<CommandAnswer, 'said' | 'did'>): Dictionary {
  return currentLanguage() === 'de' ? germanReport(answer) : { said: answer.said };
}

/** The lines of a command's list, in the user's language. */
export function commandLines(answer: Pick<CommandAnswer, 'text' | 'lines'>): readonly string[] {
  return currentLanguage() === 'de' ? germanLines(answer) : (answer.text ?? '').split('\n');
}

/** The words of a completion, in the user's language. */
export function completionWords(about: string, phrase: CommandPhrase | undefined): string {
  return currentLanguage() === 'de' && phrase !== undefined ? (germanPhrase(phrase) ?? about) : about;
}

/** The summary of a command, in the user's language. */
export function commandSummary({ name, summary }: { readonly name: string; readonly summary: string }): string {
  if (currentLanguage() !== 'de' || !Object.hasOwn(commandWordsDe, name)) return summary;
  return commandWordsDe[name]?.summary ?? summary;
}

/** The usage of a command, with argument names in the user's language. */
export function commandUsage(usage: string): string {
  return currentLanguage() === 'de' ? germanUsage(usage) : usage;
}

/** The translated name of a built-in thing; other names are returned unchanged. */
export function germanCommandName(name: string): string {
  return currentLanguage() === 'de' && Object.hasOwn(ownNamesDe, name) ? (ownNamesDe[name] ?? name) : name;
}
