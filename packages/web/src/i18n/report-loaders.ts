import type { TranslatedLanguage } from './loaders.ts';
import type { ReportTexts } from './types.ts';

// Each import is a chunk of its own.
const loaders: Readonly<Record<TranslatedLanguage, () => Promise<ReportTexts>>> = {
  de: async () => (await import('./de/reports.ts')).reportTextsDe,
  fr: async () => (await import('./fr/reports.ts')).reportTextsFr,
  es: async () => (await import('./es/reports.ts')).reportTextsEs,
  'pt-BR': async () => (await import('./pt-BR/reports.ts')).reportTextsPtBr,
  it: async () => (await import('./it/reports.ts')).reportTextsIt,
  ar: async () => (await import('./ar/reports.ts')).reportTextsAr,
  ja: async () => (await import('./ja/reports.ts')).reportTextsJa,
  'zh-CN': async () => (await import('./zh-CN/reports.ts')).reportTextsZhCn,
  nl: async () => (await import('./nl/reports.ts')).reportTextsNl,
};

/** Loads the texts of import and export in a language. Rejects if the chunk cannot be loaded. */
export function loadReportTexts(language: TranslatedLanguage): Promise<ReportTexts> {
  return loaders[language]();
}
