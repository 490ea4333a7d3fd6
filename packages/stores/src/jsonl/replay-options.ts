/** Types and a helper for building a tree from the lines of a session file. */
import type { SessionFile } from '@coppice/content/sessions';
import type { Commit, MessageKit, TreeId } from '@coppice/core';
import type { SessionEntryIds } from './session-entry-ids.ts';

/** A session file whose lines may have commit numbers. If it has none, each line is a commit. */
interface NumberedFile extends SessionFile {
  versionAt?(index: number): number;
  isLate?(index: number): boolean;
  /** Whether any line has another parent than the one that it names. */
  readonly hasDetached?: boolean;
}

/** The session file, and the ids, kit and owner that its tree is built with. */
export interface ReplayOptions {
  readonly file: NumberedFile;
  readonly treeId: TreeId;
  readonly owner: string;
  readonly names: SessionEntryIds;
  readonly kit: MessageKit;
}

/** Makes a commit without steps, for a number whose commit cannot be read. */
export function makeEmptyCommit(
  treeId: TreeId,
  version: number,
  seq: number,
  { actor, actId, at }: { readonly actor: string; readonly actId: Commit['actId']; readonly at: number },
): Commit {
  return { treeId, version, actId, actor, at, kind: 'do', seq, structural: false, steps: [] };
}
