/**
 * The test suite for every store. A store's own test calls it once; tests for capabilities that a store lacks, judged
 * by `supports` and never by its name, are skipped with the reason.
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
import { registerTrashRules } from './trashing.ts';
import { registerUndoAnywhereRules } from './undoing-anywhere.ts';
import { registerConcurrentWriteRules } from './writing-at-once.ts';

export { expectSameResults } from './replaying.ts';
export type { DamagedStore, StoreSubject } from './subject.ts';

// The long rules exceed the default timeout of a few seconds.
const timeout = 180_000;

/** Registers every rule of the suite for one store. */
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
