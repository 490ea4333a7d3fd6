import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice cherry-pick', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O12] copies a stretch to the end of the active branch, also from another tree', async () => {
    const { tree, nodes } = await bed.grow('One', 'Two', 'Three');
    const other = await bed.grow('Here');
    await bed.json(['cherry-pick', other.tree, nodes[1] ?? '', '--to', nodes[2] ?? '', '--from', tree]);
    expect(await bed.json(['show', other.tree])).toMatchObject({
      nodes: [{ text: 'Here' }, { text: 'Two' }, { text: 'Three' }],
    });
  });
});
