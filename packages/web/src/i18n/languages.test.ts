import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findingDetailTexts, formats, importFindingCodes } from '@coppice/content/formats';
import { expect, test } from 'vitest';
import { keysSameAsEnglish } from '../testing/keys-same-as-english.ts';
import { languageTextsDe } from './de/index.ts';
import { pageTextsEn } from './en/page.ts';
import { isolateTextDirection, languageCodes, matchLanguage, writingDirection } from './languages.ts';
import { loadTexts, type TranslatedLanguage } from './loaders.ts';
import { loadReportTexts } from './report-loaders.ts';
import { createTranslation } from './translation.ts';

type Texts = Readonly<Record<string, string>>;

const translated = languageCodes.filter((code): code is TranslatedLanguage => code !== 'en');

function pluralForms(language: string): readonly string[] {
  return new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
}

/** Whether a plural form applies to one number only, so that its text may spell out the number. */
function isFormOfOneNumber(language: string, form: string): boolean {
  const rules = new Intl.PluralRules(language);
  return Array.from({ length: 1000 }, (_, n) => n).filter((n) => rules.select(n) === form).length === 1;
}

/** The texts that have plural forms, each with its forms; the others have one form with an empty name. */
function byForm(texts: Texts): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const found = new Map<string, Map<string, string>>();
  for (const [key, text] of Object.entries(texts)) {
    const [, base = key, form = ''] = /^(.*)\.(zero|one|two|few|many|other)$/.exec(key) ?? [];
    const forms = found.get(base) ?? new Map<string, string>();
    found.set(base, forms.set(form, text));
  }
  return found;
}

function placeholdersOf(text: string): readonly string[] {
  return [...text.matchAll(/(?<!\{)\{\w*\}(?!\})/g)].map(String).toSorted();
}

/**
 * The parts of a text that are not words: bold marks, code marks, lines, list numbers, prompt variables, typed commands
 * and options.
 */
