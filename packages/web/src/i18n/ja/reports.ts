import type { ReportTexts } from '../types.ts';
import { findingDetailsJa } from './finding-details.ts';
import { findingsJa } from './findings.ts';
import { formatNamesJa, formatsJa, lossesJa } from './formats.ts';

/** Japanese texts of import and export. */
export const reportTextsJa: ReportTexts = {
  findings: findingsJa,
  findingDetails: findingDetailsJa,
  formatNames: formatNamesJa,
  formats: formatsJa,
  losses: lossesJa,
};
