/** Rebuilds an unreadable journal from the files of its tree. */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { actId, type Commit, isAppError, type NodeId, type Tree, type TreeId } from '@coppice/core';
import { isFieldMap, MalformedError, ownField } from '@coppice/core/decode';
import { treeFromRows } from '@coppice/core/history';
import { allBookmarks, allNodes, apply, findAnyNode, insertedNodes, rowOf } from '@coppice/core/tree';
import {
  type AtomicWriter,
  linkOrCopy,
  listNamesInFolder,
  runFileOperation,
  statOrNull,
  syncFolder,
  withFileErrors,
} from '../disk/atomic-files.ts';
import { decodeCommit } from '../disk/decode.ts';
import { joinSmallPieces, readLinesOfFile } from '../disk/line-file.ts';
import { deriveId } from '../linear.ts';
import {
  decodeJournalFirstVersion,
  decodeJournalOrigin,
  type JournalOrigin,
  readJournal,
  replayJournal,
  rewriteJournalLines,
} from './journal.ts';
import { readTreeFromFiles } from './node-files.ts';
import { readTreeFile, type TreeFile } from './tree-file.ts';

// The names of replaced journals begin with this and end with a number.
const damagedJournal = 'journal.jsonl.damaged-';

/** The name under which the old journal is kept (null if there was none), or the reason why it was not rebuilt. */
export type RebuildResult = { readonly beside: string | null } | { readonly why: string };

/** What can be read of a damaged journal. */
interface JournalRemains {
  readonly origin: JournalOrigin | null;
  /** The version of the first commit that the journal had. */
  readonly from: number;
  readonly commits: ReadonlyMap<number, Commit>;
  /** The number of unreadable lines after the last readable commit. Their versions are not used again. */
  readonly lost: number;
}

/**
 * Rebuilds the journal of a tree from its files. This requires complete files, and that the later commits of the
 * journal apply to them. Readable commits stay in the log, and the old journal is kept under another name. If the tree
 * is loaded, `loaded` is its version, and the rebuilt tree must have that version.
 */
export function rebuildJournal(
  folder: string,
  treeId: TreeId,
  writer: AtomicWriter,
  loaded: number | null,
): RebuildResult {
  const path = join(folder, 'journal.jsonl');
  const found = wholeFiles(folder);
  if ('why' in found) return found;
  const { file } = found;
  const { origin, from, commits, lost } = readRemains(path, treeId, found.tree, file.mark.bytes);
  const tree = applyLaterCommits(found.tree, commits, lost);
  if (tree === null) return { why: 'what can be read of it does not fit its files' };
  if (loaded !== null && tree.version !== loaded) return { why: 'its files are behind' };
  const log = logOf(treeId, tree, commits, from);
  const lines = rewriteJournalLines({
    treeId,
    owner: tree.owner,
    origin,
    log,
    tree,
    purged: purgedIn(log, tree),
    sequence: file.sequence + tree.version - found.tree.version,
    format: file.format,
  });
  const temporaryPath = writer.make(joinSmallPieces(lines), 'journal', true);
  // The new journal is read once before it replaces the old one, to be sure that it is valid.
  replayJournal(temporaryPath, treeId, readJournal(temporaryPath, treeId));
  return withFileErrors(path, () => {
    const beside = keepBeside(folder, path);
    runFileOperation('journal', 'rename', () => renameSync(temporaryPath, path));
    syncFolder(folder, 'journal');
    return { beside };
  });
}

function wholeFiles(folder: string): { readonly file: TreeFile; readonly tree: Tree } | { readonly why: string } {
  try {
    const file = readTreeFile(join(folder, 'tree.json'));
    const tree = file === null ? null : readTreeFromFiles(folder, file);
    return file === null || tree === null ? { why: 'its files are not whole' } : { file, tree };
  } catch (error) {
    if (!isAppError(error) || error.code !== 'store/damaged') throw error;
    return { why: 'its files are not whole' };
  }
}

