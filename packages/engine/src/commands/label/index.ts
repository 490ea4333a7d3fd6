import { ask, type Bookmark, type NodeId, run } from '@coppice/core';
import type { CommandResult } from '../contract.ts';
import { defineCommand, flagArgument, optionArgument, optionalArgument } from '../define.ts';
import { commandError } from '../errors.ts';
import { findNodeByName } from '../find-node.ts';
import { countOf, describeNode, quote, stripUnsafe } from '../format.ts';
import { positionOfWord } from '../node-references.ts';

/** The labels that were listed, or the node that was meant and the label that it had. */
export interface Labelled {
  readonly labels: readonly Bookmark[];
  readonly nodeId: NodeId | null;
  readonly before: string | null;
}

/** Names a node. */
export const label = defineCommand({
  name: 'label',
  summary: 'Labels the node you are at, or another one, so that you find it again; without a text, lists the labels.',
  parameters: {
    text: optionalArgument('text', 'The label.'),
    on: optionArgument('node', 'The node to label; the one you are at if not given.'),
    remove: flagArgument('Takes the label away.'),
  },
  examples: [
    { line: '/label before the rewrite', about: 'labels where you are' },
    { line: '/label the oak --on 3', about: 'labels the third node of the list' },
    { line: '/label --remove', about: 'takes the label away again' },
  ],
  async run(scope, { text, on, remove }): Promise<CommandResult<Labelled>> {
    const { store, treeId, rootId } = scope;
    const title = text?.trim() ?? '';
    if (remove && title !== '')
      throw commandError('command/bad-arguments', 'A label is set or taken away, not both: name the node by --on.');
    if (!remove && title === '' && on === undefined) {
      const { bookmarks } = await store.read(treeId, () => ask('subtreeInfo', { of: rootId }));
      return {
        said:
          bookmarks.length === 0
            ? 'There are no labels.'
            : `There ${bookmarks.length === 1 ? 'is' : 'are'} ${countOf(bookmarks.length, 'label')}.`,
        data: { labels: bookmarks, nodeId: null, before: null },
        list: bookmarks.map((mark) => mark.nodeId),
        text: bookmarks.map((mark, index) => `${index + 1}. ${stripUnsafe(mark.title)}`).join('\n'),
      };
    }
    if (positionOfWord(title) !== null)
      throw commandError('command/bad-arguments', `${title} stands for a place already: take another label.`);
    const node = await findNodeByName(scope, on ?? '@here');
    const before = await store.read(treeId, () => ask('bookmark', { on: node.id }));
    const data = { labels: [], nodeId: node.id, before: before?.title ?? null };
    if (!remove && title === '') {
      const is = before === null ? 'has no label' : `is labelled ${quote(before.title)}`;
      return { said: `${describeNode(node)} ${is}.`, data };
    }
    const { commit } = await run(
      store,
      { type: 'bookmark', treeId, nodeId: node.id, title: remove ? null : title },
      scope.running(),
    );
    if (commit === null) {
      const as = remove ? 'has no label' : `is labelled ${quote(title)} already`;
      return { said: `Nothing to do: ${describeNode(node)} ${as}.`, data };
    }
    const said = remove
      ? `Took the label ${quote(before?.title ?? '')} away from ${describeNode(node)}.`
      : `Labelled ${describeNode(node)} ${quote(title)}${before === null ? '' : `, before ${quote(before.title)}`}.`;
    return { said, undo: '/undo', data };
  },
});
