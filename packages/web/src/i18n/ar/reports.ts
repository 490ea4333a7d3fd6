import type { ReportTexts } from '../types.ts';
import { findingDetailsAr } from './finding-details.ts';
import { findingsAr } from './findings.ts';
import { formatNamesAr, formatsAr, lossesAr } from './formats.ts';

/** Arabic texts of import and export. */
export const reportTextsAr: ReportTexts = {
  findings: findingsAr,
  findingDetails: findingDetailsAr,
  formatNames: formatNamesAr,
  formats: formatsAr,
  losses: lossesAr,
};
