import type { ReportTexts } from '../types.ts';
import { findingDetailsNl } from './finding-details.ts';
import { findingsNl } from './findings.ts';
import { formatNamesNl, formatsNl, lossesNl } from './formats.ts';

/** Dutch texts of import and export. */
export const reportTextsNl: ReportTexts = {
  findings: findingsNl,
  findingDetails: findingDetailsNl,
  formatNames: formatNamesNl,
  formats: formatsNl,
  losses: lossesNl,
};
