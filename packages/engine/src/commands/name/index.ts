import { readTree, run } from '@coppice/core';
import { defineCommand, flagArgument, optionalArgument } from '../define.ts';
import { commandError } from '../errors.ts';
import { phrase, quoted, report } from '../phrases.ts';

/** Shows or sets the title of the chat. */
export const name = defineCommand({
  name: 'name',
  summary: 'Sets the title of the chat; without a text, shows it.',
  parameters: {
    text: optionalArgument('text', 'The title.'),
    remove: flagArgument('Remove the title; the automatic one is shown again.'),
  },
  examples: [
    { line: '/name The move to Lisbon', about: 'set the title' },
    { line: '/name', about: 'show the title' },
  ],
  async run(scope, { text, remove }) {
    const { store, treeId } = scope;
    const title = text?.trim() ?? '';
    if (remove && title !== '')
      throw commandError('command/bad-arguments', 'Use either a title or --remove, not both.');
    const { attributes } = await store.read(treeId, () => readTree(treeId));
    const data = { title: attributes.title ?? attributes.autoTitle ?? null, before: attributes.title ?? null };
    if (!remove && title === '') {
      const title = data.title === null ? phrase('no-title') : phrase('title-is', { title: quoted(data.title) });
      return { ...report(title), data };
    }
    const { commit } = await run(
      store,
      { type: 'attributes', treeId, set: { title: remove ? null : title } },
      scope.running(),
    );
    if (commit === null) return { ...report(phrase('title-same')), data };
    const now = remove ? (attributes.autoTitle ?? null) : title;
    const did = remove ? phrase('title-removed') : phrase('title-set', { title: quoted(title) });
    return { ...report(did), undo: '/undo', data: { title: now, before: data.before } };
  },
});
