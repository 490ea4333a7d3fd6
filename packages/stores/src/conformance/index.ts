/**
 * The test suite for every store. A store's own test calls it once; tests for capabilities that a store lacks, judged
 * by `supports` and never by its name, are skipped with the reason.
 */
import { describe } from 'vitest';
import { accountingRules } from './accounting.ts';
import { attachingRules } from './attaching.ts';
import { changingRules } from './changing.ts';
import { feedingRules } from './feeding.ts';
import { growingRules } from './growing.ts';
import { keepingRules } from './keeping.ts';
import { misusingRules } from './misusing.ts';
import { openingRules } from './opening.ts';
import { owningRules } from './owning.ts';
import { readingRules } from './reading.ts';
import { replayingRules } from './replaying.ts';
import { searchingRules } from './searching.ts';
import { servingRules } from './serving.ts';
import type { StoreSubject } from './subject.ts';
import { trashingRules } from './trashing.ts';
import { undoingAnywhereRules } from './undoing-anywhere.ts';
import { writingAtOnceRules } from './writing-at-once.ts';

export { expectSamePlay } from './replaying.ts';
export type { Spoilt, StoreSubject } from './subject.ts';

// The long rules exceed the default timeout of a few seconds.
const timeout = 180_000;

/** Registers every rule of the suite for one store. */
export function runStoreConformance(subject: StoreSubject): void {
  describe(`${subject.name} as a store`, { timeout }, () => {
    openingRules(subject);
    changingRules(subject);
    readingRules(subject);
    replayingRules(subject);
    writingAtOnceRules(subject);
    searchingRules(subject);
    feedingRules(subject);
    trashingRules(subject);
    undoingAnywhereRules(subject);
    owningRules(subject);
    misusingRules(subject);
    servingRules(subject);
    accountingRules(subject);
    attachingRules(subject);
    keepingRules(subject);
    growingRules(subject);
  });
}
