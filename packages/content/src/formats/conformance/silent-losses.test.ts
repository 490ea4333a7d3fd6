import { expect, it } from 'vitest';
import { formats } from '../formats.ts';
import { linear } from '../linear/index.ts';
import { markdown } from '../markdown/index.ts';
import type { RepairedNode, RepairedTree } from '../repair.ts';
import { buildRichTree, findSilentLosses, findUnshownFacts } from './silent-losses.ts';
import { exportStoredTrees, importIntoStore, toImportInput } from './storing.ts';

function withoutBlocks(node: RepairedNode, type: string): RepairedNode {
  const content = node.message.content.filter((block) => block.type !== type);
  return { ...node, message: { ...node.message, content } };
}

it('[I10] losses that were not reported are named', async () => {
  const out = await exportStoredTrees(await buildRichTree(), linear);
  const again = await importIntoStore(toImportInput(Object.fromEntries(out.files)), { format: linear });
  const reported = Object.keys(out.report.counts);
  expect(findSilentLosses(again.trees, reported, out.files.values())).toEqual([]);
  // Without the reports and the written files, the same losses count as silent.
  expect(findSilentLosses(again.trees, [], [])).toEqual([
    'bookmark',
    'branch off the current thread',
    'order of branches',
    'signature of reasoning',
  ]);
});

it('[I10] a writer that drops lines, the system prompt or a call is detected, whatever else it reports', async () => {
  const out = await exportStoredTrees(await buildRichTree(), linear);
  const reported = Object.keys(out.report.counts);
  const [text = ''] = out.files.values();
  const altered: { readonly [what: string]: (text: string) => string } = {
    'system prompt': (whole) => whole.replace('Be brief.\\nSpeak', 'Be brief. Speak'),
    'text of several lines': (whole) => whole.replace('fell it\\n', 'fell it '),
    reasoning: (whole) => whole.replace('The rings tell.', 'The rings'),
    'tool call with its arguments': (whole) => whole.replace('years', 'days'),
    'id of the tool call': (whole) => whole.replaceAll('call_1', 'call_2'),
    'tool result with its call': (whole) => whole.replace('Give or take.', ''),
    title: (whole) => whole.replace('"title":"Trees"', '"title":"Tree"'),
  };
  for (const [what, alter] of Object.entries(altered)) {
    const again = await importIntoStore(toImportInput({ 'a.json': alter(text) }), { format: linear });
    const lost = findSilentLosses(
      again.trees,
      reported.filter((one) => one !== 'thinking'),
      [],
    );
    expect([what, lost]).toEqual([what, expect.arrayContaining([what])]);
  }
});

it('[I10] a reader that drops what is in the file is detected, whatever the writer reports', async () => {
  for (const format of formats) {
    if (format.reader === undefined || format.writer === undefined) continue;
    const out = await exportStoredTrees(await buildRichTree(), format);
    const files = [...out.files.values()];
    const { trees } = await importIntoStore(toImportInput(Object.fromEntries(out.files)), { format });
    const dropped: { readonly [what: string]: (tree: RepairedTree) => RepairedTree } = {
      'system prompt': ({ systemPrompt: _, attributes: _attributes, ...tree }) => tree,
      bookmark: (tree) => ({ ...tree, nodes: tree.nodes.map(({ bookmark: _, ...node }) => node) }),
      reasoning: (tree) => ({ ...tree, nodes: tree.nodes.map((node) => withoutBlocks(node, 'thinking')) }),
      'tool call with its arguments': (tree) => ({
        ...tree,
        nodes: tree.nodes.map((node) => withoutBlocks(node, 'tool-use')),
      }),
    };
    const everything = Object.keys(format.writer.loses);
    for (const [what, drop] of Object.entries(dropped)) {
      const kept = !findSilentLosses(trees, [], []).includes(what);
      const found = findSilentLosses(trees.map(drop), everything, files);
      expect([format.name, what, found.includes(what)]).toEqual([format.name, what, kept]);
    }
  }
});

it('[I10] texts that a page does not show are named', async () => {
  const out = await exportStoredTrees(await buildRichTree(), markdown);
  const page = [...out.files.values()].join('\n');
  expect(findUnshownFacts([page], Object.keys(out.report.counts))).toEqual([]);
  expect(findUnshownFacts([page.replaceAll('Speak of trees alone.', '')], [])).toContain('system prompt');
  expect(findUnshownFacts([page.replaceAll('lookup', '')], [])).toContain('tool call with its arguments');
});
