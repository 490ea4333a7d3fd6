import type { ReportTexts } from '../types.ts';
import { findingDetailsPtBr } from './finding-details.ts';
import { findingsPtBr } from './findings.ts';
import { formatNamesPtBr, formatsPtBr, lossesPtBr } from './formats.ts';

/** Brazilian Portuguese texts of import and export. */
export const reportTextsPtBr: ReportTexts = {
  findings: findingsPtBr,
  findingDetails: findingDetailsPtBr,
  formatNames: formatNamesPtBr,
  formats: formatsPtBr,
  losses: lossesPtBr,
};
