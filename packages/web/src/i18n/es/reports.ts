import type { ReportTexts } from '../types.ts';
import { findingDetailTextsEs } from './finding-details.ts';
import { findingTextsEs } from './findings.ts';
import { formatDescriptionsEs, formatLossesEs, formatNamesEs } from './formats.ts';

/** Spanish texts of import and export. */
export const reportTextsEs: ReportTexts = {
  findings: findingTextsEs,
  findingDetails: findingDetailTextsEs,
  formatNames: formatNamesEs,
  formats: formatDescriptionsEs,
  losses: formatLossesEs,
};
