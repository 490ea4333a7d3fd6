import type { ReportTexts } from '../types.ts';
import { findingDetailTextsIt } from './finding-details.ts';
import { findingTextsIt } from './findings.ts';
import { formatDescriptionsIt, formatLossesIt, formatNamesIt } from './formats.ts';

/** Italian texts of import and export. */
export const reportTextsIt: ReportTexts = {
  findings: findingTextsIt,
  findingDetails: findingDetailTextsIt,
  formatNames: formatNamesIt,
  formats: formatDescriptionsIt,
  losses: formatLossesIt,
};
