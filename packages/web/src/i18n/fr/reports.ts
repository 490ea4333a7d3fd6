import type { ReportTexts } from '../types.ts';
import { findingDetailsFr } from './finding-details.ts';
import { findingsFr } from './findings.ts';
import { formatNamesFr, formatsFr, lossesFr } from './formats.ts';

/** French texts of import and export. */
export const reportTextsFr: ReportTexts = {
  findings: findingsFr,
  findingDetails: findingDetailsFr,
  formatNames: formatNamesFr,
  formats: formatsFr,
  losses: lossesFr,
};
