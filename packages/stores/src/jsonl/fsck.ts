/** Checks the lines of session files, in addition to the trees that are built from them. */
import { findMessageProblem, isSideEntryType, type SessionWarning } from '@coppice/content/sessions';
import type { AppError, FsckOptions, FsckReport, TreeId } from '@coppice/core';
import { checkTrees } from '../disk/check-trees.ts';
import type { SessionState } from './session.ts';

type SessionFinding = FsckReport['findings'][number];

/** The sessions to check, and functions of the store. */
export interface SessionCheckInput {
  readonly trees: readonly TreeId[];
  readonly sessions: ReadonlyMap<TreeId, SessionState>;
  readonly broken: ReadonlyMap<TreeId, AppError>;
  readonly repair: boolean;
  readonly onProgress: FsckOptions['onProgress'];
  /** Checks the rows of one tree, without the lines of its file. */
  check(treeId: TreeId): Promise<FsckReport>;
  /**
   * Rewrites the file of a session from its tree. Returns the name under which the old file is kept; null if there was
   * no file.
   */
  rewrite(treeId: TreeId): Promise<string | null>;
}

// Warnings with these codes are errors in files of Coppice, because lines were lost, altered or moved. All other
// warnings, and those about files of other tools, stay warnings.
const serious: ReadonlySet<SessionWarning['code']> = new Set(['damaged', 'lost', 'order', 'orphan', 'misfit']);

/**
 * Checks sessions and the lines of their files. A repair rewrites a file with lost or altered lines from its tree, and
 * keeps the old file under another name.
 */
export function fsckSessions({
  trees,
  sessions,
  broken,
  repair,
  onProgress,
  check,
  rewrite,
}: SessionCheckInput): Promise<FsckReport> {
  return checkTrees({
    trees,
    onProgress,
    broken,
    check,
    files: async (treeId) => {
      const session = sessions.get(treeId);
      const findings = session === undefined ? [] : lineFindings(session);
      const isDamaged = findings.some(({ severity }) => severity === 'error');
      const kept = repair && isDamaged ? await rewrite(treeId) : null;
      if (kept === null) return { findings, repaired: [] };
      const text = `the file of ${treeId} was written anew as it is shown, and the old one is kept as ${kept}`;
      return { findings, repaired: [text] };
    },
  });
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
    if (isSideEntryType(file.typeAt(index))) continue;
    const entry = file.entryAt(index);
    const problem = findMessageProblem(entry, file.isOurs(index));
    if (problem === null) continue;
    const message = `The entry ${entry.uuid} would be refused: ${problem}`;
    found.push({ code: 'session-message', severity: 'error', id: entry.uuid, message, treeId });
  }
  return found;
}
