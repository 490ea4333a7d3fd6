import { readTopology } from '@coppice/core';
import { buildOutlineShape } from '@coppice/core/tree';
import { addTitlesFromFirstWords } from '../../first-words.ts';
import { chooseTreeLines, drawTree, formatTreeHeading } from '../../printing.ts';
import { findNodeInTree, findTree, lastTreeName } from '../../resolve-target.ts';
import { shortenId } from '../../short-ids.ts';
import { buildCommandLine, formatCountedNoun } from '../../tree-changes.ts';
import { chooseShapeLines, readTopologyNodes, readTreeShape } from '../../tree-shape.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

// More lines than a screen has, and fewer than the scrollback of a terminal keeps.
const defaultLimit = 500;

export const tree = defineSubcommand({
  name: 'tree',
  summary: 'draw the tree of a chat, with the active branch highlighted',
  group: 'Read',
  paged: true,
  arguments: [{ ...chatArgument, optional: true }],
  options: [
    { name: 'from', value: 'message', summary: 'only what is below this message', completes: 'node' },
    { name: 'depth', value: 'count', summary: 'only this many levels' },
    { name: 'limit', value: 'count', summary: `at most this many lines (default ${defaultLimit})` },
    { name: 'all', summary: 'every message, however many' },
  ],
  examples: ['coppice tree last', 'coppice tree last --depth 3', 'coppice tree last --all', 'coppice tree last --json'],
  async run(given, at) {
    const store = await at.store();
    const row = await findTree(at, given.optional('chat') ?? lastTreeName);
    const word = given.optional('from');
    const from = word === undefined ? row.rootId : await findNodeInTree(at, row, word);
    const depth = given.count('depth', 1);
    const { activeNodeId } = row;
    const { output } = at;
    const [named = row] = at.options.json ? [] : await addTitlesFromFirstWords(store, [row]);
    const keep = new Set(activeNodeId === null ? [] : [activeNodeId]);
    const data = { treeId: row.id, rootId: row.rootId, activeNodeId, version: row.version };
    const limit =
      given.flag('all') || depth !== undefined ? Number.POSITIVE_INFINITY : (given.count('limit', 1) ?? defaultLimit);
    const shape = Number.isFinite(limit) ? await store.read(row.id, () => readTreeShape(row.rootId, keep, from)) : null;
    if (shape === null || shape.size <= limit) {
      const options = { from, ...(depth === undefined ? {} : { depth }) };
      const nodes = await store.read(row.id, () => readTopology(row.id, options));
      const below = nodes.filter((node) => node.id !== from);
      return {
        data: { ...data, nodes },
        lines: (function* () {
          yield formatTreeHeading(named, output);
          if (below.length === 0) yield output.style.quiet('No messages.');
          yield* drawTree(chooseTreeLines({ shape: buildOutlineShape(below), current: activeNodeId }).lines, output);
        })(),
      };
    }
    // Draws forks and leaves; the messages between them are counted.
    const { lines, left } = chooseShapeLines(shape, activeNodeId, limit);
    const folded = lines.reduce((count, line) => count + line.folded, 0);
    const ids = lines.map((line) => line.node.id);
    const rows = await store.read(row.id, () => readTopologyNodes(ids, shape));
    return {
      data: { ...data, nodes: ids.flatMap((id) => rows.get(id) ?? []), total: shape.size, folded, linesLeft: left },
      lines: (function* () {
        yield formatTreeHeading(named, output);
        yield* drawTree(lines, output, rows);
        const whole = buildCommandLine(at, `coppice tree ${shortenId(row.id)} --all`);
        const more = left === 0 ? '' : ` ${formatCountedNoun(left, 'line')} left out.`;
        const how = whole === null ? 'See every one with --all.' : `See every one with ${whole}.`;
        yield output.style.quiet(
          `${formatCountedNoun(shape.size, 'message')}, ${folded} of them folded.${more} ${how}`,
        );
      })(),
    };
  },
});
