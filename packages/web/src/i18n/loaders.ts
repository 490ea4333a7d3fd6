import type { Language } from './languages.ts';
import type { LanguageTexts } from './types.ts';

/** A language other than English, whose texts are loaded when it is chosen. */
export type TranslatedLanguage = Exclude<Language, 'en'>;

// Each import is a chunk of its own.
const loaders: Readonly<Record<TranslatedLanguage, () => Promise<LanguageTexts>>> = {
  de: async () => (await import('./de/index.ts')).languageTextsDe,
  fr: async () => (await import('./fr/index.ts')).languageTextsFr,
  es: async () => (await import('./es/index.ts')).languageTextsEs,
  'pt-BR': async () => (await import('./pt-BR/index.ts')).languageTextsPtBr,
  it: async () => (await import('./it/index.ts')).languageTextsIt,
  ar: async () => (await import('./ar/index.ts')).languageTextsAr,
  ja: async () => (await import('./ja/index.ts')).languageTextsJa,
  'zh-CN': async () => (await import('./zh-CN/index.ts')).languageTextsZhCn,
  nl: async () => (await import('./nl/index.ts')).languageTextsNl,
};

/** Loads the texts that the page needs from its start in a language. Rejects if the chunk cannot be loaded. */
export function loadTexts(language: TranslatedLanguage): Promise<LanguageTexts> {
  return loaders[language]();
}
