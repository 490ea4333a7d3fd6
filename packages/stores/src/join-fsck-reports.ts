import type { FsckReport } from '@coppice/core';

type Finding = FsckReport['findings'][number];

/** Joins the reports on several parts of a store. A finding that two parts report is listed once. */
export function joinFsckReports(reports: readonly FsckReport[]): FsckReport {
  const findings = new Map<string, Finding>();
  const repaired: string[] = [];
  let [trees, nodes] = [0, 0];
  for (const report of reports) {
    trees += report.trees;
    nodes += report.nodes;
    for (const finding of report.findings)
      findings.set(JSON.stringify([finding.code, finding.id, finding.message, finding.treeId]), finding);
    for (const text of report.repaired) repaired.push(text);
  }
  return { trees, nodes, findings: [...findings.values()], repaired };
}
