import { run, treeId } from '@coppice/core';
import { shortenId } from '../../short-ids.ts';
import { buildCommandLine } from '../../tree-changes.ts';
import { defineSubcommand } from '../contract.ts';

export const newTree = defineSubcommand({
  name: 'new',
  summary: 'start an empty chat with a title, system prompt or tags',
  group: 'Write',
  begins: true,
  arguments: [{ name: 'title', summary: 'title', optional: true, many: true }],
  options: [
    { name: 'system', value: 'text', summary: 'system prompt' },
    { name: 'folder', value: 'name', summary: 'folder of the page’s list' },
    { name: 'project', value: 'name', summary: 'project (default: default)' },
    { name: 'tag', value: 'name', many: true, summary: 'tag; may be repeated' },
  ],
  examples: ['coppice new Sourdough', 'coppice new "Code review" --system "You review code." --tag work'],
  async run(given, at) {
    const store = await at.store();
    const [system, folder, project] = ['system', 'folder', 'project'].map(given.optional);
    const [title, tags] = [given.many('title').join(' ').trim(), given.many('tag')];
    const context = at.context();
    const outcome = await run(
      store,
      {
        type: 'create',
        treeId: treeId(context.newId()),
        attributes: {
          ...(title === '' ? {} : { title }),
          ...(system === undefined ? {} : { systemPrompt: system }),
          ...(folder === undefined ? {} : { folder }),
          ...(project === undefined ? {} : { project }),
          ...(tags.length === 0 ? {} : { tags }),
        },
      },
      context,
    );
    const chat = buildCommandLine(at, `coppice chat -t ${shortenId(outcome.treeId)}`);
    const { treeId: id, version, actId } = outcome;
    return {
      data: { treeId: id, version, actId },
      lines: [`Created ${shortenId(id)}.${chat === null ? '' : ` Continue with ${chat}.`}`],
    };
  },
});
