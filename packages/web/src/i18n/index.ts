import { readLocalText, writeLocalText } from '../state/local-storage.ts';
import { pageTextsEn } from './en/page.ts';
import { isLanguage, isolateTextDirection, type Language, matchLanguage, writingDirection } from './languages.ts';
import { loadTexts } from './loaders.ts';
import type { Translation } from './translation.ts';

export { type Language, languageCodes, languages } from './languages.ts';

/** The key of a text of the page. */
export type TextKey = keyof typeof pageTextsEn;
/** Keys with plural forms: `x.one` and `x.other` in English. */
export type PluralTextKey = { [K in TextKey]: K extends `${infer Base}.one` ? Base : never }[TextKey];

let translation: Translation | null = null;

/** The texts and sentences of the current language; null in English. */
export function currentTranslation(): Translation | null {
  return translation;
}

/** Loads the texts of a language, by default the current one. Until then, and on failure, texts are English. */
export async function loadLanguage(wanted: Language = language): Promise<void> {
  if (wanted === 'en') translation = null;
  else
    translation = await Promise.all([import('./translation.ts'), loadTexts(wanted)])
      .then(([{ createTranslation }, texts]) => createTranslation(wanted, texts))
      .catch(() => null);
}

/** The browser's preferred languages, best first; empty outside of a browser. */
function browserLanguages(): readonly string[] {
  return typeof navigator === 'undefined' ? [] : navigator.languages;
}

function preferredLanguage(): Language {
  const kept = readLocalText('language');
  return isLanguage(kept) ? kept : matchLanguage(browserLanguages());
}

let language: Language = preferredLanguage();
let plurals = new Intl.PluralRules(language);
let numbers = new Intl.NumberFormat(language);

export function currentLanguage(): Language {
  return language;
}

/** Whether the page is laid out from right to left. */
export function isRightToLeft(): boolean {
  return writingDirection(language) === 'rtl';
}

/** Sets the language and direction of the document, which screen readers, hyphenation and the style sheets follow. */
export function applyLanguage(): void {
  document.documentElement.lang = language;
  document.documentElement.dir = writingDirection(language);
}

/** Changes the language from the next render on, and stores the choice. */
export async function setLanguage(next: Language): Promise<void> {
  await loadLanguage(next);
  language = next;
  plurals = new Intl.PluralRules(next);
  numbers = new Intl.NumberFormat(next);
  applyLanguage();
  writeLocalText('language', next);
}

/** Values for placeholders in braces. */
export type TextValues = Readonly<Record<string, string | number>>;

function fillTemplate(text: string, values: TextValues): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return whole;
    return isolateTextDirection(typeof value === 'number' ? numbers.format(value) : value, language);
  });
}

/** Returns a text in the current language. */
export function t(key: TextKey, values: TextValues = {}): string {
  return fillTemplate(translation?.texts.page[key] ?? pageTextsEn[key], values);
}

/** Returns a text in the plural form for a number; the number replaces `{n}`. */
export function tn(key: PluralTextKey, n: number, values: TextValues = {}): string {
  const texts: Readonly<Partial<Record<string, string>>> = translation?.texts.page ?? pageTextsEn;
  const text = texts[`${key}.${plurals.select(n)}`] ?? texts[`${key}.other`] ?? pageTextsEn[`${key}.other`];
  return fillTemplate(text, { ...values, n });
}

/** Formats a number with the separators of the current language. */
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
function isValidLocale(name: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(name).length > 0;
  } catch {
    return false;
  }
}

/** The user's locale for times, if it belongs to the current language. */
function locale(): string {
  const base = language.slice(0, 2);
  return browserLanguages().find((each) => each.toLowerCase().startsWith(base) && isValidLocale(each)) ?? language;
}

/** Formats a list on one line, for example `a, b, and c`. */
export function formatList(parts: readonly string[]): string {
  return new Intl.ListFormat(language).format(parts);
}

/** Formats a time briefly: the hour today, the weekday within six days, otherwise the date. */
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

/** Formats a time as the full date and the time of day. */
export function formatDateTime(at: number): string {
  return new Date(at).toLocaleString(locale(), { dateStyle: 'full', timeStyle: 'medium' });
}

/** Formats a time as its month and year. */
export function formatMonth(at: number): string {
  return new Date(at).toLocaleDateString(locale(), { month: 'long', year: 'numeric' });
}

/** Formats an amount of US dollars with a number of decimal digits. */
export function formatCost(dollars: number, digits: number): string {
  const format = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;
  const places = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(language, { ...format, ...places }).format(dollars);
}
