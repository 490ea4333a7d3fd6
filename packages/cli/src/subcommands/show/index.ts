import { ask, type Node, readPath, readPathThrough } from '@coppice/core';
import { addTitlesFromFirstWords } from '../../first-words.ts';
import { formatNode, formatTreeHeading, titleOrUntitled } from '../../printing.ts';
import { findNodeInTree, findTree, lastTreeName } from '../../resolve-target.ts';
import { formatSubAgentLines } from '../../sub-agent-lines.ts';
import { readVariantPositions } from '../../variants.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

export const show = defineSubcommand({
  name: 'show',
  summary: 'print the active branch, or the one that ends at a message',
  group: 'Read',
  paged: true,
  arguments: [
    { ...chatArgument, optional: true },
    { name: 'message', summary: 'last message to print', optional: true, completes: 'node' },
  ],
  options: [
    { name: 'through', summary: 'continue below the message to the end of its branch' },
    { name: 'leaf', summary: 'only the last message' },
    { name: 'limit', short: 'n', value: 'count', summary: 'print only this many messages, the last ones' },
  ],
  examples: ['coppice show last', 'coppice show last --limit 4', 'coppice show last --leaf --json'],
  async run(given, at) {
    const store = await at.store();
    const row = await findTree(at, given.optional('chat') ?? lastTreeName);
    const word = given.optional('message');
    const to = word === undefined ? row.activeNodeId : await findNodeInTree(at, row, word);
    const limit = given.flag('leaf') ? 1 : given.count('limit');
    const nodes: readonly Node[] =
      to === null || (to === row.rootId && !given.flag('through'))
        ? []
        : await store.read(row.id, function* () {
            if (given.flag('through')) return yield* readPathThrough(to);
            if (limit === undefined) return yield* readPath({ to });
            return (yield* ask('path', { to, limit })).nodes;
          });
    const shown = limit === undefined ? nodes : nodes.slice(-limit);
    const places = await store.read(row.id, () => readVariantPositions(shown));
    const { output } = at;
    const [named = row] = at.options.json ? [] : await addTitlesFromFirstWords(store, [row]);
    const linked = await formatSubAgentLines(store, row, output);
    const { screen } = output;
    // Rendered only on a terminal: a pipe gets the Markdown source.
    const { renderMarkdownLines } =
      screen === null ? { renderMarkdownLines: null } : await import('../../chat/markdown.ts');
    const render =
      renderMarkdownLines === null || screen === null
        ? undefined
        : (text: string) => renderMarkdownLines(text, screen, output.style, { isCopied: true }).join('\n');
    return {
      data: {
        treeId: row.id,
        rootId: row.rootId,
        title: titleOrUntitled(row),
        systemPrompt: row.attributes.systemPrompt,
        version: row.version,
        activeNodeId: row.activeNodeId,
        nodes: shown,
      },
      lines: (function* () {
        yield `${formatTreeHeading(named, output)}\n`;
        for (const line of linked) yield output.style.quiet(line);
        yield '\n';
        if (shown.length === 0)
          yield output.style.quiet(
            row.activeNodeId === null
              ? 'This chat is empty.'
              : 'Nothing to show: you are at the beginning of the chat.',
          );
        for (const node of shown) {
          const [index = 0, total = 1] = places.get(node.id) ?? [];
          yield formatNode(node, total > 1 ? `${index + 1}/${total}` : '', output, render);
        }
      })(),
    };
  },
});
