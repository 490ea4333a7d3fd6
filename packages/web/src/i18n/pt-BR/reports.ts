import type { ReportTexts } from '../types.ts';
import { findingDetailTextsPtBr } from './finding-details.ts';
import { findingTextsPtBr } from './findings.ts';
import { formatDescriptionsPtBr, formatLossesPtBr, formatNamesPtBr } from './formats.ts';

/** Brazilian Portuguese texts of import and export. */
export const reportTextsPtBr: ReportTexts = {
  findings: findingTextsPtBr,
  findingDetails: findingDetailTextsPtBr,
  formatNames: formatNamesPtBr,
  formats: formatDescriptionsPtBr,
  losses: formatLossesPtBr,
};
