import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice bookmark', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O11] marks a node, which then goes by that name, and takes the mark away', async () => {
    const { tree, nodes } = await bed.grow('One', 'Two');
    await bed.json(['bookmark', tree, nodes[0] ?? '', 'plan', 'b']);
    expect(await bed.json(['bookmark', tree])).toMatchObject({ bookmarks: [{ nodeId: nodes[0], title: 'plan b' }] });
    expect(await bed.json(['show', tree, 'plan b'])).toMatchObject({ nodes: [{ id: nodes[0] }] });
    await bed.json(['bookmark', tree, 'plan b', '--remove']);
    expect((await bed.run(['bookmark', tree])).out).toContain('No bookmarks.');
  });
});
