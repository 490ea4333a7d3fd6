import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice switch', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O11] goes to the branch through a node, down to where one last was', async () => {
    const { tree, nodes } = await bed.grow('One', 'Two', 'Three');
    await bed.json(['edit', tree, nodes[1] ?? '', 'Other']);
    expect(await bed.json(['switch', tree, nodes[1] ?? ''])).toMatchObject({ nodeId: nodes[2] });
    expect(await bed.json(['switch', tree, nodes[1] ?? '', '--exactly'])).toMatchObject({ nodeId: nodes[1] });
    expect(await bed.run(['switch', tree, 'ffff0000'])).toMatchObject({ code: 3 });
  });
});
