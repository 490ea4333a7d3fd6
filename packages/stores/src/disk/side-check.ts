/** The part of a check that looks at what lies beside the trees. */
import type { FsckReport } from '@coppice/core';
import type { SideFiles } from './side-files.ts';

/** A report with what of these files cannot be read; repair writes them anew and keeps what it has to leave out. */
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
