/** What is wrong with the lines of session files, beside what is wrong with the trees they make. */
import { isSideEntry, messageProblem, type SessionWarning } from '@coppice/content/sessions';
import { type FsckReport, isAppError, type TreeId } from '@coppice/core';
import type { SessionsOpenState } from './jsonl-persistence.ts';
import type { SessionState } from './session.ts';

type SessionFinding = FsckReport['findings'][number];

/** What a check is asked for. */
export interface SessionCheck {
  readonly trees: readonly TreeId[];
  readonly holdings: SessionsOpenState;
  readonly repair: boolean;
  /** The check that every store makes of one tree. */
  check(treeId: TreeId): Promise<FsckReport>;
  /** Writes the file of a session anew as it is shown, and keeps the old one; returns the name of that. */
  rewrite(treeId: TreeId): Promise<string | null>;
}

// What is shown elsewhere or not at all because lines were lost or altered. A file of another tool is not ours to judge.
const serious: ReadonlySet<SessionWarning['code']> = new Set(['damaged', 'lost', 'order', 'orphan', 'misfit']);

/**
 * Checks sessions and the lines of their files; a session that cannot be read is a finding. Repair writes a file whose
 * lines were lost or altered anew, with everything that is shown, and keeps the old one beside it.
 */
export async function fsckSessions({ trees, holdings, repair, check, rewrite }: SessionCheck): Promise<FsckReport> {
  const findings: SessionFinding[] = [];
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
    const session = holdings.sessions.get(treeId);
    const found = session === undefined ? [] : lineFindings(session);
    for (const finding of found) findings.push(finding);
    if (!repair || found.every(({ severity }) => severity !== 'error')) continue;
    const kept = await rewrite(treeId);
    if (kept !== null)
      repaired.push(`the file of ${treeId} was written anew as it is shown, and the old one is kept as ${kept}`);
  }
  return { trees: trees.length, nodes, findings, repaired };
}

function lineFindings(session: SessionState): SessionFinding[] {
  const { treeId, file } = session;
  const isOurs = file.dialect === 'v2';
  const found: SessionFinding[] = session.warnings.map(({ code, message, uuid }) => ({
    code: `session-${code}`,
    severity: isOurs && serious.has(code) ? 'error' : 'warning',
    id: uuid ?? treeId,
    message,
    treeId,
  }));
  for (let index = 1; isOurs && index < file.size; index++) {
    if (isSideEntry(file.typeAt(index))) continue;
    const entry = file.entryAt(index);
    const problem = messageProblem(entry, file.isOurs(index));
    if (problem === null) continue;
    const message = `The entry ${entry.uuid} would be refused: ${problem}`;
    found.push({ code: 'session-message', severity: 'error', id: entry.uuid, message, treeId });
  }
  return found;
}

function isUnreadable(error: unknown): boolean {
  return isAppError(error) && (error.code === 'store/damaged' || error.code === 'store/newer');
}
