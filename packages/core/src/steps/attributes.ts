import { refusal } from '../errors.ts';
import { childIds, type Tree } from '../tree.ts';
import { assertPatch, assertPlainJson, attributeReaders } from './fields.ts';
import type { AttributesStep, StepCheck, StepKind } from './types.ts';

/**
 * Changes attributes of the tree. The system prompt can change only while the tree is empty, and never in a forest
 * tree.
 */
export const attributesStepKind: StepKind<AttributesStep> = {
  type: 'attributes',
  structural: false,
  rows: ({ after }) => [{ op: 'tree', attributes: after }],
  invert: ({ after, before }) => ({ type: 'attributes', after: before, before: after }),
};

/** Throws `MalformedError` if the step contains a value that some store cannot write or read. */
export function assertAttributesData({ after }: AttributesStep): void {
  assertPatch(after, attributeReaders);
  assertPlainJson(after);
}

/** Checks the nodes, not the active node, because a commit that empties the tree changes the active node last. */
function isPromptFixed(tree: Tree): boolean {
  return tree.attributes.forestKey !== undefined || childIds(tree, tree.rootId).length > 0;
}

/** Returns why the step cannot be applied, or null. */
export const checkAttributes: StepCheck<AttributesStep> = (tree, { after }, { version }) => {
  if (Object.hasOwn(after, 'systemPrompt') && version > 1 && isPromptFixed(tree))
    return refusal(
      'tree/root-protected',
      `The system prompt of ${tree.id} cannot change, because it has messages or is a forest tree: create another tree.`,
      {
        treeId: tree.id,
      },
    );
  return null;
};
