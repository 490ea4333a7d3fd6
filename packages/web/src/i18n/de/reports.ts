import type { ReportTexts } from '../types.ts';
import { findingDetailTextsDe } from './finding-details.ts';
import { findingTextsDe } from './findings.ts';
import { formatDescriptionsDe, formatLossesDe, formatNamesDe } from './formats.ts';

/** German texts of import and export. */
export const reportTextsDe: ReportTexts = {
  findings: findingTextsDe,
  findingDetails: findingDetailTextsDe,
  formatNames: formatNamesDe,
  formats: formatDescriptionsDe,
  losses: formatLossesDe,
};
