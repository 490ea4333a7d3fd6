/** Checks the trees of a store on disk, and the files of each tree. */
import { type AppError, type FsckOptions, type FsckReport, isAppError, type TreeId } from '@coppice/core';

type Finding = FsckReport['findings'][number];

/** The findings about the files of a tree, and the repairs that were made. */
interface CheckedFiles {
  readonly findings: readonly Finding[];
  readonly repaired: readonly string[];
}

/** How an unreadable tree was rebuilt, or why that failed. */
type RebuiltTree = { readonly text: string; readonly nodes: number } | { readonly why: string };

/** The trees to check, and the checks that depend on the kind of store. */
export interface TreesCheckInput {
  readonly trees: readonly TreeId[];
  readonly onProgress: FsckOptions['onProgress'];
  /** Trees whose files could not be read when the store was opened. */
  readonly broken: ReadonlyMap<TreeId, AppError>;
  /** Checks the rows of one tree, without its files. */
  check(treeId: TreeId): Promise<FsckReport>;
  /** Checks the files of a tree that can be read. */
  files(treeId: TreeId): Promise<CheckedFiles>;
  /** Rebuilds an unreadable tree; returns null if a tree with this error cannot be rebuilt. */
  rebuild?(treeId: TreeId, error: AppError): Promise<RebuiltTree | null>;
}

const unreadable: ReadonlySet<string> = new Set(['store/damaged', 'store/newer']);

/** Checks trees and their files. An unreadable tree is reported as a finding; any other error is thrown. */
export async function checkTrees({
  trees,
  onProgress,
  broken,
  check,
  files,
  rebuild: remake,
}: TreesCheckInput): Promise<FsckReport> {
  const findings: Finding[] = [];
  const repaired: string[] = [];
  let nodes = 0;
  for (const [at, treeId] of trees.entries()) {
    if (at > 0) onProgress?.({ done: at, total: trees.length });
    try {
      const report = await check(treeId);
      nodes += report.nodes;
      for (const part of [report, await files(treeId)]) {
        for (const finding of part.findings) findings.push(finding);
        for (const text of part.repaired) repaired.push(text);
      }
    } catch (error) {
      const isUnreadable = isAppError(error) && (unreadable.has(error.code) || broken.has(treeId));
      if (!isUnreadable) throw error;
      const remade = (await remake?.(treeId, error)) ?? null;
      const left = remade !== null && 'why' in remade ? ` It cannot be rebuilt: ${remade.why}.` : '';
      findings.push({ code: 'unreadable', severity: 'error', id: treeId, message: error.message + left, treeId });
      if (remade === null || 'why' in remade) continue;
      repaired.push(remade.text);
      nodes += remade.nodes;
    }
  }
  if (trees.length > 0) onProgress?.({ done: trees.length, total: trees.length });
  return { trees: trees.length, nodes, findings, repaired };
}
