import { readTree, run } from '@coppice/core';
import { defineCommand, flagArgument, optionalArgument } from '../define.ts';
import { commandError } from '../errors.ts';
import { quote } from '../format.ts';

/** Names the conversation. */
export const name = defineCommand({
  name: 'name',
  summary: 'Names the conversation; without a text, says what it is called.',
  parameters: {
    text: optionalArgument('text', 'The name.'),
    remove: flagArgument('Takes the name away; one that was found by itself shows again.'),
  },
  examples: [
    { line: '/name The move to Lisbon', about: 'what lists show from now on' },
    { line: '/name', about: 'says what it is called' },
  ],
  async run(scope, { text, remove }) {
    const { store, treeId } = scope;
    const title = text?.trim() ?? '';
    if (remove && title !== '') throw commandError('command/bad-arguments', 'A name is given or taken away, not both.');
    const { attributes } = await store.read(treeId, () => readTree(treeId));
    const data = { title: attributes.title ?? attributes.autoTitle ?? null, before: attributes.title ?? null };
    if (!remove && title === '') {
      const said =
        data.title === null ? 'The conversation has no name.' : `The conversation is called ${quote(data.title)}.`;
      return { said, data };
    }
    const { commit } = await run(
      store,
      { type: 'attributes', treeId, set: { title: remove ? null : title } },
      scope.running(),
    );
    if (commit === null) return { said: 'Nothing to do: that is its name already.', data };
    const now = remove ? (attributes.autoTitle ?? null) : title;
    const said = remove ? 'Took the name of the conversation away.' : `The conversation is called ${quote(title)} now.`;
    return { said, undo: '/undo', data: { title: now, before: data.before } };
  },
});