function markupOf(text: string): readonly string[] {
  return (
    text.match(/\*\*|`|\n(?:\d\.)?|\{\{|\}\}|(?<![\w/])\/[a-z]+|--[a-z]+|[‹›]|[a-z]+\.json|coppice token/g) ?? []
  ).toSorted();
}

test.each(languageCodes)('[B280] %s has every text of the page in every plural form of its language', async (code) => {
  const texts: Texts = code === 'en' ? pageTextsEn : (await loadTexts(code)).page;
  const own = byForm(texts);
  expect(Object.keys(texts).filter((key) => texts[key]?.trim() === '')).toEqual([]);
  const english = byForm(pageTextsEn);
  expect([...own.keys()].toSorted()).toEqual([...english.keys()].toSorted());
  const wrong = [...english].filter(([base, forms]) => {
    const expected = forms.has('') ? [''] : pluralForms(code);
    return [...(own.get(base)?.keys() ?? [])].toSorted().join() !== expected.join();
  });
  expect(wrong.map(([base]) => base)).toEqual([]);
});

test.each(languageCodes)('[B280] the texts in %s have the same placeholders and markup as in English', async (code) => {
  const texts: Texts = code === 'en' ? pageTextsEn : (await loadTexts(code)).page;
  const english = byForm(pageTextsEn);
  const wrong: string[] = [];
  for (const [base, forms] of byForm(texts)) {
    const model = english.get(base)?.get('') ?? english.get(base)?.get('other') ?? '';
    const mayOmitNumber = (form: string) => form !== '' && isFormOfOneNumber(code, form);
    for (const [form, text] of forms) {
      const wanted = placeholdersOf(model);
      const named = placeholdersOf(text);
      const isSame =
        named.join() === wanted.join() ||
        (mayOmitNumber(form) && named.join() === wanted.filter((name) => name !== '{n}').join());
      if (!isSame || markupOf(text).join() !== markupOf(model).join()) wrong.push(`${base} ${form}: ${text}`);
    }
  }
  expect(wrong).toEqual([]);
});

test.each(translated)('[B280] nothing in %s is left in English, except words that are the same', async (code) => {
  const { page } = await loadTexts(code);
  const english: Texts = pageTextsEn;
  const same = Object.entries(page)
    .filter(([key, text]) => /\p{L}{2}/u.test(text.replace(/\{\w+\}/g, '')) && text === english[key])
    .map(([key]) => key);
  expect(same.toSorted()).toEqual(keysSameAsEnglish[code].flatMap((line) => line.split(' ')).toSorted());
});

test.each(translated)('[B280] formats, findings and their details in %s are complete', async (code) => {
  const texts = await loadReportTexts(code);
  const written = formats.filter((format) => format.writer !== undefined);
  expect(Object.keys(texts.formatNames).toSorted()).toEqual(formats.map((format) => format.name).toSorted());
  expect(Object.keys(texts.formats).toSorted()).toEqual(written.map((format) => format.name).toSorted());
  const lost = new Set(written.flatMap((format) => Object.keys(format.writer?.loses ?? {})));
  expect(Object.keys(texts.losses).toSorted()).toEqual([...lost].toSorted());
  expect(Object.keys(texts.findings).toSorted()).toEqual(Object.keys(importFindingCodes).toSorted());
  const english: Readonly<Record<string, string>> = findingDetailTexts;
  expect(Object.keys(texts.findingDetails).toSorted()).toEqual(Object.keys(english).toSorted());
  const places = (text: string) => text.split('{}').length;
  const wrong = Object.entries(texts.findingDetails).filter(
    ([code, text]) => places(english[code] ?? '') !== places(text),
  );
  expect(wrong).toEqual([]);
});

test.each(translated)(
  '[B280] errors and commands in %s have the values and sentences of the German ones',
  async (code) => {
    const texts = await loadTexts(code);
    const values = (sentences: string | readonly string[]) =>
      [sentences].flat().map((text) => placeholdersOf(text).join());
    const valuesOf = (table: Readonly<Record<string, string | readonly string[]>>) =>
      Object.entries(table).map(([key, sentences]) => [key, values(sentences)]);
    expect(valuesOf(texts.refusals)).toEqual(valuesOf(languageTextsDe.refusals));
    expect(valuesOf(texts.words)).toEqual(valuesOf(languageTextsDe.words));
    expect(Object.keys(texts.ownNames)).toEqual(Object.keys(languageTextsDe.ownNames));
    expect(Object.keys(texts.argumentNames)).toEqual(Object.keys(languageTextsDe.argumentNames));
    // If the server's message follows a sentence in one language, it does so in every language.
    const follows = (table: typeof texts.refusals) =>
      Object.entries(table).map(([key, sentences]) => [key, [sentences].flat().map((text) => /[:：]$/.test(text))]);
    expect(follows(texts.refusals)).toEqual(follows(languageTextsDe.refusals));
    const units = byForm(texts.units);
    for (const [unit, forms] of units) {
      expect([unit, ...[...forms.keys()].toSorted()]).toEqual([unit, ...pluralForms(code)]);
      for (const [form, text] of forms)
        if (!isFormOfOneNumber(code, form)) expect(placeholdersOf(text), text).toEqual(['{n}']);
    }
    const translation = createTranslation(code, texts);
    for (const n of [0, 1, 2, 3, 11, 100, 1_000_000])
      expect(
        translation.translatePhrase({ code: 'part-messages', data: { messages: { count: n, unit: 'message' } } }),
      ).not.toMatch(/[{}]|^$/);
    for (const [refusal] of Object.entries(texts.refusals))
      expect(translation.translateRefusal({ code: refusal, message: '', data: {} })?.said).not.toMatch(/[{}:：]$|[{}]/);
  },
);

/** The sources of the page without its texts. */
function sourcesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return dirname(path) === import.meta.dirname ? [] : sourcesBelow(path);
    return /(?<!\.test)\.tsx?$/.test(entry.name) ? [readFileSync(path, 'utf8')] : [];
  });
}

test('[B280] every text is used', () => {
  const words = new Set(sourcesBelow(join(import.meta.dirname, '..')).flatMap((source) => source.match(/\w+/g) ?? []));
  expect([...byForm(pageTextsEn).keys()].filter((key) => !words.has(key))).toEqual([]);
});

test('[B281] the first language is the browser’s, by region, then by language and script', () => {
  expect(matchLanguage([])).toBe('en');
  expect(matchLanguage(['xx', 'de-AT', 'en'])).toBe('de');
  expect(matchLanguage(['DE'])).toBe('de');
  expect(matchLanguage(['zh-Hant-TW', 'de'])).toBe('de');
  expect(matchLanguage(['zh-SG'])).toBe('zh-CN');
  expect(matchLanguage(['pt-PT'])).toBe('pt-BR');
  expect(matchLanguage(['ar-EG'])).toBe('ar');
  expect(matchLanguage(['en-GB', 'de'])).toBe('en');
});

test('[B280] a counted thing is in the plural form of its number, of which Arabic has six', async () => {
  const { translatePhrase } = createTranslation('ar', await loadTexts('ar'));
  const messages = (count: number) =>
    translatePhrase({ code: 'part-messages', data: { messages: { count, unit: 'message' } } });
  expect([0, 1, 2, 3, 11, 100].map(messages)).toEqual([
    'لا رسائل',
    'رسالة واحدة',
    'رسالتان',
    '3 رسائل',
    '11 رسالة',
    '100 رسالة',
  ]);
});

test('[B282] Arabic is written from right to left, and values in its sentences keep their own direction', () => {
  expect(writingDirection('ar')).toBe('rtl');
  expect(languageCodes.filter((code) => writingDirection(code) === 'rtl')).toEqual(
    languageCodes.filter((code) => code.startsWith('ar')),
  );
  expect(isolateTextDirection('a/b', 'de')).toBe('a/b');
  expect(isolateTextDirection('a/b', 'ar')).toBe('\u2068a/b\u2069');
});
