import { ask, type Bookmark, type NodeId, run } from '@coppice/core';
import type { CommandResult } from '../contract.ts';
import { defineCommand, flagArgument, optionArgument, optionalArgument } from '../define.ts';
import { commandError } from '../errors.ts';
import { findNodeByName } from '../find-node.ts';
import { stripUnsafe } from '../format.ts';
import { positionOfWord } from '../node-references.ts';
import { listing, nodeValue, phrase, quoted, report } from '../phrases.ts';

/** The listed labels, or the node and its previous label. */
export interface Labelled {
  readonly labels: readonly Bookmark[];
  readonly nodeId: NodeId | null;
  readonly before: string | null;
}

/** Lists, sets or removes labels. */
export const label = defineCommand({
  name: 'label',
  summary: 'Labels the current message or another one; without a text, lists the labels.',
  parameters: {
    text: optionalArgument('text', 'The label.'),
    on: optionArgument('node', 'The message to label; by default the current one.'),
    remove: flagArgument('Remove the label.'),
  },
  examples: [
    { line: '/label before the rewrite', about: 'label the current message' },
    { line: '/label the oak --on 3', about: 'label the third message of the list' },
    { line: '/label --remove', about: 'remove the label' },
  ],
  async run(scope, { text, on, remove }): Promise<CommandResult<Labelled>> {
    const { store, treeId, rootId } = scope;
    const title = text?.trim() ?? '';
    if (remove && title !== '')
      throw commandError('command/bad-arguments', 'Use either a label or --remove, not both; --on names the message.');
    if (!remove && title === '' && on === undefined) {
      const { bookmarks } = await store.read(treeId, () => ask('subtreeInfo', { of: rootId }));
      return {
        ...report(
          bookmarks.length < 2
            ? phrase(bookmarks.length === 0 ? 'no-labels' : 'one-label')
            : phrase('labels', { count: bookmarks.length }),
        ),
        data: { labels: bookmarks, nodeId: null, before: null },
        list: bookmarks.map((mark) => mark.nodeId),
        ...listing(bookmarks.map((mark, index) => [`${index + 1}. ${stripUnsafe(mark.title)}`])),
      };
    }
    if (positionOfWord(title) !== null)
      throw commandError('command/bad-arguments', `${title} has a special meaning: choose another label.`);
    const node = await findNodeByName(scope, on ?? '@here');
    const before = await store.read(treeId, () => ask('bookmark', { on: node.id }));
    const data = { labels: [], nodeId: node.id, before: before?.title ?? null };
    if (!remove && title === '') {
      const did =
        before === null
          ? phrase('has-no-label', { node: nodeValue(node) })
          : phrase('is-labelled', { node: nodeValue(node), label: quoted(before.title) });
      return { ...report(did), data };
    }
    const { commit } = await run(
      store,
      { type: 'bookmark', treeId, nodeId: node.id, title: remove ? null : title },
      scope.running(),
    );
    if (commit === null) {
      const did = remove
        ? phrase('had-no-label', { node: nodeValue(node) })
        : phrase('was-labelled', { node: nodeValue(node), label: quoted(title) });
      return { ...report(did), data };
    }
    const values = { node: nodeValue(node), label: quoted(remove ? (before?.title ?? '') : title) };
    const did = remove
      ? phrase('label-removed', values)
      : before === null
        ? phrase('labelled', values)
        : phrase('relabelled', { ...values, before: quoted(before.title) });
    return { ...report(did), undo: '/undo', data };
  },
});
