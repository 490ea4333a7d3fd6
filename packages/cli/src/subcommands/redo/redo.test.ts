import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice redo', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O18] does again what was taken back', async () => {
    const { tree, nodes } = await bed.grow('One', 'Two');
    await bed.json(['undo', tree]);
    expect(await bed.json(['redo', tree])).toMatchObject({ changed: true, activeNodeId: nodes[1] });
    expect(await bed.run(['redo', tree])).toMatchObject({ code: 5 });
  });
});
