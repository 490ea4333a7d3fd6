/** What is wrong with the lines of session files, beside what is wrong with the trees they make. */
import { type FsckReport, isAppError, type TreeId } from '@coppice/core';
import type { Holdings } from './jsonl-keeper.ts';

type Finding = FsckReport['findings'][number];

/** What a check is asked for. */
export interface Check {
  readonly trees: readonly TreeId[];
  readonly holdings: Holdings;
  /** The check that every store makes of one tree. */
  check(treeId: TreeId): Promise<FsckReport>;
}

/** Checks sessions; one that cannot be read is found, not thrown. Lines that were lost are told and stay in their file. */
export async function fsckSessions({ trees, holdings, check }: Check): Promise<FsckReport> {
  const findings: Finding[] = [];
  const repaired: string[] = [];
  let nodes = 0;
  for (const treeId of trees) {
    try {
      const report = await check(treeId);
      nodes += report.nodes;
      for (const finding of report.findings) findings.push(finding);
      for (const text of report.repaired) repaired.push(text);
    } catch (error) {
      // A session that cannot be read is a finding; a check or repair that could not be carried out is not.
      const unreadable = holdings.broken.has(treeId) || isUnreadable(error);
      if (!isAppError(error) || !unreadable) throw error;
      findings.push({ code: 'unreadable', severity: 'error', id: treeId, message: error.message, treeId });
      continue;
    }
    for (const { code, message, uuid } of holdings.sessions.get(treeId)?.warnings ?? [])
      findings.push({ code: `session-${code}`, severity: 'warning', id: uuid ?? treeId, message, treeId });
  }
  return { trees: trees.length, nodes, findings, repaired };
}

function isUnreadable(error: unknown): boolean {
  return isAppError(error) && (error.code === 'store/damaged' || error.code === 'store/newer');
}
