import type { ReportTexts } from '../types.ts';
import { findingDetailTextsAr } from './finding-details.ts';
import { findingTextsAr } from './findings.ts';
import { formatDescriptionsAr, formatLossesAr, formatNamesAr } from './formats.ts';

/** Arabic texts of import and export. */
export const reportTextsAr: ReportTexts = {
  findings: findingTextsAr,
  findingDetails: findingDetailTextsAr,
  formatNames: formatNamesAr,
  formats: formatDescriptionsAr,
  losses: formatLossesAr,
};
