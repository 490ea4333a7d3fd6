/**
 * The tasks that a server repeats for all owners: it recovers replies whose process has died, deletes expired records,
 * and deletes old changes if the configuration limits how long they are kept.
 */
import type { TrimHistoryReport } from '@coppice/core';
import { waitMs } from '@coppice/engine';
import { unrefTimer } from '#platform/system';
import type { SharedServices } from '../services.ts';

/** Recovers the replies of dead processes once, for all owners. Returns their number. Rejects if the store fails. */
export async function recoverRepliesOnce({ auth, engine, log, store }: SharedServices): Promise<number> {
  const { generator } = engine;
  let { length: saved } = await (auth.mode === 'token' ? generator.recover() : generator.recoverAll());
  const { shared } = store;
  // Temporary trees in the memory of a server are lost with it, so only those in the database have replies to recover.
  if (shared?.usesTemporary === true) saved += (await engine.forStore(shared.temporary).generator.recoverAll()).length;
  if (saved > 0) log.info({ saved }, 'replies of an ended process were recovered');
  return saved;
}

/** Recovers replies at an interval until the server stops. */
export async function keepRecoveringReplies(services: SharedServices, everyMs = 5_000): Promise<void> {
  while (!services.closing.aborted) {
    await recoverRepliesOnce(services).catch((error: unknown) => {
      services.log.warn({ err: error }, 'replies of ended processes could not be recovered');
    });
    await waitMs(everyMs, { signal: services.closing, idle: true });
  }
}

// A temporary tree is deleted after a day without a change.
const keepTreesMs = 24 * 60 * 60_000;

/** Deletes expired records and temporary trees of all users at an interval until the server stops. */
export function keepSweepingRecords({ records, store, closing, log }: SharedServices, everyMs = 60_000): void {
  const sweep = async () => {
    await records.sweep();
    await store.shared?.discardUnusedTrees(keepTreesMs);
  };
  const sweepOnce = () => {
    sweep().catch((error: unknown) => log.warn({ err: error }, 'expired records could not be deleted'));
  };
  const timer = unrefTimer(setInterval(sweepOnce, everyMs));
  closing.addEventListener('abort', () => clearInterval(timer), { once: true });
}

/** Deletes the changes of all users that are older than the configuration allows. Returns null if it sets no limit. */
export async function trimHistoryOnce(services: SharedServices): Promise<TrimHistoryReport | null> {
  const { keepMs } = services.config.history;
  if (keepMs === null) return null;
  const before = services.now() - keepMs;
  const report = await services.store.trimHistory({ before, signal: services.closing });
  if (report.commits > 0) services.log.info(report, 'old changes were deleted');
  return report;
}

/** Deletes old changes repeatedly until the server stops. */
export async function keepTrimmingHistory(services: SharedServices, everyMs = 6 * 60 * 60_000): Promise<void> {
  while (!services.closing.aborted) {
    await trimHistoryOnce(services).catch((error: unknown) => {
      services.log.warn({ err: error }, 'old changes could not be deleted');
    });
    await waitMs(everyMs, { signal: services.closing, idle: true });
  }
}
