import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice join', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O14] makes one message of the two halves of a split, and undo parts them again', async () => {
    const { tree, nodes } = await bed.grow('Hello world');
    await bed.json(['split', tree, '@', '6']);
    expect(await bed.json(['join', tree, '@~1'])).toMatchObject({ nodeId: nodes[0] });
    expect(await bed.json(['show', tree])).toMatchObject({ nodes: [{ id: nodes[0], text: 'Hello world' }] });
    await bed.json(['undo', tree]);
    expect(await bed.json(['show', tree])).toMatchObject({ nodes: [{ text: 'Hello ' }, { text: 'world' }] });
  });

  it('[O14] is refused where nothing follows', async () => {
    const { tree } = await bed.grow('Hello world');
    expect(await bed.run(['join', tree, '@'])).toMatchObject({ code: 5 });
  });
});
