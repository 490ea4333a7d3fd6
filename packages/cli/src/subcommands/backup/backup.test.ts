import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';
import { kindOf } from './index.ts';

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
    // A database on a server is copied into a file, and that is what the copy opens as.
    expect(await kindOf(place, 'postgres')).toBe('sqlite');
  });

  it('[O20] says how a copy of folders or session files is opened', async () => {
    for (const kind of ['files', 'jsonl']) {
      const on = ['--store', `${kind}:${bed.home}/${kind}`];
      await bed.json(['append', '--new', 'Keep me', ...on]);
      const place = `${bed.home}/${kind}-copy`;
      expect(await bed.json(['backup', place, ...on])).toEqual({ place, kind });
      expect(await bed.json(['ls', '--store', `${kind}:${place}`])).toMatchObject({ items: { length: 1 } });
    }
  });
});
