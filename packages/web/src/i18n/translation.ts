import type { CommandAnswer, CommandPhrase } from '@coppice/client';
import { isolateTextDirection } from './languages.ts';
import { createRefusalTranslator, type RefusalTranslator } from './translate-refusal.ts';
import type { TranslatedText } from './translated-text.ts';
import type { LanguageTexts } from './types.ts';

/** Translates the codes of the server into one language. */
export interface Translation {
  readonly texts: LanguageTexts;
  /** An error, and the server's own message if it has more details; null for an unknown code. */
  readonly translateRefusal: RefusalTranslator;
  /** The words of a phrase; null if its code or one of its values is unknown. */
  readonly translatePhrase: (phrase: CommandPhrase) => string | null;
  /** The report of a command; in English if a sentence has no translation, as those of commands that programs add. */
  readonly translateReport: (answer: Pick<CommandAnswer, 'said' | 'did'>) => TranslatedText;
  /** The lines of a command's list; a line with something unknown stays English. */
  readonly translateLines: (answer: Pick<CommandAnswer, 'text' | 'lines'>) => readonly string[];
  /** The usage of a command with translated argument names; option names stay, because they are typed. */
  readonly translateUsage: (usage: string) => string;
}

function namedIn<T>(table: Readonly<Record<string, T>>, name: unknown): T | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;
}

function isPhrase(value: unknown): value is CommandPhrase {
  return typeof value === 'object' && value !== null && 'code' in value && 'data' in value;
}

const timeUnits = ['year', 'month', 'day', 'hour', 'minute'] as const;

/** Creates the functions that fill the texts of a language with values. */
export function createTranslation(language: string, texts: LanguageTexts): Translation {
  const numbers = new Intl.NumberFormat(language);
  const plurals = new Intl.PluralRules(language);
  const lists = new Intl.ListFormat(language);
  const times = new Intl.RelativeTimeFormat(language);
  // Chinese and Japanese have no space between sentences.
  const space = /^(?:ja|zh)/.test(language) ? '' : ' ';

  const quoted = (words: unknown) =>
    texts.words.quote.replace('{words}', () => isolateTextDirection(String(words), language));
  const named = (word: unknown) => namedIn(texts.words, word) ?? String(word);

  /** Returns a number with its unit in the plural form; null for an unknown unit. */
  const counted = (count: number, unit: unknown): string | null => {
    const units: Readonly<Record<string, string>> = texts.units;
    const template = namedIn(units, `${unit}.${plurals.select(count)}`) ?? namedIn(units, `${unit}.other`);
    return template?.replace('{n}', numbers.format(count)) ?? null;
  };

  /** Returns a value of a phrase as text; null if its kind is unknown, for example from a newer server. */
  const translateValue = (value: unknown): string | null => {
    if (typeof value === 'string') return isolateTextDirection(value, language);
    if (typeof value === 'number') return numbers.format(value);
    if (typeof value !== 'object' || value === null) return null;
    if ('quote' in value) return quoted(value.quote);
    if ('who' in value && 'words' in value) {
      const text = value.words === null ? texts.words['without-text'] : quoted(value.words);
      return texts.words['message-by'].replace(/\{(text|who)\}/g, (_, name) =>
        name === 'text' ? text : named(value.who),
      );
    }
    if ('word' in value) return named(value.word);
    if ('share' in value && typeof value.share === 'number') {
      const digits = value.share < 0.1 ? 1 : 0;
      const format = { style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits } as const;
      return new Intl.NumberFormat(language, format).format(value.share);
    }
    const unit = 'unit' in value ? value.unit : undefined;
    if ('count' in value && typeof value.count === 'number') return counted(value.count, unit);
    if ('ago' in value && typeof value.ago === 'number') {
      const known = timeUnits.find((each) => each === unit);
      return known === undefined ? texts.words['just-now'] : times.format(-value.ago, known);
    }
    return 'parts' in value && Array.isArray(value.parts) ? joinParts(value.parts) : null;
  };

  const joinParts = (parts: readonly unknown[]): string | null => {
    const said = parts.map((part) => (isPhrase(part) ? translatePhrase(part) : null));
    return said.includes(null) ? null : lists.format(said.filter((part) => part !== null));
  };

  /** Returns the summary, an argument or an example of a built-in command; null for other codes and commands. */
  const ownWords = (code: string, { command, argument, example }: CommandPhrase['data']): string | null => {
    const words = namedIn(texts.commandWords, command);
    if (words === undefined) return null;
    if (code === 'command-summary') return words.summary;
    if (code === 'command-argument') return namedIn(words.arguments ?? {}, argument) ?? null;
    return code === 'command-example' && typeof example === 'number' ? (words.examples[example] ?? null) : null;
  };

  const translatePhrase = ({ code, data }: CommandPhrase): string | null => {
    const own = ownWords(code, data);
    if (own !== null) return own;
    const template = namedIn(texts.sentences, code);
    if (template === undefined) return null;
    let isKnown = true;
    const said = template.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = translateValue(data[name]);
      isKnown &&= value !== null;
      return value ?? '';
    });
    return isKnown ? said : null;
  };

  const translateUsage = (usage: string) =>
    usage.replace(/(?<=[<[])[a-z]+(?=…?[>\]])/g, (word) => namedIn(texts.argumentNames, word) ?? word);

  return {
    texts,
    translateRefusal: createRefusalTranslator(language, texts.refusals),
    translatePhrase,
    translateReport({ said, did = [] }) {
      const sentences = did.map(translatePhrase);
      return sentences.length === 0 || sentences.includes(null)
        ? { said: '', english: said }
        : { said: sentences.join(space) };
    },
    translateLines({ text = '', lines }) {
      const english = text.split('\n');
      if (lines === undefined) return english;
      return lines.map((line, at) => {
        const isArgument = line.some((part) => typeof part !== 'string' && part.code === 'command-argument');
        const parts = line.map((part) => {
          if (typeof part !== 'string') return translatePhrase(part);
          return isArgument ? translateUsage(part).padEnd(part.length) : part;
        });
        return parts.includes(null) ? (english[at] ?? '') : parts.join('');
      });
    },
    translateUsage,
  };
}
