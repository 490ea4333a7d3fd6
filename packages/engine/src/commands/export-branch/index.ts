import { defineCommand, flagArgument, optionArgument, requiredArgument } from '../define.ts';
import { commandError } from '../errors.ts';
import { findNodeByName } from '../find-node.ts';
import { describeNode } from '../format.ts';

/** Writes a branch into a session file. */
export const exportBranch = defineCommand({
  name: 'export-branch',
  summary: 'Writes the way to a node and all below it into a session file, ids kept.',
  parameters: {
    node: requiredArgument('node', 'The top of what is written.'),
    path: flagArgument('Only the way to the node.'),
    to: optionArgument('text', 'The path of the new file; beside the others if not given.'),
  },
  examples: [
    { line: '/export-branch 2', about: 'to show somebody this branch' },
    { line: '/export-branch 2 --path --to ~/thread.jsonl', about: 'the thread alone, into a file of your choice' },
  ],
  async run(scope, { node, path, to }) {
    const { store, treeId, copies } = scope;
    const target = await findNodeByName(scope, node);
    if (copies.exportBranch === undefined)
      throw commandError('command/unavailable', 'There is nowhere here to write session files.');
    const file = await copies.exportBranch({ store, treeId, nodeId: target.id, pathOnly: path, to: to?.trim() });
    return {
      said: `Wrote the branch of ${describeNode(target)} to ${file}.`,
      data: { file, nodeId: target.id, pathOnly: path },
    };
  },
});
