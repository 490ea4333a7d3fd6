import { openChatEngine } from '../../cli-engine.ts';
import { findTarget } from '../../resolve-target.ts';
import { shortenId } from '../../short-ids.ts';
import { formatCountedNoun, formatUndoHint } from '../../tree-changes.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

export const merge = defineSubcommand({
  name: 'merge',
  summary: 'merge a branch into the active one, as summary or messages',
  group: 'Write',
  arguments: [chatArgument, { name: 'message', summary: 'last message of the branch', completes: 'node' }],
  options: [
    { name: 'messages', summary: 'copy the messages instead of a summary' },
    { name: 'summary', value: 'text', summary: 'use this summary (default: a model writes it)' },
    { name: 'focus', value: 'text', summary: 'topic on which the summary concentrates' },
  ],
  examples: [
    'coppice merge last plan-b',
    'coppice merge last plan-b --summary "Rye works at 24 °C."',
    'coppice merge last plan-b --messages',
  ],
  async run(given, at) {
    const { treeId, nodeId } = await findTarget(at, given.text('chat'), given.text('message'));
    const { merge: mergeBranch } = await openChatEngine(at);
    const [summary, focus] = ['summary', 'focus'].map(given.optional);
    const mode = given.flag('messages') ? 'messages' : 'summary';
    const merged = await mergeBranch({ treeId, nodeId, mode, summary, focus, signal: at.host.signal });
    const { output } = at;
    if (mode === 'messages') {
      const line = `Copied ${formatCountedNoun(merged.added.length, 'message')}; you are at ${shortenId(merged.nodeId)}.`;
      return { data: { treeId, ...merged }, lines: [line, ...formatUndoHint(at, treeId)] };
    }
    return {
      data: { treeId, ...merged },
      lines: [
        ...(merged.summary === null ? ['There was nothing to merge.'] : [output.foreign(merged.summary)]),
        ...formatUndoHint(at, treeId),
      ],
    };
  },
});
