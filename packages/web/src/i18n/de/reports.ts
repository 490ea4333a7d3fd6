import type { ReportTexts } from '../types.ts';
import { findingDetailsDe } from './finding-details.ts';
import { findingsDe } from './findings.ts';
import { formatNamesDe, formatsDe, lossesDe } from './formats.ts';

/** German texts of import and export. */
export const reportTextsDe: ReportTexts = {
  findings: findingsDe,
  findingDetails: findingDetailsDe,
  formatNames: formatNamesDe,
  formats: formatsDe,
  losses: lossesDe,
};
