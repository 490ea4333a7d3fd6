/**
 * The test suite for every store. The test file of a store calls it once. A test is skipped, with the reason, if
 * `supports` says that the store lacks the capability.
 */
import { describe } from 'vitest';
import { registerAccountRules } from './accounts.ts';
import { registerAttachmentRules } from './attachments.ts';
import { registerChangeRules } from './changes.ts';
import { registerConcurrentWriteRules } from './concurrent-writes.ts';
import { registerFeedRules } from './feeds.ts';
import { registerHistoryRules } from './history.ts';
import { registerLargeTreeRules } from './large-trees.ts';
import { registerLetterCaseRules } from './letter-case.ts';
import { registerListAndBackupRules } from './lists-and-backups.ts';
import { registerOpeningRules } from './opening.ts';
import { registerOwnerRules } from './owners.ts';
import { registerReadRules } from './reads.ts';
import { registerReplayRules } from './replays.ts';
import { registerRunAndExternalIdRules } from './runs-and-external-ids.ts';
import { registerSearchRules } from './search.ts';
import { registerSharedStateRules } from './shared-state.ts';
import type { StoreSubject } from './subject.ts';
import { isLongRun } from './subject.ts';
import { registerTrashRules } from './trash.ts';
import { registerTrimRules } from './trim.ts';
import { registerUndoAnywhereRules } from './undo-anywhere.ts';
import { registerUntypedCallerRules } from './untyped-callers.ts';

export { expectSameResults } from './replays.ts';
export type { DamagedStore, StoreSubject } from './subject.ts';

// Only ends a test that hangs. With `COPPICE_LONG=1` a test may need many minutes.
const timeout = isLongRun ? 4 * 3_600_000 : 180_000;

/** Registers all tests of the suite for one store. */
export function runStoreConformance(subject: StoreSubject): void {
  describe(`${subject.name} as a store`, { timeout }, () => {
    registerOpeningRules(subject);
    registerChangeRules(subject);
    registerReadRules(subject);
    registerReplayRules(subject);
    registerConcurrentWriteRules(subject);
    registerSearchRules(subject);
    registerLetterCaseRules(subject);
    registerFeedRules(subject);
    registerTrashRules(subject);
    registerHistoryRules(subject);
    registerTrimRules(subject);
    registerUndoAnywhereRules(subject);
    registerOwnerRules(subject);
    registerUntypedCallerRules(subject);
    registerRunAndExternalIdRules(subject);
    registerAccountRules(subject);
    registerSharedStateRules(subject);
    registerAttachmentRules(subject);
    registerListAndBackupRules(subject);
    registerLargeTreeRules(subject);
  });
}
