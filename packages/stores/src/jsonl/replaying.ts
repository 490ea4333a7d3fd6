/** What the lines of a session file are read with. */
import type { SessionFile } from '@coppice/content/sessions';
import type { Commit, MessageKit, TreeId } from '@coppice/core';
import type { FileNames } from './file-names.ts';

/** A file whose lines know their commit; other tools' lines are a commit each. */
export interface NumberedFile extends SessionFile {
  versionAt?(index: number): number;
  isLate?(index: number): boolean;
  /** Whether any line is shown below another line than the one that it names. */
  readonly hasDetached?: boolean;
}

/** What lines are replayed with. */
export interface ReplayOptions {
  readonly file: NumberedFile;
  readonly treeId: TreeId;
  readonly owner: string;
  readonly names: FileNames;
  readonly kit: MessageKit;
}

/** A commit of which nothing is left but its number. */
export function emptyCommit(
  treeId: TreeId,
  version: number,
  seq: number,
  { actor, actId, at }: { readonly actor: string; readonly actId: Commit['actId']; readonly at: number },
): Commit {
  return { treeId, version, actId, actor, at, kind: 'do', seq, structural: false, steps: [] };
}
