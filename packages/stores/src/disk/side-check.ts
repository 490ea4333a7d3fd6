/** Adds the damage of side files to the report of a check. */
import type { FsckReport } from '@coppice/core';
import type { SideFiles } from './side-files.ts';

/**
 * Adds a finding for each unreadable side file to a report. With `repair` the files are rewritten, and their unreadable
 * lines are moved to another file.
 */
export function checkSideFiles(report: FsckReport, sides: Iterable<SideFiles>, repair: boolean): FsckReport {
  const findings = [...report.findings];
  const repaired = [...report.repaired];
  for (const side of sides) {
    for (const { path, why } of side.damage)
      findings.push({ code: 'side-file', severity: 'error', id: path, message: why, treeId: null });
    if (repair) for (const text of side.mend()) repaired.push(text);
  }
  return { ...report, findings, repaired };
}
