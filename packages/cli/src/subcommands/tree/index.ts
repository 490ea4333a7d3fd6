import { ask, readTopology } from '@coppice/core';
import { findNodeIn, findTree, lastTree } from '../../place.ts';
import { outline, treeHead } from '../../printing.ts';
import { defineSubcommand } from '../contract.ts';

export const tree = defineSubcommand({
  name: 'tree',
  summary: 'draw a tree: every branch, the active one lit',
  group: 'Read',
  arguments: [{ name: 'tree', summary: 'id, beginning of an id, title, or last', optional: true, completes: 'tree' }],
  options: [
    { name: 'from', value: 'node', summary: 'only what is below this node', completes: 'node' },
    { name: 'depth', value: 'count', summary: 'only so many levels' },
  ],
  examples: ['coppice tree last', 'coppice tree last --depth 3', 'coppice tree last --json'],
  async run(given, at) {
    const store = await at.store();
    const row = await findTree(at, given.optional('tree') ?? lastTree);
    const word = given.optional('from');
    const from = word === undefined ? row.rootId : await findNodeIn(at, row, word);
    const depth = given.count('depth');
    const { activeNodeId } = row;
    const { nodes, path } = await store.read(row.id, function* () {
      return {
        nodes: yield* readTopology(row.id, { from, ...(depth === undefined ? {} : { depth }) }),
        path: activeNodeId === null ? [] : (yield* ask('path', { to: activeNodeId })).nodes,
      };
    });
    const below = nodes.filter((node) => node.id !== from);
    const { output } = at;
    return {
      data: { treeId: row.id, rootId: row.rootId, activeNodeId, version: row.version, nodes },
      lines: (function* () {
        yield treeHead(row, output);
        if (below.length === 0) yield output.style.quiet('Nothing below.');
        yield* outline(below, from, new Set(path.map((node) => node.id)), output, activeNodeId);
      })(),
    };
  },
});