function readRemains(path: string, treeId: TreeId, tree: Tree, reported: number): JournalRemains {
  const commits = new Map<number, Commit>();
  let origin: JournalOrigin | null = null;
  let from = 1;
  let lost = 0;
  // If the first line is unreadable, the journal may belong to another tree. Then earlier commits must fit the files.
  let named = false;
  for (const line of readLinesOfFile(path)) {
    // Incomplete lines are not counted, because their commits were never acknowledged.
    if (!line.ok && !line.torn && line.at.offset >= reported) lost++;
    if (!line.ok) continue;
    if (ownField(line.value, 'type') === 'journal') {
      if (ownField(line.value, 'treeId') !== treeId) return { origin: null, from: 1, commits: new Map(), lost: 0 };
      origin = decodeJournalOrigin(line.value);
      from = decodeJournalFirstVersion(line.value);
      named = true;
    }
    for (const commit of commitsIn(line.value, treeId))
      if (commit.version > tree.version || named || fitsLog(commit, tree)) {
        commits.set(commit.version, commit);
        if (commit.version > tree.version) lost = 0;
      }
  }
  return { origin, from, commits, lost };
}

/**
 * Applies the later commits of the journal to the tree from the files; null if one cannot be applied. Creation numbers
 * of lost nodes are skipped.
 */
function applyLaterCommits(from: Tree, commits: ReadonlyMap<number, Commit>, lost: number): Tree | null {
  let tree = from;
  const later = [...commits.values()].filter(({ version }) => version > from.version);
  for (const { version, seq, steps, at } of later.sort((a, b) => a.version - b.version)) {
    const done = apply(numberCommits(tree, version - 1, seq), steps, { at });
    if (!done.ok) return null;
    tree = done.value.tree;
  }
  return numberCommits(tree, tree.version + lost, tree.nextSeq);
}

function numberCommits(tree: Tree, version: number, seq: number): Tree {
  if (version === tree.version) return tree;
  const row = { ...rowOf(tree), version, structureVersion: version, nextSeq: Math.max(tree.nextSeq, seq) };
  return treeFromRows(row, allNodes(tree), allBookmarks(tree));
}

function commitsIn(value: Parameters<typeof decodeCommit>[0], treeId: TreeId): Commit[] {
  if (ownField(value, 'type') !== 'commit') return [];
  const before = ownField(value, 'before');
  try {
    return [...(isFieldMap(before) ? [decodeCommit(before, treeId)] : []), decodeCommit(value, treeId)];
  } catch (error) {
    if (error instanceof MalformedError) return [];
    throw error;
  }
}

function fitsLog({ steps, version }: Commit, tree: Tree): boolean {
  return insertedNodes(steps).every(({ id }) => findAnyNode(tree, id)?.addedIn === version);
}

/**
 * Builds the log of a tree. Versions must not have gaps, so each unreadable commit is replaced by an empty one without
 * an actor.
 */
function logOf(treeId: TreeId, tree: Tree, commits: ReadonlyMap<number, Commit>, from: number): Commit[] {
  const log: Commit[] = [];
  for (let version = Math.min(from, tree.version); version <= tree.version; version++) {
    const last = log.at(-1);
    log.push(
      commits.get(version) ?? {
        treeId,
        version,
        actId: actId(deriveId('lost-commit', treeId, String(version))),
        actor: 'unknown',
        at: last?.at ?? tree.createdAt,
        kind: 'do',
        seq: last === undefined ? 0 : last.seq + insertedNodes(last.steps).length,
        structural: true,
        steps: [],
      },
    );
  }
  return log;
}

/** Returns the nodes that the log inserts but that have no row. They were purged. */
function purgedIn(log: readonly Commit[], tree: Tree): Set<NodeId> {
  const purged = new Set<NodeId>();
  for (const { steps } of log)
    for (const { id } of insertedNodes(steps)) if (findAnyNode(tree, id) === undefined) purged.add(id);
  return purged;
}

/** Gives the old journal a second name and syncs the folder; returns null if there is no journal. */
function keepBeside(folder: string, path: string): string | null {
  if (statOrNull(path) === null) return null;
  const names = new Set(listNamesInFolder(folder));
  let at = 1;
  while (names.has(`${damagedJournal}${at}`)) at++;
  const beside = join(folder, `${damagedJournal}${at}`);
  linkOrCopy(path, beside);
  syncFolder(folder, 'journal');
  return beside;
}

/** Deletes the old journals that repairs kept, because they may contain purged data. */
export function deleteDamagedJournals(folder: string): void {
  for (const name of listNamesInFolder(folder))
    if (name.startsWith(damagedJournal)) withFileErrors(folder, () => rmSync(join(folder, name), { force: true }));
}
