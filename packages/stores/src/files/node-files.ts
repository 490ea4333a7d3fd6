/** Updates the node files of a tree to match its value. The work is done in small batches that yield to other work. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { isUuid, type Node, type NodeId, type RowChange, type Tree } from '@coppice/core';
import { isFieldMap, MalformedError } from '@coppice/core/decode';
import { treeFromRows } from '@coppice/core/history';
import { allNodes, findAnyNode } from '@coppice/core/tree';
import {
  type AtomicWriter,
  encodeFileText,
  listNamesInFolder,
  readTextFile,
  syncFolder,
  withFileErrors,
} from '../disk/atomic-files.ts';
import { formatNodeFile, parseNodeFile } from './node-file.ts';
import type { TreeFile } from './tree-file.ts';

/**
 * Up to this many changed files are synced. If there are more, none is synced, and all are compared again after a
 * restart of the machine.
 */
const mostSynced = 32;
const atOnce = 64;

/**
 * Returns the folder of a node's file. Removed nodes have their own
 * folder, because other programs read every file in `nodes` as a message.
 */
export function folderOfNode(node: Pick<Node, 'removedIn'>): 'nodes' | 'trash' {
  return node.removedIn === null ? 'nodes' : 'trash';
}

/** Returns the checksum of one file. The fingerprint of a tree combines the checksums of all its files. */
function printOf(text: string): number {
  return crc32(encodeFileText(text));
}

/** Returns the nodes whose files a commit changes; null if all files have to be compared. */
export function findNodesWithChangedFiles(changes: readonly RowChange[]): Set<NodeId> | null {
  const ids = new Set<NodeId>();
  for (const change of changes) {
    if (change.op === 'added') {
      ids.add(change.node.id);
      if (change.node.parentId !== null) ids.add(change.node.parentId);
    } else if (change.op === 'updated') {
      // The file of a parent lists its children. The former parent is not known here, so all files are compared.
      if (change.set.parentId !== undefined || change.set.position !== undefined) return null;
      for (const id of change.nodeIds) ids.add(id);
    } else if (change.op === 'marked') return null;
  }
  return ids;
}

/** Returns the nodes that differ between two values of a tree, and their parents. */
function changedNodes(base: Tree, target: Tree): Set<NodeId> {
  const ids = new Set<NodeId>();
  const note = (node: Node | undefined) => {
    if (node === undefined) return;
    ids.add(node.id);
    if (node.parentId !== null) ids.add(node.parentId);
  };
  for (const node of allNodes(target)) {
    const old = findAnyNode(base, node.id);
    if (old === node) continue;
    note(node);
    note(old);
  }
  for (const node of allNodes(base)) if (findAnyNode(target, node.id) === undefined) note(node);
  return ids;
}

/** What the files of a tree contain now, and what they should contain. */
export interface NodeFilesUpdate {
  readonly folder: string;
  readonly writer: AtomicWriter;
  /** The tree value that the files contain now; null if unknown. */
  readonly base: Tree | null;
  readonly target: Tree;
  /** The nodes whose files may differ; null for all. */
  readonly ids: ReadonlySet<NodeId> | null;
  readonly fingerprint: number;
  readonly count: number;
}

/** The fingerprint and the number of the node files after an update. */
export interface NodeFilesResult {
  readonly fingerprint: number;
  readonly count: number;
  /** Whether all written files are synced to disk. */
  readonly synced: boolean;
}

/** Writes the files that differ, and deletes the files of purged nodes. */
export async function writeNodeFiles(wanted: NodeFilesUpdate): Promise<NodeFilesResult> {
  const { folder } = wanted;
  withFileErrors(folder, () => {
    for (const name of ['nodes', 'trash']) mkdirSync(join(folder, name), { recursive: true });
  });
  return wanted.base === null ? writeAllFiles(wanted) : writeChangedFiles(wanted, wanted.base);
}

