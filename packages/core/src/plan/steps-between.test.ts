import { expect, test } from 'vitest';
import { type NodeId, nodeId } from '../ids.ts';
import { TestTree, testUuid, undoableState } from '../testing/index.ts';

const nowhere = nodeId(testUuid(77));

test('[U61] a version with another system prompt is not restored over a message that was restored since', async () => {
  const fixture = await TestTree.make();
  const [a = nowhere, b = nowhere]: NodeId[] = await fixture.addMessages(['a', 'b']);
  const { treeId } = fixture;
  const { version } = fixture.tree;
  const then = undoableState(fixture.tree);
  await fixture.run({ type: 'clear', treeId });
  await fixture.run({ type: 'attributes', treeId, set: { systemPrompt: 'Be brief.' } });
  await fixture.run({ type: 'restore', treeId, nodeId: a });
  const now = fixture.tree;
  const restoring = () => fixture.run({ type: 'restore-version', treeId, version });
  await expect(restoring()).rejects.toMatchObject({ code: 'tree/root-protected', data: { nodeId: a } });
  expect(fixture.tree).toBe(now);
  await fixture.run({ type: 'delete', treeId, nodeIds: [a, b] });
  await fixture.run({ type: 'restore-version', treeId, version });
  expect(undoableState(fixture.tree)).toEqual(then);
});
