/** Checks that the files of each tree match its journal, and repairs them. */
import { join } from 'node:path';
import { canonicalJson } from '@coppice/content';
import { type FsckOptions, type FsckReport, isAppError, type Tree, type TreeId } from '@coppice/core';
import { isFieldMap, ownField } from '@coppice/core/decode';
import { allNodes, treeToJson } from '@coppice/core/tree';
import { listNamesInFolder, readTextFile } from '../disk/atomic-files.ts';
import { checkTrees } from '../disk/check-trees.ts';
import type { FilesOpenState, FilesPersistence } from './files-persistence.ts';
import { replayJournal } from './journal.ts';
import { formatNodeFile } from './node-file.ts';
import { folderOfNode, isNodeFile } from './node-files.ts';
import { readTreeFile } from './tree-file.ts';
import type { TreeFolder } from './tree-folder.ts';

type FilesFinding = FsckReport['findings'][number];

/** The trees to check, and functions of the store. */
export interface FilesCheckInput {
  readonly trees: readonly TreeId[];
  readonly persistence: FilesPersistence;
  readonly repair: boolean;
  readonly onProgress: FsckOptions['onProgress'];
  /** Checks the rows of one tree, without its files. */
  check(treeId: TreeId): Promise<FsckReport>;
}

export function fsckFiles({ trees, persistence, repair, onProgress, check }: FilesCheckInput): Promise<FsckReport> {
  const { holdings } = persistence;
  return checkTrees({
    trees,
    onProgress,
    broken: holdings.broken,
    check,
    files: async (treeId) => {
      const folder = holdings.folders.get(treeId);
      if (folder === undefined || folder.tree === null) return { findings: [], repaired: [] };
      const findings = checkFiles(folder, folder.tree, holdings);
      if (!repair || !findings.some(({ code }) => repairable.has(code))) return { findings, repaired: [] };
      await persistence.restore(treeId);
      return { findings, repaired: [`the files of ${treeId} were written anew from its journal`] };
    },
    rebuild: async (treeId, error) => {
      if (!repair || error.code !== 'store/damaged') return null;
      const rebuilt = await persistence.rebuild(treeId);
      if ('why' in rebuilt) return rebuilt;
      const kept = rebuilt.beside === null ? '' : `, and the old one is kept as ${rebuilt.beside}`;
      const text = `the journal of ${treeId} was made anew from its files${kept}`;
      return { text, nodes: (await check(treeId)).nodes };
    },
  });
}

// Findings with these codes are repaired by writing the files from the journal.
const repairable: ReadonlySet<string> = new Set(['tree-file', 'node-file', 'child-ids', 'registry']);

function checkFiles(folder: TreeFolder, tree: Tree, { registry }: FilesOpenState): FilesFinding[] {
  const found: FilesFinding[] = [];
  const add = (code: string, severity: FilesFinding['severity'], id: string, message: string) =>
    found.push({ code, severity, id, message, treeId: folder.id });
  const journal = folder.readJournal();
  for (const { line, offset, why } of journal.broken)
    add('journal-line', 'warning', folder.id, `${folder.journalPath} has a line that ${why}: ${line}, byte ${offset}.`);
  const reported = replayJournal(folder.journalPath, folder.id, journal);
  if (!sameTree(reported, tree))
    add('journal-differs', 'error', folder.id, `${folder.journalPath} leads to another tree than the one in use.`);
  try {
    const file = readTreeFile(folder.filePath);
    if (file === null || file.row.version !== tree.version)
      add('tree-file', 'error', folder.id, `${folder.filePath} is ${file === null ? 'missing' : 'behind'}.`);
  } catch (error) {
    if (!isAppError(error)) throw error;
    add('tree-file', 'error', folder.id, error.message);
  }
  if (registry.versionOf(folder.id) !== tree.version)
    add('registry', 'error', folder.id, `${registry.path} does not know this tree as it is.`);
  const extra = new Set<string>();
  for (const name of ['nodes', 'trash'])
    for (const file of listNamesInFolder(join(folder.path, name)))
      if (isNodeFile(file)) extra.add(join(folder.path, name, file));
  for (const node of allNodes(tree)) {
    if (node.id === tree.rootId) continue;
    const path = join(folder.path, folderOfNode(node), `${node.id}.json`);
    extra.delete(path);
    const expected = formatNodeFile(tree, node);
    const there = readTextFile(path);
    if (there === expected) continue;
    if (there === null) add('node-file', 'error', node.id, `${path} is missing.`);
    else if (childrenInFolder(there) !== null && childrenInFolder(there) !== childrenInFolder(expected))
      add('child-ids', 'error', node.id, `${path} lists other children than the node has.`);
    else add('node-file', 'error', node.id, `${path} does not say what the node says.`);
  }
  for (const path of extra) add('node-file', 'error', folder.id, `${path} belongs to no node.`);
  return found;
}

function sameTree(a: Tree, b: Tree): boolean {
  const { nodes, ...row } = treeToJson(a);
  const { nodes: others, ...other } = treeToJson(b);
  const same = (left: unknown, right: unknown) => plainTree(left) === plainTree(right);
  return same(row, other) && nodes.length === others.length && nodes.every((node, at) => same(node, others[at]));
}

function plainTree(value: unknown): string {
  return canonicalJson(JSON.parse(JSON.stringify(value)));
}

function childrenInFolder(text: string): string | null {
  try {
    const json: unknown = JSON.parse(text);
    return isFieldMap(json) ? JSON.stringify(ownField(json, 'child_ids')) : null;
  } catch {
    return null;
  }
}
