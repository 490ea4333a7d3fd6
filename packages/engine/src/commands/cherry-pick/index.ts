import { ask, treeId as asTreeId, run } from '@coppice/core';
import { defineCommand, optionArgument, optionalArgument, requiredArgument } from '../define.ts';
import { findNodeByName } from '../find-node.ts';
import { makeCommandReport, makeCountValue, makeNodeValue, makePhrase } from '../phrases.ts';

export const cherryPickCommand = defineCommand({
  name: 'cherry-pick',
  summary: 'Copies a message or a range of messages to the end of the current branch.',
  parameters: {
    node: requiredArgument('node', 'The message, or the first one of the range.'),
    to: optionalArgument('node', 'The last message of the range, below the first.'),
    from: optionArgument('tree', 'The chat to copy from; by default this one.'),
  },
  examples: [
    { line: '/cherry-pick 2', about: 'copy the second message of the list to this branch' },
    { line: '/cherry-pick 3f9a51c0 8d24e7b1', about: 'copy a range, given by the ends of its ids' },
  ],
  questions: [
    'How do I copy a message of another branch here?',
    'How do I take over a reply in a chat?',
    'How do I copy an answer into this branch?',
  ],
  async run(scope, { node, to, from }) {
    const { store, treeId, activeNodeId, rootId } = scope;
    const source = from === undefined ? undefined : asTreeId(from.trim());
    const first = await findNodeByName(scope, node, source);
    const last = to === undefined ? undefined : await findNodeByName(scope, to, source);
    const { result } = await run(
      store,
      {
        type: 'cherry-pick',
        treeId,
        nodeId: first.id,
        parentId: activeNodeId ?? rootId,
        ...(last === undefined ? {} : { to: last.id }),
        ...(source === undefined ? {} : { from: source }),
      },
      scope.running(),
    );
    const picked = await store.read(treeId, () => ask('node', { id: result.nodeId }));
    const did =
      last === undefined
        ? makePhrase('copied-message', { node: makeNodeValue(picked ?? first) })
        : makePhrase('copied-messages', { messages: makeCountValue(result.added.length, 'message') });
    return {
      ...makeCommandReport(did),
      undo: '/undo',
      data: { nodeId: result.nodeId, added: result.added, from: { treeId: source ?? treeId, nodeId: first.id } },
      place: { treeId, activeNodeId: result.nodeId },
    };
  },
});
