import type { CommandAnswer, CommandPhrase } from '@coppice/client';
import type { TranslatedText } from './dictionary.ts';
import { currentTranslation } from './index.ts';

/** What a command reports, in the user's language. */
export function translateCommandReport(answer: Pick<CommandAnswer, 'said' | 'did'>): TranslatedText {
  return currentTranslation()?.translateReport(answer) ?? { said: answer.said };
}

/** The lines of a command's list, in the user's language. */
export function translateCommandLines(answer: Pick<CommandAnswer, 'text' | 'lines'>): readonly string[] {
  return currentTranslation()?.translateLines(answer) ?? (answer.text ?? '').split('\n');
}

/** The words of a completion, in the user's language. */
export function translateCompletion(about: string, phrase: CommandPhrase | undefined): string {
  return (phrase === undefined ? undefined : currentTranslation()?.translatePhrase(phrase)) ?? about;
}

/** The summary of a command, in the user's language. */
export function translateCommandSummary({
  name,
  summary,
}: {
  readonly name: string;
  readonly summary: string;
}): string {
  const words = currentTranslation()?.texts.commandWords ?? {};
  return (Object.hasOwn(words, name) ? words[name]?.summary : undefined) ?? summary;
}

/** The usage of a command, with argument names in the user's language. */
export function translateCommandUsage(usage: string): string {
  return currentTranslation()?.translateUsage(usage) ?? usage;
}

/** The translated name of a built-in thing; other names are returned unchanged. */
export function translateBuiltInName(name: string): string {
  const names = currentTranslation()?.texts.ownNames ?? {};
  return Object.hasOwn(names, name) ? (names[name] ?? name) : name;
}
