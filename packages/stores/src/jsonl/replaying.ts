/** The types for replaying the lines of a session file. */
import type { SessionFile } from '@coppice/content/sessions';
import type { Commit, MessageKit, TreeId } from '@coppice/core';
import type { SessionEntryIds } from './file-names.ts';

/** A file whose lines may have commit numbers; each line of another tool is a commit. */
interface NumberedFile extends SessionFile {
  versionAt?(index: number): number;
  isLate?(index: number): boolean;
  /** Whether any line is shown below another line than its named parent. */
  readonly hasDetached?: boolean;
}

/** The inputs of a replay. */
export interface ReplayOptions {
  readonly file: NumberedFile;
  readonly treeId: TreeId;
  readonly owner: string;
  readonly names: SessionEntryIds;
  readonly kit: MessageKit;
}

/** Returns a commit without steps, which only keeps its number used. */
export function makeEmptyCommit(
  treeId: TreeId,
  version: number,
  seq: number,
  { actor, actId, at }: { readonly actor: string; readonly actId: Commit['actId']; readonly at: number },
): Commit {
  return { treeId, version, actId, actor, at, kind: 'do', seq, structural: false, steps: [] };
}
