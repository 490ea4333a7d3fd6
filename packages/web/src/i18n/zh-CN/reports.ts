import type { ReportTexts } from '../types.ts';
import { findingDetailTextsZhCn } from './finding-details.ts';
import { findingTextsZhCn } from './findings.ts';
import { formatDescriptionsZhCn, formatLossesZhCn, formatNamesZhCn } from './formats.ts';

/** Simplified Chinese texts of import and export. */
export const reportTextsZhCn: ReportTexts = {
  findings: findingTextsZhCn,
  findingDetails: findingDetailTextsZhCn,
  formatNames: formatNamesZhCn,
  formats: formatDescriptionsZhCn,
  losses: formatLossesZhCn,
};
