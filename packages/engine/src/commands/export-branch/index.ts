import { defineCommand, flagArgument, optionArgument, requiredArgument } from '../define.ts';
import { makeCommandError } from '../errors.ts';
import { findNodeByName } from '../find-node.ts';
import { makeCommandReport, makeNodeValue, makePhrase } from '../phrases.ts';

export const exportBranchCommand = defineCommand({
  name: 'export-branch',
  summary: 'Writes the path to a message and everything below it to a session file.',
  parameters: {
    node: requiredArgument('node', 'The first message of the branch.'),
    path: flagArgument('Write only the path to the message.'),
    to: optionArgument('text', 'The path of the new file; by default next to the other session files.'),
  },
  examples: [
    { line: '/export-branch 2', about: 'write a branch to a file' },
    { line: '/export-branch 2 --path --to ~/thread.jsonl', about: 'write only the path to a file of your choice' },
  ],
  questions: ['How do I write one branch to a session file?'],
  async run(scope, { node, path, to }) {
    const { store, treeId, copies } = scope;
    const target = await findNodeByName(scope, node);
    if (copies.exportBranch === undefined)
      throw makeCommandError('command/unavailable', 'Session files cannot be written here.');
    const file = await copies.exportBranch({ store, treeId, nodeId: target.id, pathOnly: path, to: to?.trim() });
    return {
      ...makeCommandReport(makePhrase('branch-written', { node: makeNodeValue(target), file })),
      data: { file, nodeId: target.id, pathOnly: path },
    };
  },
});
