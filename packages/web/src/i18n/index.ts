import { readLocal, writeLocal } from '../state/local-storage.ts';
import { en } from './en.ts';

/** The key of a text. */
export type Key = keyof typeof en;
/** Keys with two plural forms: `x.one` and `x.other`. */
export type CountKey = { [K in Key]: K extends `${infer Base}.one` ? Base : never }[Key];

/** The available languages, by their own names. */
export const languages = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languages;

type German = typeof import('./german.ts');
let german: German | null = null;

/** The German texts and sentences; null in another language. */
export function germanTexts(): German | null {
  return language === 'de' ? german : null;
}

/** The texts of the page in the current language. */
function dictionary(): Readonly<Record<Key, string>> {
  return germanTexts()?.de ?? en;
}

/** Loads the texts of a language, by default the current one. Before, and if that fails, texts are English. */
export async function loadLanguage(wanted: Language = language): Promise<void> {
  if (wanted === 'de') german ??= await import('./german.ts').catch(() => null);
}

function isLanguage(value: unknown): value is Language {
  return typeof value === 'string' && Object.hasOwn(languages, value);
}

/** The browser's preferred languages, best first; empty outside of a browser. */
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

/** The current language. */
export function currentLanguage(): Language {
  return language;
}

/** Changes the language from the next render on, and stores the choice. */
export async function setLanguage(next: Language): Promise<void> {
  await loadLanguage(next);
  language = next;
  plurals = new Intl.PluralRules(next);
  numbers = new Intl.NumberFormat(next);
  document.documentElement.lang = next;
  writeLocal('language', next);
}

/** Values for placeholders in braces. */
export type TextValues = Readonly<Record<string, string | number>>;

function fillTemplate(text: string, values: TextValues): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return whole;
    return typeof value === 'number' ? numbers.format(value) : value;
  });
}

/** A text in the current language. */
export function t(key: Key, values: TextValues = {}): string {
  return fillTemplate(dictionary()[key], values);
}

/** A text with a plural form; `{n}` is the number. */
export function tn(key: CountKey, n: number, values: TextValues = {}): string {
  const form = plurals.select(n) === 'one' ? 'one' : 'other';
  const full: Key = `${key}.${form}`;
  return fillTemplate(dictionary()[full], { ...values, n });
}

/** A number in the user's format. */
export function formatNumber(value: number): string {
  return numbers.format(value);
}

/** A large number in short form, for example 23k. */
export function formatCompact(value: number): string {
  if (value < 1000) return formatNumber(value);
  return value < 1_000_000
    ? `${formatNumber(Math.round(value / 1000))}k`
    : `${formatNumber(Math.round(value / 100_000) / 10)}M`;
}

/** A size in bytes in the user's format, for example 3.4 MB. */
export function formatBytes(bytes: number): string {
  const isSmall = bytes < 1_000_000;
  const format = {
    style: 'unit',
    unit: isSmall ? 'kilobyte' : 'megabyte',
    maximumFractionDigits: isSmall ? 0 : 1,
  } as const;
  return new Intl.NumberFormat(language, format).format(isSmall ? Math.ceil(bytes / 1000) : bytes / 1_000_000);
}

const day = 86_400_000;

/** Whether a locale name is valid for dates. Some browsers report others, such as en-US@posix. */
function isTag(name: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(name).length > 0;
  } catch {
    return false;
  }
}

/** The user's locale for times, if it belongs to the current language. */
function locale(): string {
  return browserLanguages().find((each) => each.toLowerCase().startsWith(language) && isTag(each)) ?? language;
}

/** A short time: the hour today, the weekday this week, else the date. */
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

/** The full date and time. */
export function formatDateTime(at: number): string {
  return new Date(at).toLocaleString(locale(), { dateStyle: 'full', timeStyle: 'medium' });
}
