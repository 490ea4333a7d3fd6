/** Checks that every store can write and read the values in steps. */
import { MalformedError } from '../decode.ts';
import { refuse } from '../errors.ts';
import { assertAnnotateData } from './annotate.ts';
import { assertAttributesData } from './attributes.ts';
import { assertBookmarkData } from './bookmark.ts';
import { assertInsertData } from './insert.ts';
import { nodeIdOfStep } from './kinds.ts';
import { assertReplaceData } from './replace.ts';
import type { Step, StepType } from './types.ts';

// Steps with only ids and numbers need no check.
const dataChecks: { readonly [T in StepType]?: (step: Extract<Step, { type: T }>) => void } = {
  insert: assertInsertData,
  replace: assertReplaceData,
  annotate: assertAnnotateData,
  attributes: assertAttributesData,
  bookmark: assertBookmarkData,
};

function dataCheckOf(step: Step): ((step: Step) => void) | undefined {
  return dataChecks[step.type] as ((step: Step) => void) | undefined;
}

/**
 * Throws if messages, metadata or attributes of steps are not plain JSON or have the wrong types. A store in memory
 * would share these values with the caller, other stores would lose them or fail, and a journal that contains them
 * could not be read.
 */
export function assertStorable(steps: readonly Step[]): void {
  for (const step of steps) {
    try {
      dataCheckOf(step)?.(step);
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      const nodeId = nodeIdOfStep(step);
      refuse('command/invalid', `This value cannot be stored: ${error.message}.`, nodeId === null ? {} : { nodeId });
    }
  }
}
