import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice undo', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O18] takes back the last act, says how to do it again, and refuses when there is nothing', async () => {
    const { tree, nodes } = await bed.grow('One', 'Two');
    expect(await bed.json(['undo', tree])).toMatchObject({ activeNodeId: nodes[0] });
    const { out } = await bed.run(['undo', tree]);
    expect(out).toContain(`Took back 1 change of ${tree}`);
    expect(out).toContain(`coppice redo ${tree}`);
    expect(await bed.run(['undo', tree])).toMatchObject({ code: 5 });
  });
});
