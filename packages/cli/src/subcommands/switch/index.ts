import { ask } from '@coppice/core';
import { findTarget } from '../../resolve-target.ts';
import { shortenId } from '../../short-ids.ts';
import { runTreeChange, toChangeOutput } from '../../tree-changes.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

export const switchTo = defineSubcommand({
  name: 'switch',
  summary: 'switch to another branch, at the message where you left it',
  group: 'Write',
  arguments: [chatArgument, { name: 'message', summary: 'any message of the branch', completes: 'node' }],
  options: [{ name: 'exact', summary: 'stop at this message, even if more follows' }],
  examples: ['coppice switch last plan-b', 'coppice switch last 01890c2e --exact'],
  async run(given, at) {
    const store = await at.store();
    const { treeId, nodeId } = await findTarget(at, given.text('chat'), given.text('message'));
    const leaf = given.flag('exact')
      ? nodeId
      : await store.read(treeId, function* () {
          const known = yield* ask('head', { id: nodeId });
          return known === null ? nodeId : yield* ask('lastVisited', { from: nodeId });
        });
    const outcome = await runTreeChange(at, { type: 'select', treeId, nodeId: leaf });
    return toChangeOutput(outcome, `You are at ${shortenId(outcome.result.nodeId)}.`, at);
  },
});
