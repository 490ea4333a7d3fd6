import { makeUsageError } from '../../exit-codes.ts';
import { readInputText } from '../../input-text.ts';
import { findTarget } from '../../resolve-target.ts';
import { shortenId } from '../../short-ids.ts';
import { runTreeChange, toChangeOutput } from '../../tree-changes.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

export const edit = defineSubcommand({
  name: 'edit',
  summary: 'write a new version of a message; the old one is kept',
  group: 'Write',
  arguments: [
    chatArgument,
    { name: 'message', summary: 'message to edit', completes: 'node' },
    { name: 'words', summary: 'new text (default: standard input)', optional: true, many: true },
  ],
  options: [
    { name: 'in-place', summary: 'replace the text without a new version; the history keeps the old one' },
    { name: 'prefix', summary: 'split at the first difference and share the part before it' },
  ],
  examples: ['coppice edit last @ "A better question"', 'coppice edit last @ --in-place "Without the typo"'],
  async run(given, at) {
    if (given.flag('in-place') && given.flag('prefix'))
      throw makeUsageError('--in-place and --prefix cannot be combined. Use one of them.');
    const { treeId, nodeId } = await findTarget(at, given.text('chat'), given.text('message'));
    const content = await readInputText(given.many('words'), at);
    const mode = given.flag('in-place') ? 'in-place' : given.flag('prefix') ? 'prefix' : 'branch';
    const outcome = await runTreeChange(at, { type: 'edit', treeId, nodeId, content, mode });
    return toChangeOutput(outcome, `Saved as ${shortenId(outcome.result.nodeId)}.`, at);
  },
});
