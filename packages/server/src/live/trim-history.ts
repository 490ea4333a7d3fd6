/** Deletes old changes while the server runs, if the configuration limits how long they are kept. */
import { setTimeout as wait } from 'node:timers/promises';
import type { TrimHistoryReport } from '@coppice/core';
import type { SharedServices } from '../services.ts';

/** Deletes the changes of all users that are older than the configuration allows; null if it sets no limit. */
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
    await wait(everyMs, undefined, { signal: services.closing, ref: false }).catch(() => undefined);
  }
}
