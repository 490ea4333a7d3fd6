import { expect, test } from 'vitest';
import { mindmapToFlowchart } from './mindmap.ts';

test('[B328] a mind map is drawn as a flowchart with its topics, shapes and levels', () => {
  const map = `mindmap
  root((Bread))
    Flour
      Rye "dark"
      ::icon(fa fa-leaf)
    )Water(
    %% a comment
    b["Salt"]
  {{Oven}}`;
  expect(mindmapToFlowchart(map)?.split('\n')).toEqual([
    'flowchart LR',
    't0(("Bread"))',
    't0 --- t1("Flour")',
    't1 --- t2("Rye #quot;dark#quot;")',
    't0 --- t4(["Water"])',
    't0 --- t5["Salt"]',
    't6{{"Oven"}}',
  ]);
});

test('[B328] no other diagram is rewritten', () => {
  expect(mindmapToFlowchart('flowchart LR\n  mindmap --> b')).toBeNull();
  expect(mindmapToFlowchart('mindmap')).toBeNull();
  expect(mindmapToFlowchart('')).toBeNull();
});
