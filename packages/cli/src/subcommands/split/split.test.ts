import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice split', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O14] cuts a message in two; the id keeps the right part', async () => {
    const { tree, nodes } = await bed.grow('Hello world');
    const cut = await bed.json(['split', tree, '@', '6']);
    expect(cut).toMatchObject({ right: nodes[0] });
    expect(await bed.json(['show', tree])).toMatchObject({ nodes: [{ text: 'Hello ' }, { text: 'world' }] });
    expect(await bed.run(['split', tree, '@', 'six'])).toMatchObject({ code: 2 });
  });
});
