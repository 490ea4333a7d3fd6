import { ask, type Bookmark, type NodeId, run } from '@coppice/core';
import type { CommandResult } from '../contract.ts';
import { defineCommand, flagArgument, optionArgument, optionalArgument } from '../define.ts';
import { makeCommandError } from '../errors.ts';
import { findNodeByName } from '../find-node.ts';
import { stripControlCharacters } from '../format.ts';
import { parsePositionWord } from '../node-references.ts';
import { makeCommandListing, makeCommandReport, makeNodeValue, makePhrase, makeQuoteValue } from '../phrases.ts';

/** All labels if `/label` lists them; otherwise the node that was changed and its previous label. */
export interface LabelResult {
  readonly labels: readonly Bookmark[];
  readonly nodeId: NodeId | null;
  readonly before: string | null;
}

export const labelCommand = defineCommand({
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
  questions: ['How do I label a message?', 'How do I list my labels?', 'How do I find a message again later?'],
  async run(scope, { text, on, remove }): Promise<CommandResult<LabelResult>> {
    const { store, treeId, rootId } = scope;
    const title = text?.trim() ?? '';
    if (remove && title !== '')
      throw makeCommandError(
        'command/bad-arguments',
        'Use either a label or --remove, not both; --on names the message.',
      );
    if (!remove && title === '' && on === undefined) {
      const { bookmarks } = await store.read(treeId, () => ask('subtreeInfo', { of: rootId }));
      return {
        ...makeCommandReport(
          bookmarks.length < 2
            ? makePhrase(bookmarks.length === 0 ? 'no-labels' : 'one-label')
            : makePhrase('labels', { count: bookmarks.length }),
        ),
        data: { labels: bookmarks, nodeId: null, before: null },
        list: bookmarks.map((mark) => mark.nodeId),
        ...makeCommandListing(bookmarks.map((mark, index) => [`${index + 1}. ${stripControlCharacters(mark.title)}`])),
      };
    }
    if (parsePositionWord(title) !== null)
      throw makeCommandError('command/bad-arguments', `${title} has a special meaning: choose another label.`);
    const node = await findNodeByName(scope, on ?? '@here');
    const before = await store.read(treeId, () => ask('bookmark', { on: node.id }));
    const data = { labels: [], nodeId: node.id, before: before?.title ?? null };
    if (!remove && title === '') {
      const did =
        before === null
          ? makePhrase('has-no-label', { node: makeNodeValue(node) })
          : makePhrase('is-labelled', { node: makeNodeValue(node), label: makeQuoteValue(before.title) });
      return { ...makeCommandReport(did), data };
    }
    const { commit } = await run(
      store,
      { type: 'bookmark', treeId, nodeId: node.id, title: remove ? null : title },
      scope.running(),
    );
    if (commit === null) {
      const did = remove
        ? makePhrase('had-no-label', { node: makeNodeValue(node) })
        : makePhrase('was-labelled', { node: makeNodeValue(node), label: makeQuoteValue(title) });
      return { ...makeCommandReport(did), data };
    }
    const values = { node: makeNodeValue(node), label: makeQuoteValue(remove ? (before?.title ?? '') : title) };
    const did = remove
      ? makePhrase('label-removed', values)
      : before === null
        ? makePhrase('labelled', values)
        : makePhrase('relabelled', { ...values, before: makeQuoteValue(before.title) });
    return { ...makeCommandReport(did), undo: '/undo', data };
  },
});
