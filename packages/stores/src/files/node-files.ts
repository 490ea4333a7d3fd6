/** Brings the node files of a tree to what its value says, a few at a time. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { isUuid, type Node, type NodeId, type PreparedCommit, type Tree } from '@coppice/core';
import { fromRows } from '@coppice/core/history';
import { allNodes, findAnyNode } from '@coppice/core/tree';
import {
  type AtomicWriter,
  bytesOfFile,
  namesInFolder,
  onFile,
  readTextFile,
  syncFolder,
} from '../disk/atomic-files.ts';
import { isDiskFields, Unreadable } from '../disk/decode.ts';
import { nodeFileText, nodeFromFile } from './node-file.ts';
import type { TreeFile } from './tree-file.ts';

/** So many files may wait for the disk one by one; more are written at once, and looked at again after a power cut. */
const mostSynced = 32;
const atOnce = 64;

/** Where the file of a node is: removed ones lie apart, since readers take every file in `nodes` for a message. */
export function folderOfNode(node: Pick<Node, 'removedIn'>): 'nodes' | 'trash' {
  return node.removedIn === null ? 'nodes' : 'trash';
}

/** The part of the fingerprint that one file is. */
function printOf(text: string): number {
  return crc32(bytesOfFile(text));
}

/** The nodes whose files a commit changes; null where only a look at all of them tells. */
export function touchedNodes(before: Tree | null, { changes }: PreparedCommit, after: Tree): Set<NodeId> | null {
  const ids = new Set<NodeId>();
  let active = before?.activeNodeId ?? null;
  for (const change of changes) {
    switch (change.op) {
      case 'added':
        ids.add(change.node.id);
        if (change.node.parentId !== null) ids.add(change.node.parentId);
        break;
      case 'written':
      case 'grouped':
      case 'annotated':
        ids.add(change.nodeId);
        break;
      case 'pointed':
        isMarked(before, after, change.nodeId, active, ids);
        active = change.nodeId;
        break;
      case 'placed':
      case 'removed':
      case 'restored':
        return null;
      case 'bookmarked':
      case 'attributed':
        break;
    }
  }
  return ids;
}

/** The nodes on the way up from a selected one whose visit mark is another now. Above the former one nothing changed. */
function isMarked(before: Tree | null, after: Tree, to: NodeId | null, stop: NodeId | null, ids: Set<NodeId>): void {
  for (let at: NodeId | null = to; at !== null; ) {
    const node = findAnyNode(after, at);
    if (node === undefined) return;
    if (before === null || findAnyNode(before, at) !== node) ids.add(at);
    if (at === stop) return;
    at = node.parentId;
  }
}

