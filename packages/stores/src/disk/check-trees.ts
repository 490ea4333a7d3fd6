/** The check of trees that lie on a disk: of each tree, and of the files that it lies in. */
import { type AppError, type FsckReport, isAppError, type TreeId } from '@coppice/core';

type Finding = FsckReport['findings'][number];

/** What was found in the files of a tree, and what was done about it. */
export interface CheckedFiles {
  readonly findings: readonly Finding[];
  readonly repaired: readonly string[];
}

/** What a tree that could not be read was made anew from, or why that could not be. */
export type Remade = { readonly text: string; readonly nodes: number } | { readonly why: string };

/** How a store checks. */
export interface TreesCheck {
  readonly trees: readonly TreeId[];
  /** Trees whose files could not be read when the store was opened. */
  readonly broken: ReadonlyMap<TreeId, AppError>;
  /** The check that every store makes of one tree. */
  check(treeId: TreeId): Promise<FsckReport>;
  /** The check of the files of a tree that can be read. */
  files(treeId: TreeId): Promise<CheckedFiles>;
  /** Makes a tree that cannot be read anew; null where nothing is tried. */
  remake?(treeId: TreeId, error: AppError): Promise<Remade | null>;
}

const unreadable: ReadonlySet<string> = new Set(['store/damaged', 'store/newer']);

/** Checks trees and their files. A tree that cannot be read is a finding; a check that cannot be carried out is an error. */
export async function checkTrees({ trees, broken, check, files, remake }: TreesCheck): Promise<FsckReport> {
  const findings: Finding[] = [];
  const repaired: string[] = [];
  let nodes = 0;
  for (const treeId of trees) {
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
      const left = remade !== null && 'why' in remade ? ` It cannot be made anew: ${remade.why}.` : '';
      findings.push({ code: 'unreadable', severity: 'error', id: treeId, message: error.message + left, treeId });
      if (remade === null || 'why' in remade) continue;
      repaired.push(remade.text);
      nodes += remade.nodes;
    }
  }
  return { trees: trees.length, nodes, findings, repaired };
}
