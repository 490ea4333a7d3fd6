import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice backup', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O20] writes a copy that opens as a store', async () => {
    const { tree } = await bed.grow('Keep me');
    const place = `${bed.home}/copy.db`;
    expect(await bed.json(['backup', place])).toEqual({ place, kind: 'sqlite' });
    expect(await bed.json(['show', tree, '--store', `sqlite:${place}`])).toMatchObject({
      nodes: [{ text: 'Keep me' }],
    });
  });
});
