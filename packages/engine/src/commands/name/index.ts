import { readTree, run } from '@coppice/core';
import { defineCommand, flagArgument, optionalArgument } from '../define.ts';
import { makeCommandError } from '../errors.ts';
import { makeCommandReport, makePhrase, makeQuoteValue } from '../phrases.ts';

export const nameCommand = defineCommand({
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
  questions: ['How do I give a chat a title while chatting?'],
  async run(scope, { text, remove }) {
    const { store, treeId } = scope;
    const title = text?.trim() ?? '';
    if (remove && title !== '')
      throw makeCommandError('command/bad-arguments', 'Use either a title or --remove, not both.');
    const { attributes } = await store.read(treeId, () => readTree(treeId));
    const data = { title: attributes.title ?? attributes.autoTitle ?? null, before: attributes.title ?? null };
    if (!remove && title === '') {
      const title =
        data.title === null ? makePhrase('no-title') : makePhrase('title-is', { title: makeQuoteValue(data.title) });
      return { ...makeCommandReport(title), data };
    }
    const { commit } = await run(
      store,
      { type: 'attributes', treeId, set: { title: remove ? null : title } },
      scope.running(),
    );
    if (commit === null) return { ...makeCommandReport(makePhrase('title-same')), data };
    const now = remove ? (attributes.autoTitle ?? null) : title;
    const did = remove ? makePhrase('title-removed') : makePhrase('title-set', { title: makeQuoteValue(title) });
    return { ...makeCommandReport(did), undo: '/undo', data: { title: now, before: data.before } };
  },
});
