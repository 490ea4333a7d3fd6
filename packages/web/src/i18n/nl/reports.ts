import type { ReportTexts } from '../types.ts';
import { findingDetailTextsNl } from './finding-details.ts';
import { findingTextsNl } from './findings.ts';
import { formatDescriptionsNl, formatLossesNl, formatNamesNl } from './formats.ts';

/** Dutch texts of import and export. */
export const reportTextsNl: ReportTexts = {
  findings: findingTextsNl,
  findingDetails: findingDetailTextsNl,
  formatNames: formatNamesNl,
  formats: formatDescriptionsNl,
  losses: formatLossesNl,
};
