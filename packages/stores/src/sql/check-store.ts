/** Checks a store in parts, each in its own transaction, so that a large store blocks others only briefly. */
import type { FsckOptions, FsckReport, TreeId } from '@coppice/core';
import { joinFsckReports } from '../join-fsck-reports.ts';
import { throwUnknownTree } from '../refusals.ts';
import { checkAttachmentObjects, listAttachmentObjects } from './attachment-objects.ts';
import type { SqlEngine } from './engine.ts';
import { countTrees, findNextTreeRange, fsckOutsideTrees, fsckRange, readTreeRange, toDamageFindings } from './fsck.ts';
import { queryRow, type SqlTask } from './query.ts';

/** What a check needs of the store. */
export interface CheckedStore {
  readonly engine: SqlEngine;
  readonly owner: string;
  snapshot<T>(work: () => SqlTask<T>): Promise<T>;
  transaction<T>(work: () => SqlTask<T>): Promise<T>;
}

/** Checks one tree of the owner. Throws if the owner does not have it. */
export function checkOneTree(store: CheckedStore, treeId: TreeId, options: FsckOptions): Promise<FsckReport> {
  const { engine, owner } = store;
  return checkInTransaction(store, options, function* () {
    if (!(yield* hasTree(owner, treeId))) throwUnknownTree(treeId);
    const range = yield* readTreeRange(treeId);
    const { covered: _, ...report } = yield* fsckRange(engine.dialect, owner, range, options);
    return report;
  });
}

/** Checks all trees, one range at a time, and what is outside of them. */
export async function checkStoredTrees(store: CheckedStore, options: FsckOptions): Promise<FsckReport> {
  const { engine, owner } = store;
  const damage = await engine.damage();
  const reports: FsckReport[] = [{ trees: 0, nodes: 0, findings: toDamageFindings(damage), repaired: [] }];
  const total = await store.snapshot(countTrees);
  let done = 0;
  for (let from = 0; ; ) {
    const range = await store.snapshot(() => findNextTreeRange(from));
    if (range === null) break;
    const report = await checkInTransaction(store, options, () => fsckRange(engine.dialect, owner, range, options));
    reports.push(report);
    done += report.covered;
    options.onProgress?.({ done, total: Math.max(done, total) });
    from = range.to;
  }
  reports.push(await checkInTransaction(store, options, () => fsckOutsideTrees(engine.dialect, owner, options)));
  reports.push(...(await checkAllObjects(store)));
  const { mend } = engine;
  // The text index is repaired last, because it is derived from the rows.
  if (options.repair === true && mend !== undefined) {
    const repaired = await store.transaction(() => mend.call(engine, damage));
    reports.push({ trees: 0, nodes: 0, findings: [], repaired });
  }
  return joinFsckReports(reports);
}

/** Checks that the object of each attachment exists and has its size. */
async function checkAllObjects({ engine: { objects }, snapshot }: CheckedStore): Promise<readonly FsckReport[]> {
  if (objects === undefined) return [];
  const findings: FsckReport['findings'][number][] = [];
  for (let after = { owner: '', hash: '' }; ; ) {
    const stored = await snapshot(() => listAttachmentObjects(after));
    const last = stored.at(-1);
    if (last === undefined) return [{ trees: 0, nodes: 0, findings, repaired: [] }];
    findings.push(...(await checkAttachmentObjects(objects, stored)));
    after = last;
  }
}

function checkInTransaction<T>(store: CheckedStore, options: FsckOptions, work: () => SqlTask<T>): Promise<T> {
  return options.repair === true ? store.transaction(work) : store.snapshot(work);
}

/** Whether an owner has a tree, even one whose row cannot be decoded. */
function* hasTree(owner: string, id: TreeId): SqlTask<boolean> {
  return (yield* queryRow('SELECT 1 AS yes FROM tree WHERE id = $1 AND owner = $2', id, owner)) !== undefined;
}
