import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice branch', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O11] makes a node the one to grow from, and leaves a summary when one is given', async () => {
    const { tree, nodes } = await bed.grow('One', 'Two', 'Three');
    await bed.json(['branch', tree, '@~2']);
    expect(await bed.json(['show', tree])).toMatchObject({ activeNodeId: nodes[0] });
    await bed.json(['switch', tree, nodes[2] ?? '']);
    await bed.json(['branch', tree, nodes[0] ?? '', '--summary', 'Tried two and three.']);
    const { nodes: shown } = await bed.json(['show', tree]);
    expect(shown).toMatchObject([{ id: nodes[0] }, { kind: 'branch-summary' }]);
  });
});
