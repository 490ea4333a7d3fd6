import { findTree } from '../../resolve-target.ts';
import { toOneLine } from '../../terminal/strip-control-sequences.ts';
import { runTreeChange, toChangeOutput } from '../../tree-changes.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

export const tag = defineSubcommand({
  name: 'tag',
  summary: 'list, add or remove the tags of a chat',
  group: 'Write',
  arguments: [chatArgument, { name: 'tags', summary: 'tags to add', optional: true, many: true }],
  options: [{ name: 'remove', value: 'tag', many: true, summary: 'tag to remove; may be repeated' }],
  examples: ['coppice tag last', 'coppice tag last recipes bread', 'coppice tag last --remove bread'],
  async run(given, at) {
    const row = await findTree(at, given.text('chat'));
    const before = row.attributes.tags ?? [];
    const removed = new Set(given.many('remove'));
    const [added, { output }] = [given.many('tags'), at];
    if (added.length === 0 && removed.size === 0)
      return {
        data: { treeId: row.id, tags: before },
        lines:
          before.length > 0 ? before.map((each) => toOneLine(each, output.columns)) : [output.style.quiet('No tags.')],
      };
    const tags = [...new Set([...before, ...added])].filter((each) => !removed.has(each));
    const outcome = await runTreeChange(at, {
      type: 'attributes',
      treeId: row.id,
      set: { tags: tags.length === 0 ? null : tags },
    });
    const now = tags.length === 0 ? 'No tags left.' : `Tags: ${tags.map((each) => toOneLine(each, 40)).join(', ')}.`;
    return toChangeOutput(outcome, now, at);
  },
});
