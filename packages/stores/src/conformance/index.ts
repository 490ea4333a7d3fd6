/**
 * The test suite for every store. The test file of a store calls it once. A test is skipped, with the reason, if
 * `supports` says that the store lacks the capability.
 */
import { describe } from 'vitest';
import { registerAccountRules } from './accounting.ts';
import { registerAttachmentRules } from './attaching.ts';
import { registerChangeRules } from './changing.ts';
import { registerFeedRules } from './feeding.ts';
import { registerSizeRules } from './growing.ts';
import { registerListAndBackupRules } from './keeping.ts';
import { registerUntypedCallerRules } from './misusing.ts';
import { registerOpeningRules } from './opening.ts';
import { registerOwnerRules } from './owning.ts';
import { registerReadRules } from './reading.ts';
import { registerReplayRules } from './replaying.ts';
import { registerSearchRules } from './searching.ts';
import { registerSideDataRules } from './serving.ts';
import type { StoreSubject } from './subject.ts';
import { isLongRun } from './subject.ts';
import { registerTrashRules } from './trashing.ts';
import { registerUndoAnywhereRules } from './undoing-anywhere.ts';
import { registerConcurrentWriteRules } from './writing-at-once.ts';

export { expectSameResults } from './replaying.ts';
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
    registerFeedRules(subject);
    registerTrashRules(subject);
    registerUndoAnywhereRules(subject);
    registerOwnerRules(subject);
    registerUntypedCallerRules(subject);
    registerSideDataRules(subject);
    registerAccountRules(subject);
    registerAttachmentRules(subject);
    registerListAndBackupRules(subject);
    registerSizeRules(subject);
  });
}
