/** A journal that cannot be read, made anew from the files of its tree. */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { actId, type Commit, isAppError, type NodeId, type Tree, type TreeId } from '@coppice/core';
import { fromRows } from '@coppice/core/history';
import { allBookmarks, allNodes, apply, findAnyNode } from '@coppice/core/tree';
import {
  type AtomicWriter,
  fileStep,
  linkOrCopy,
  namesInFolder,
  onFile,
  statOrNull,
  syncFolder,
} from '../disk/atomic-files.ts';
import { decodeCommit, diskField, diskRow, isDiskFields, Unreadable } from '../disk/decode.ts';
import { gatherLines, linesOfFile } from '../disk/line-file.ts';
import { derivedId } from '../linear.ts';
import { type JournalOrigin, originInLine, readJournal, replay, rewrittenLines } from './journal.ts';
import { treeFromFiles } from './node-files.ts';
import { readTreeFile, type TreeFile } from './tree-file.ts';

// What begins the names of journals that were replaced.
const damagedJournal = 'journal.jsonl.damaged-';

/** What a repair did, or why it did nothing. */
export type Rebuilt = { readonly beside: string | null } | { readonly why: string };

/** What can still be read of a journal. */
interface JournalRemains {
  readonly origin: JournalOrigin | null;
  /** The commits that can be read, by their versions. */
  readonly commits: ReadonlyMap<number, Commit>;
  /** How many lines at the end, of which the files say nothing, cannot be read. */
  readonly lost: number;
}

/**
 * Makes the journal of a tree anew from its files, where these are whole and what the journal tells beyond them fits. What
 * can be read of its commits stays in the log, and the old journal is kept beside the new one. `loaded` is the version of a
 * tree that is in use: it must come out as that.
 */
export function rebuildJournal(folder: string, treeId: TreeId, bench: AtomicWriter, loaded: number | null): Rebuilt {
  const path = join(folder, 'journal.jsonl');
  const found = wholeFiles(folder);
  if ('why' in found) return found;
  const { file } = found;
  const { origin, commits, lost } = readRemains(path, treeId, found.tree, file.mark.bytes);
  const tree = goneOn(found.tree, commits, lost);
  if (tree === null) return { why: 'what can be read of it does not fit its files' };
  if (loaded !== null && tree.version !== loaded) return { why: 'its files are behind' };
  const log = logOf(treeId, tree, commits);
  const lines = rewrittenLines({
    treeId,
    owner: tree.owner,
    origin,
    log,
    tree,
    purged: purgedIn(log, tree),
    sequence: file.sequence + tree.version - found.tree.version,
    format: file.format,
  });
  const made = bench.make(gatherLines(lines), 'journal', true);
  // Nothing is replaced by what could not be read either.
  replay(made, treeId, readJournal(made, treeId));
  return onFile(path, () => {
    const beside = keepBeside(folder, path);
    fileStep('journal', 'rename', () => renameSync(made, path));
    syncFolder(folder, 'journal');
    return { beside };
  });
}

function wholeFiles(folder: string): { readonly file: TreeFile; readonly tree: Tree } | { readonly why: string } {
  try {
    const file = readTreeFile(join(folder, 'tree.json'));
    const tree = file === null ? null : treeFromFiles(folder, file);
    return file === null || tree === null ? { why: 'its files are not whole' } : { file, tree };
  } catch (error) {
    if (!isAppError(error) || error.code !== 'store/damaged') throw error;
    return { why: 'its files are not whole' };
  }
}

function readRemains(path: string, treeId: TreeId, tree: Tree, reported: number): JournalRemains {
  const commits = new Map<number, Commit>();
  let origin: JournalOrigin | null = null;
  let lost = 0;
  // A first line that cannot be read says nothing of whose journal this is: then its commits have to fit the rows.
  let named = false;
  for (const line of linesOfFile(path)) {
    // Half a line was never acknowledged.
    if (!line.ok && !line.torn && line.at.offset >= reported) lost++;
    if (!line.ok) continue;
    if (diskField(line.value, 'type') === 'journal') {
      if (diskField(line.value, 'treeId') !== treeId) return { origin: null, commits: new Map(), lost: 0 };
      origin = originInLine(line.value);
      named = true;
    }
    for (const commit of commitsIn(line.value, treeId))
      if (commit.version > tree.version || named || fitsLog(commit, tree)) {
        commits.set(commit.version, commit);
        if (commit.version > tree.version) lost = 0;
      }
  }
  return { origin, commits, lost };
}

/** The tree of the files with what the journal tells beyond them; numbers of what is lost are not given again. */
function goneOn(from: Tree, commits: ReadonlyMap<number, Commit>, lost: number): Tree | null {
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
  const row = { ...diskRow(tree), version, structureVersion: version, nextSeq: Math.max(tree.nextSeq, seq) };
  return fromRows(row, allNodes(tree), allBookmarks(tree));
}

function commitsIn(value: Parameters<typeof decodeCommit>[0], treeId: TreeId): Commit[] {
  if (diskField(value, 'type') !== 'commit') return [];
  const before = diskField(value, 'before');
  try {
    return [...(isDiskFields(before) ? [decodeCommit(before, treeId)] : []), decodeCommit(value, treeId)];
  } catch (error) {
    if (error instanceof Unreadable) return [];
    throw error;
  }
}

function fitsLog({ steps, version }: Commit, tree: Tree): boolean {
  return steps.every((step) => step.type !== 'insert' || findAnyNode(tree, step.node.id)?.addedIn === version);
}

/** The log of a tree. What cannot be read any more is a commit of nobody that does nothing: versions have no gap. */
function logOf(treeId: TreeId, tree: Tree, commits: ReadonlyMap<number, Commit>): Commit[] {
  const log: Commit[] = [];
  for (let version = 1; version <= tree.version; version++) {
    const last = log.at(-1);
    log.push(
      commits.get(version) ?? {
        treeId,
        version,
        actId: actId(derivedId('lost-commit', treeId, String(version))),
        actor: 'unknown',
        at: last?.at ?? tree.createdAt,
        kind: 'do',
        seq: last === undefined ? 0 : last.seq + last.steps.filter((step) => step.type === 'insert').length,
        structural: true,
        steps: [],
      },
    );
  }
  return log;
}

/** What the log adds and no row has was purged. */
function purgedIn(log: readonly Commit[], tree: Tree): Set<NodeId> {
  const purged = new Set<NodeId>();
  for (const { steps } of log)
    for (const step of steps)
      if (step.type === 'insert' && findAnyNode(tree, step.node.id) === undefined) purged.add(step.node.id);
  return purged;
}

/** Gives the old journal a second name, on the disk before anything is replaced; null where there is none. */
function keepBeside(folder: string, path: string): string | null {
  if (statOrNull(path) === null) return null;
  const names = new Set(namesInFolder(folder));
  let at = 1;
  while (names.has(`${damagedJournal}${at}`)) at++;
  const beside = join(folder, `${damagedJournal}${at}`);
  linkOrCopy(path, beside);
  syncFolder(folder, 'journal');
  return beside;
}

/** Takes the kept journals of a tree away: they may say what is purged from it. */
export function forgetDamaged(folder: string): void {
  for (const name of namesInFolder(folder))
    if (name.startsWith(damagedJournal)) onFile(folder, () => rmSync(join(folder, name), { force: true }));
}
