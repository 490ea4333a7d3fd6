import type { CommandAnswer, CommandPhrase } from '@coppice/client';
import { currentTranslation } from './index.ts';
import type { TranslatedText } from './translated-text.ts';

/** Translates the report of a command into the user's language. */
export function translateCommandReport(answer: Pick<CommandAnswer, 'said' | 'did'>): TranslatedText {
  return currentTranslation()?.translateReport(answer) ?? { said: answer.said };
}

/** Translates the lines of a command's list into the user's language. */
export function translateCommandLines(answer: Pick<CommandAnswer, 'text' | 'lines'>): readonly string[] {
  return currentTranslation()?.translateLines(answer) ?? (answer.text ?? '').split('\n');
}

/** Translates a completion into the user's language. */
export function translateCompletion(about: string, phrase: CommandPhrase | undefined): string {
  return (phrase === undefined ? undefined : currentTranslation()?.translatePhrase(phrase)) ?? about;
}

/** Translates the summary of a command into the user's language. */
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

/** Translates the argument names in the usage of a command into the user's language. */
export function translateCommandUsage(usage: string): string {
  return currentTranslation()?.translateUsage(usage) ?? usage;
}

/** Translates the name of a built-in tool or provider; other names are returned unchanged. */
export function translateBuiltInName(name: string): string {
  const names = currentTranslation()?.texts.ownNames ?? {};
  return Object.hasOwn(names, name) ? (names[name] ?? name) : name;
}
