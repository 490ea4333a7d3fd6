import { refusal } from '../errors.ts';
import type { AttributesStep, StepCheck, StepKind } from './types.ts';

/** Changes what is noted about the tree itself. The system prompt belongs to the first commit and never changes after it. */
export const attributes: StepKind<AttributesStep> = {
  type: 'attributes',
  structural: false,
  rows: ({ after }) => [{ op: 'attributed', set: after }],
  invert: ({ after, before }) => ({ type: 'attributes', after: before, before: after }),
};

/** Why such a step cannot be applied. */
export const checkAttributes: StepCheck<AttributesStep> = (tree, { after }, { version }) => {
  if (Object.hasOwn(after, 'systemPrompt') && version > 1)
    return refusal('tree/root-protected', `The system prompt of ${tree.id} never changes: make another tree.`, {
      treeId: tree.id,
    });
  return null;
};