async function writeChangedFiles(wanted: NodeFilesUpdate, base: Tree): Promise<NodeFilesResult> {
  const { folder, target, writer } = wanted;
  const ids = wanted.ids ?? changedNodes(base, target);
  const synced = ids.size <= mostSynced;
  let { fingerprint, count } = wanted;
  let written = 0;
  for (const id of ids) {
    if (id === target.rootId) continue;
    const old = findAnyNode(base, id);
    const now = findAnyNode(target, id);
    const before = old === undefined ? null : formatNodeFile(base, old);
    const after = now === undefined ? null : formatNodeFile(target, now);
    if (before === after) continue;
    if (now !== undefined && after !== null) {
      writer.replace(fileOfNode(folder, now), [encodeFileText(after)], 'node', false, synced);
      fingerprint ^= printOf(after);
      count++;
    }
    if (old !== undefined && before !== null) {
      fingerprint ^= printOf(before);
      count--;
      if (now === undefined || folderOfNode(now) !== folderOfNode(old))
        withFileErrors(folder, () => rmSync(fileOfNode(folder, old), { force: true }));
    }
    if (++written % atOnce === 0) await breathe();
  }
  if (synced && written > 0) syncFolders(folder);
  return { fingerprint: fingerprint >>> 0, count, synced };
}

/** Compares every file with its expected content, and writes the files that differ. */
async function writeAllFiles({ folder, target, writer }: NodeFilesUpdate): Promise<NodeFilesResult> {
  const left = new Set<string>();
  for (const name of ['nodes', 'trash'])
    for (const file of listNamesInFolder(join(folder, name))) left.add(join(folder, name, file));
  const wrong: Node[] = [];
  let fingerprint = 0;
  let count = 0;
  for (const node of allNodes(target)) {
    if (node.id === target.rootId) continue;
    const path = fileOfNode(folder, node);
    const expected = formatNodeFile(target, node);
    fingerprint ^= printOf(expected);
    const there = left.delete(path) ? withFileErrors(path, () => readFileSync(path, 'utf8')) : null;
    if (there !== expected) wrong.push(node);
    if (++count % atOnce === 0) await breathe();
  }
  const synced = wrong.length <= mostSynced;
  for (const [at, node] of wrong.entries()) {
    writer.replace(fileOfNode(folder, node), [encodeFileText(formatNodeFile(target, node))], 'node', false, synced);
    if (at % atOnce === 0) await breathe();
  }
  for (const path of left) withFileErrors(path, () => removeFile(folder, path));
  if (synced) syncFolders(folder);
  return { fingerprint: fingerprint >>> 0, count, synced };
}

/**
 * Deletes a node file that is no longer needed. Another JSON file was not written by Coppice and is moved to the folder
 * `original`.
 */
function removeFile(folder: string, path: string): void {
  const name = basename(path);
  if (isNodeFile(name)) return rmSync(path, { force: true });
  if (!name.endsWith('.json')) return;
  mkdirSync(join(folder, 'original'), { recursive: true });
  const aside = join(folder, 'original', name);
  if (!existsSync(aside)) renameSync(path, aside);
}

/** Whether a file name has the form of a node file of Coppice. */
export function isNodeFile(name: string): boolean {
  return name.endsWith('.json') && isUuid(name.slice(0, -5));
}

function fileOfNode(folder: string, node: Node): string {
  return join(folder, folderOfNode(node), `${node.id}.json`);
}

function syncFolders(folder: string): void {
  for (const name of ['nodes', 'trash']) syncFolder(join(folder, name), 'node');
}

/**
 * Builds the tree from its files, in the version that `tree.json` names. Returns null if the fingerprint differs,
 * because some files are newer, missing or altered.
 */
export function readTreeFromFiles(folder: string, file: TreeFile): Tree | null {
  const nodes: Node[] = [file.root];
  let fingerprint = 0;
  for (const name of ['nodes', 'trash'])
    for (const each of listNamesInFolder(join(folder, name))) {
      if (!isNodeFile(each)) continue;
      const path = join(folder, name, each);
      const text = readTextFile(path) ?? '';
      fingerprint ^= printOf(text);
      const node = nodeIn(text, file);
      if (node === null) return null;
      nodes.push(node);
    }
  if (nodes.length !== file.nodes + 1 || fingerprint >>> 0 !== file.fingerprint) return null;
  return treeFromRows(file.row, nodes, file.bookmarks);
}

function nodeIn(text: string, file: TreeFile): Node | null {
  try {
    const json: unknown = JSON.parse(text);
    if (!isFieldMap(json)) return null;
    return parseNodeFile(file.row, json);
  } catch (error) {
    // The caller uses the journal instead, which is complete. A check reports the damaged file.
    if (error instanceof MalformedError || error instanceof SyntaxError) return null;
    throw error;
  }
}
