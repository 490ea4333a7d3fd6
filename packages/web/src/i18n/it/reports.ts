import type { ReportTexts } from '../types.ts';
import { findingDetailsIt } from './finding-details.ts';
import { findingsIt } from './findings.ts';
import { formatNamesIt, formatsIt, lossesIt } from './formats.ts';

/** Italian texts of import and export. */
export const reportTextsIt: ReportTexts = {
  findings: findingsIt,
  findingDetails: findingDetailsIt,
  formatNames: formatNamesIt,
  formats: formatsIt,
  losses: lossesIt,
};
