import type { ReportTexts } from '../types.ts';
import { findingDetailsZhCn } from './finding-details.ts';
import { findingsZhCn } from './findings.ts';
import { formatNamesZhCn, formatsZhCn, lossesZhCn } from './formats.ts';

/** Simplified Chinese texts of import and export. */
export const reportTextsZhCn: ReportTexts = {
  findings: findingsZhCn,
  findingDetails: findingDetailsZhCn,
  formatNames: formatNamesZhCn,
  formats: formatsZhCn,
  losses: lossesZhCn,
};