/** The nodes that differ between two values, and those whose children do. */
function isChanged(base: Tree, target: Tree): Set<NodeId> {
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

/** What the files were before and what they are to be. */
export interface WantedFile {
  readonly folder: string;
  readonly bench: AtomicWriter;
  /** What the files say now; null where that is not known. */
  readonly base: Tree | null;
  readonly target: Tree;
  /** The nodes that may differ; null for all. */
  readonly ids: ReadonlySet<NodeId> | null;
  readonly fingerprint: number;
  readonly count: number;
}

/** What came of it: the checksum over all files, and how many there are. */
export interface WrittenFiles {
  readonly fingerprint: number;
  readonly count: number;
  /** Whether all that was written is on the disk. */
  readonly synced: boolean;
}

/** Writes the files that differ and takes away those of nodes that are no more. */
export async function writeNodeFiles(wanted: WantedFile): Promise<WrittenFiles> {
  const { folder } = wanted;
  onFile(folder, () => {
    for (const name of ['nodes', 'trash']) mkdirSync(join(folder, name), { recursive: true });
  });
  return wanted.base === null ? writeAllFiles(wanted) : writeChangedFiles(wanted, wanted.base);
}

async function writeChangedFiles(wanted: WantedFile, base: Tree): Promise<WrittenFiles> {
  const { folder, target, bench } = wanted;
  const ids = wanted.ids ?? isChanged(base, target);
  const synced = ids.size <= mostSynced;
  let { fingerprint, count } = wanted;
  let written = 0;
  for (const id of ids) {
    if (id === target.rootId) continue;
    const old = findAnyNode(base, id);
    const now = findAnyNode(target, id);
    const before = old === undefined ? null : nodeFileText(base, old);
    const after = now === undefined ? null : nodeFileText(target, now);
    if (before === after) continue;
    if (now !== undefined && after !== null) {
      bench.replace(fileOfNode(folder, now), [bytesOfFile(after)], 'node', false, synced);
      fingerprint ^= printOf(after);
      count++;
    }
    if (old !== undefined && before !== null) {
      fingerprint ^= printOf(before);
      count--;
      if (now === undefined || folderOfNode(now) !== folderOfNode(old))
        onFile(folder, () => rmSync(fileOfNode(folder, old), { force: true }));
    }
    if (++written % atOnce === 0) await breathe();
  }
  if (synced && written > 0) syncFolders(folder);
  return { fingerprint: fingerprint >>> 0, count, synced };
}

/** Compares every file with what it should say, and writes those that differ. */
async function writeAllFiles({ folder, target, bench }: WantedFile): Promise<WrittenFiles> {
  const left = new Set<string>();
  for (const name of ['nodes', 'trash'])
    for (const file of namesInFolder(join(folder, name))) left.add(join(folder, name, file));
  const wrong: Node[] = [];
  let fingerprint = 0;
  let count = 0;
  for (const node of allNodes(target)) {
    if (node.id === target.rootId) continue;
    const path = fileOfNode(folder, node);
    const expected = nodeFileText(target, node);
    fingerprint ^= printOf(expected);
    const there = left.delete(path) ? onFile(path, () => readFileSync(path, 'utf8')) : null;
    if (there !== expected) wrong.push(node);
    if (++count % atOnce === 0) await breathe();
  }
  const synced = wrong.length <= mostSynced;
  for (const [at, node] of wrong.entries()) {
    bench.replace(fileOfNode(folder, node), [bytesOfFile(nodeFileText(target, node))], 'node', false, synced);
    if (at % atOnce === 0) await breathe();
  }
  for (const path of left) onFile(path, () => removeFile(folder, path));
  if (synced) syncFolders(folder);
  return { fingerprint: fingerprint >>> 0, count, synced };
}

/** Takes away a file of ours that nothing needs. One with a name that we do not give is somebody's, and is moved aside. */
function removeFile(folder: string, path: string): void {
  const name = basename(path);
  if (isNodeFile(name)) return rmSync(path, { force: true });
  if (!name.endsWith('.json')) return;
  mkdirSync(join(folder, 'original'), { recursive: true });
  const aside = join(folder, 'original', name);
  if (!existsSync(aside)) renameSync(path, aside);
}

/** Whether a file's name is one that we give to a node's. */
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
 * The tree as its files say it, of the version in `tree.json`; null if they are not all of that version, which their
 * fingerprint tells.
 */
export function treeFromFiles(folder: string, file: TreeFile): Tree | null {
  const nodes: Node[] = [file.root];
  let fingerprint = 0;
  for (const name of ['nodes', 'trash'])
    for (const each of namesInFolder(join(folder, name))) {
      if (!isNodeFile(each)) continue;
      const path = join(folder, name, each);
      const text = readTextFile(path) ?? '';
      fingerprint ^= printOf(text);
      const node = nodeIn(text, file);
      if (node === null) return null;
      nodes.push(node);
    }
  if (nodes.length !== file.nodes + 1 || fingerprint >>> 0 !== file.fingerprint) return null;
  return fromRows(file.row, nodes, file.bookmarks);
}

function nodeIn(text: string, file: TreeFile): Node | null {
  try {
    const json: unknown = JSON.parse(text);
    if (!isDiskFields(json)) return null;
    return nodeFromFile(file.row, json);
  } catch (error) {
    // The journal has all of it: what is wrong with a file is for the check to tell.
    if (error instanceof Unreadable || error instanceof SyntaxError) return null;
    throw error;
  }
}
