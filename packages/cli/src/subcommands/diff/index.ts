import { type Node, readPath, type TextDiffPart } from '@coppice/core';
import { diffBranches, diffMessages } from '@coppice/core/diff';
import type { OutputWriter } from '../../output.ts';
import { formatNode, formatPreviewLine } from '../../printing.ts';
import { findNodeInTree, findTree } from '../../resolve-target.ts';
import { wrapLines } from '../../terminal/wrap.ts';
import { formatCountedNoun } from '../../tree-changes.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

export const diff = defineSubcommand({
  name: 'diff',
  summary: 'compare two branches',
  group: 'Read',
  paged: true,
  arguments: [
    chatArgument,
    { name: 'a', summary: 'last message of one branch', completes: 'node' },
    { name: 'b', summary: 'last message of the other (default: the active one)', optional: true, completes: 'node' },
  ],
  examples: ['coppice diff last @~2', 'coppice diff last plan-a plan-b --json'],
  async run(given, at) {
    const store = await at.store();
    const row = await findTree(at, given.text('chat'));
    const a = await findNodeInTree(at, row, given.text('a'));
    const b = await findNodeInTree(at, row, given.optional('b') ?? '@');
    const [left, right] = await store.read(row.id, function* () {
      return [yield* readPath({ to: a }), yield* readPath({ to: b })] as const;
    });
    const branches = diffBranches(left, right);
    const [first, second] = [branches.left[0], branches.right[0]];
    const messages =
      first?.message == null || second?.message == null ? null : diffMessages(first.message, second.message);
    const { output } = at;
    return {
      data: { treeId: row.id, ...branches, messages },
      lines: (function* () {
        const meet = left[branches.shared - 1];
        yield output.style.quiet(
          meet === undefined
            ? 'The branches have no message in common.'
            : formatPreviewLine(`${formatCountedNoun(branches.shared, 'message')} in common, up to: `, meet, output),
        );
        if (messages !== null) yield `\n${diffWords(messages.text, output)}\n`;
        yield* sideLines('A', branches.left, output);
        yield* sideLines('B', branches.right, output);
      })(),
    };
  },
});

function diffWords(parts: readonly TextDiffPart[], output: OutputWriter): string {
  const { style, screen } = output;
  const marked = parts
    .map(({ type, text }) => {
      const shown = output.foreign(text);
      if (type === 'equal') return shown;
      // Brackets mark the words as well, because output may have no colours.
      return type === 'removed' ? style.bad(`[-${shown}-]`) : style.active(`{+${shown}+}`);
    })
    .join('');
  if (screen === null) return marked;
  return wrapLines(marked, screen)
    .map((line) => line.trimEnd())
    .join('\n');
}

function* sideLines(name: string, nodes: readonly Node[], output: OutputWriter): Generator<string> {
  yield output.style.strong(`${name}: ${formatCountedNoun(nodes.length, 'message')} only on this branch`);
  for (const node of nodes) yield formatNode(node, '', output);
}
