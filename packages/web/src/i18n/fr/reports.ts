import type { ReportTexts } from '../types.ts';
import { findingDetailTextsFr } from './finding-details.ts';
import { findingTextsFr } from './findings.ts';
import { formatDescriptionsFr, formatLossesFr, formatNamesFr } from './formats.ts';

/** French texts of import and export. */
export const reportTextsFr: ReportTexts = {
  findings: findingTextsFr,
  findingDetails: findingDetailTextsFr,
  formatNames: formatNamesFr,
  formats: formatDescriptionsFr,
  losses: formatLossesFr,
};
