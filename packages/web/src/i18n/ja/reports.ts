import type { ReportTexts } from '../types.ts';
import { findingDetailTextsJa } from './finding-details.ts';
import { findingTextsJa } from './findings.ts';
import { formatDescriptionsJa, formatLossesJa, formatNamesJa } from './formats.ts';

/** Japanese texts of import and export. */
export const reportTextsJa: ReportTexts = {
  findings: findingTextsJa,
  findingDetails: findingDetailTextsJa,
  formatNames: formatNamesJa,
  formats: formatDescriptionsJa,
  losses: formatLossesJa,
};
