import { readLocal, writeLocal } from '../state/local-storage.ts';
import { de } from './de.ts';
import { en } from './en.ts';

/** The name of a sentence. */
export type Key = keyof typeof en;
/** Names that come in two forms, one and many: `x.one` and `x.other`. */
export type CountKey = { [K in Key]: K extends `${infer Base}.one` ? Base : never }[Key];

/** The languages that are shipped, by their own names. */
export const languages = { en: 'English', de: 'Deutsch' } as const;
/** A language that is shipped. */
export type Language = keyof typeof languages;

const dictionaries: Readonly<Record<Language, Readonly<Record<Key, string>>>> = { en, de };

function isLanguage(value: unknown): value is Language {
  return typeof value === 'string' && Object.hasOwn(languages, value);
}

/** What the reader prefers, best first; nothing where no browser says. */
function browserLanguages(): readonly string[] {
  return typeof navigator === 'undefined' ? [] : navigator.languages;
}

function preferred(): Language {
  const kept = readLocal('language');
  if (isLanguage(kept)) return kept;
  for (const wanted of browserLanguages()) {
    const base = wanted.slice(0, 2).toLowerCase();
    if (isLanguage(base)) return base;
  }
  return 'en';
}

let language: Language = preferred();
let plurals = new Intl.PluralRules(language);
let numbers = new Intl.NumberFormat(language);

/** The language that is spoken now. */
export function currentLanguage(): Language {
  return language;
}

/** Speaks another language from the next drawing on, and remembers it. */
export function setLanguage(next: Language): void {
  language = next;
  plurals = new Intl.PluralRules(next);
  numbers = new Intl.NumberFormat(next);
  document.documentElement.lang = next;
  writeLocal('language', next);
}

/** Values for the places in braces. */
export type Values = Readonly<Record<string, string | number>>;

function fillTemplate(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return whole;
    return typeof value === 'number' ? numbers.format(value) : value;
  });
}

/** A sentence in the reader's language. */
export function t(key: Key, values: Values = {}): string {
  return fillTemplate(dictionaries[language][key], values);
}

/** A sentence about a number of things; `{n}` is the number. */
export function tn(key: CountKey, n: number, values: Values = {}): string {
  const form = plurals.select(n) === 'one' ? 'one' : 'other';
  const full: Key = `${key}.${form}`;
  return fillTemplate(dictionaries[language][full], { ...values, n });
}

/** A number as the reader writes it. */
export function formatNumber(value: number): string {
  return numbers.format(value);
}

/** A large number in short, such as 23k. */
export function formatCompact(value: number): string {
  if (value < 1000) return formatNumber(value);
  return value < 1_000_000
    ? `${formatNumber(Math.round(value / 1000))}k`
    : `${formatNumber(Math.round(value / 100_000) / 10)}M`;
}

const day = 86_400_000;

/** Whether it is a name that dates can be written by. Browsers on bare systems give others, such as en-US@posix. */
function isTag(name: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(name).length > 0;
  } catch {
    return false;
  }
}

/** The reader's own way of writing times, as far as it is of the language that is spoken. */
function locale(): string {
  return browserLanguages().find((each) => each.toLowerCase().startsWith(language) && isTag(each)) ?? language;
}

/** A time in as few words as say it: the hour today, the weekday this week, else the date. */
export function formatTime(at: number, now = Date.now()): string {
  const then = new Date(at);
  const sameDay = then.toDateString() === new Date(now).toDateString();
  if (sameDay) return then.toLocaleTimeString(locale(), { hour: '2-digit', minute: '2-digit' });
  if (now - at < 6 * day && now >= at) return then.toLocaleDateString(locale(), { weekday: 'short' });
  const sameYear = then.getFullYear() === new Date(now).getFullYear();
  return then.toLocaleDateString(
    locale(),
    sameYear ? { day: 'numeric', month: 'short' } : { day: 'numeric', month: 'short', year: 'numeric' },
  );
}

/** The whole time. */
export function formatDateTime(at: number): string {
  return new Date(at).toLocaleString(locale(), { dateStyle: 'full', timeStyle: 'medium' });
}
