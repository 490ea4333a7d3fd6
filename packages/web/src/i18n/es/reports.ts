import type { ReportTexts } from '../types.ts';
import { findingDetailsEs } from './finding-details.ts';
import { findingsEs } from './findings.ts';
import { formatNamesEs, formatsEs, lossesEs } from './formats.ts';

/** Spanish texts of import and export. */
export const reportTextsEs: ReportTexts = {
  findings: findingsEs,
  findingDetails: findingDetailsEs,
  formatNames: formatNamesEs,
  formats: formatsEs,
  losses: lossesEs,
};
