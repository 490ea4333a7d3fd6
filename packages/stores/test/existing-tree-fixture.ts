/** A fixture for a tree that already exists. Its ids differ from those of the first fixture. */
import {
  type CommandInput,
  type CommandOutcome,
  type ResultOf,
  type RunContext,
  type TreeStore,
  treeId,
} from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';

let next = 0xa000_0000;

/** Works on the tree of another fixture, for example in another process or after reopening. */
export class ExistingTreeFixture extends TestTree {
  constructor(store: TreeStore, id = treeId(testUuid(1))) {
    super(store, id);
  }

  override run<C extends CommandInput>(
    command: C,
    context: Partial<RunContext> = {},
  ): Promise<CommandOutcome<ResultOf<C['type']>>> {
    return super.run(command, { newId: () => testUuid(++next), ...context });
  }
}
