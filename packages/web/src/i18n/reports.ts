import { currentLanguage, currentTranslation } from './index.ts';
import { loadReportTexts } from './report-loaders.ts';
import { createFindingTranslator } from './translate-finding.ts';
import type { ReportTexts } from './types.ts';

const language = currentLanguage();

/** The texts of import and export in the user's language; null in English. A change of language reloads the page. */
export const reportTexts: ReportTexts | null =
  // If the translation cannot be loaded, the server's English texts are shown.
  language === 'en' ? null : await loadReportTexts(language).catch(() => null);

const translation = currentTranslation();

/** Translates a finding; null if the server's English text is shown. */
export const translateFinding: ReturnType<typeof createFindingTranslator> =
  reportTexts === null || translation === null
    ? () => null
    : createFindingTranslator(reportTexts, translation.translateRefusal);
