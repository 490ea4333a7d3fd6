import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice show', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O16] prints the active thread with the place among variants, and the one that ends at a node', async () => {
    const { tree, nodes } = await bed.grow('One', 'Two');
    await bed.json(['edit', tree, '@', 'Two, differently']);
    const { out } = await bed.run(['show', tree]);
    expect(out).toContain('You 2/2');
    expect(out).toContain('Two, differently');
    expect(await bed.json(['show', tree, nodes[1] ?? '', '--leaf'])).toMatchObject({ nodes: [{ id: nodes[1] }] });
    expect(await bed.json(['show', tree, nodes[0] ?? '', '--through'])).toMatchObject({
      nodes: [{}, { text: 'Two, differently' }],
    });
  });
});
