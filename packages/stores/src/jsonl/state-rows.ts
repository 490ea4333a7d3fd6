/** Reads the rows in a rewritten session file, with the commits before them as history. */
import { deriveId } from '@coppice/content';
import {
  decodeEntry,
  isSideEntryType,
  type SessionEntry,
  type SessionWarning,
  toNodeMarker,
} from '@coppice/content/sessions';
import {
  actId,
  type Commit,
  type ConversationFormat,
  isAppError,
  type MessageKit,
  type Node,
  type NodeId,
  type Tree,
  type TreeFindingCode,
  type TreeRow,
} from '@coppice/core';
import { listField, MalformedError, objectField, ownField } from '@coppice/core/decode';
import { treeFromRows } from '@coppice/core/history';
import { checkRows } from '@coppice/core/tree';
import { decodeBookmarks, decodeCommit, decodeNode, decodeNodeIds, decodeTreeRow } from '../disk/decode.ts';
import { repairRows, type TreeRows } from '../repair.ts';
import { makeEmptyCommit, type ReplayOptions } from './replay-options.ts';
import type { SessionEntryIds } from './session-entry-ids.ts';

/** The tree and the log that the rows of a rewritten file contain. */
export interface SessionFromRows {
  readonly tree: Tree;
  readonly log: readonly Commit[];
  readonly purged: ReadonlySet<NodeId>;
  readonly sequence: number | null;
  readonly format: ConversationFormat;
  readonly warnings: readonly SessionWarning[];
}

/** Reads the rows from the lines of a commit. If they cannot be read, the result contains only warnings. */
export function readStateRows(
  { file, treeId, names, kit }: ReplayOptions,
  group: readonly number[],
  state: number,
): SessionFromRows | Pick<SessionFromRows, 'warnings'> {
  const reported = file.entryAt(state);
  try {
    const row = { ...decodeTreeRow(objectField(reported, 'row')), id: treeId };
    const purged = new Set(decodeNodeIds(reported, 'purged'));
    const bookmarks = decodeBookmarks(reported, 'bookmarks');
    const commits = new Map<number, Commit>();
    const nodes: Node[] = [decodeNode(objectField(reported, 'root'))];
    for (const index of group) {
      const entry = file.entryAt(index);
      if (entry.type === 'log') {
        const commit = decodeCommit(objectField(entry, 'of'), treeId);
        commits.set(commit.version, commit);
      } else if (!isSideEntryType(entry.type) && index > 0) nodes.push(rowIn(entry, names, kit));
    }
    const { rows, warnings } = repairStateRows({ row, nodes, bookmarks });
    const sequence = ownField(reported, 'sequence');
    return {
      tree: treeFromRows(rows.row, rows.nodes, rows.bookmarks),
      log: wholeLog(row, commits, ownField(reported, 'from')),
      purged,
      sequence: typeof sequence === 'number' ? sequence : null,
      format: ownField(reported, 'format') === 'linear' ? 'linear' : 'tree',
      warnings,
    };
  } catch (error) {
    if (!(error instanceof MalformedError) && !isAppError(error)) throw error;
    const message = `The rows of the session cannot be read (${error.message}); its lines are read one by one.`;
    return { warnings: [{ code: 'misfit', message, line: 0, offset: 0, uuid: reported.uuid }] };
  }
}

/** Returns rows unchanged if they form a tree. Otherwise returns repaired rows, with a warning for each change. */
function repairStateRows(rows: TreeRows): { readonly rows: TreeRows; readonly warnings: readonly SessionWarning[] } {
  const { row, nodes, bookmarks } = rows;
  if (checkRows(row, nodes, bookmarks).every(({ code }) => !structural.has(code))) return { rows, warnings: [] };
  const done = repairRows(rows);
  const warnings = done.repaired.map((text) => {
    const message = `Rows are missing or altered: ${text}.`;
    return { code: 'misfit', message, line: 0, offset: 0 } as const;
  });
  return { rows: done, warnings };
}

/** Returns the commits of the history in order, from its first version on. An empty commit replaces each lost one. */
function wholeLog(row: TreeRow, commits: ReadonlyMap<number, Commit>, from: unknown): Commit[] {
  const log: Commit[] = [];
  const first = typeof from === 'number' && Number.isSafeInteger(from) ? Math.min(Math.max(1, from), row.version) : 1;
  for (let version = first; version <= row.version; version++) {
    const lost = { actor: 'file', actId: actId(deriveId('session-act', row.id, version)), at: row.createdAt };
    log.push(commits.get(version) ?? makeEmptyCommit(row.id, version, row.nextSeq, lost));
  }
  return log;
}

// Findings of these codes mean that rows are missing or altered.
const structural: ReadonlySet<string> = new Set<TreeFindingCode>([
  'I01 root-count',
  'I03 dangling-parent',
  'I06 unreachable(cycle/orphan)',
  'I07 duplicate-id',
  'I08 active-missing-or-foreign',
  'I09 active-is-root',
  'I10 active-null-iff-empty',
  'bookmark-dangling',
  'live-below-removed',
  'match-parent',
  'position-twice',
  'seq-twice',
]);

function rowIn(entry: SessionEntry, names: SessionEntryIds, kit: MessageKit): Node {
  const { kind, message, status, meta, marker, noted } = decodeEntry(entry);
  const text = ownField(noted, 'text');
  return decodeNode({
    ...objectField(entry, 'row'),
    id: names.toNode(entry.uuid),
    kind,
    message,
    status,
    meta,
    marker: toNodeMarker(marker, names.toNode),
    text: typeof text === 'string' ? text : kit.text(message),
    aliases: ownField(noted, 'aliases') === undefined ? [] : listField(noted, 'aliases'),
  });
}
