import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice ls', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O16] lists trees, last changed first, and finds them by a part of the title', async () => {
    await bed.json(['append', '--new', '--title', 'Bread', 'One']);
    await bed.json(['append', '--new', '--title', 'Cheese', 'Two']);
    expect(await bed.json(['ls'])).toMatchObject({
      items: [{ attributes: { title: 'Cheese' } }, { attributes: { title: 'Bread' } }],
    });
    expect((await bed.run(['ls', 'brea'])).out).toMatch(/Bread/);
    expect((await bed.run(['ls', 'brea'])).out).not.toMatch(/Cheese/);
  });

  it('[O16] an empty store says how to begin', async () => {
    expect((await bed.run(['ls'])).out).toContain('coppice append --new');
    expect((await bed.run(['ls', '--trashed'])).out).toBe('The trash is empty.\n');
  });

  it('[O16] says so where no tree fits, and how to go on with the same list', async () => {
    for (const title of ['Bread', 'Bread too']) await bed.json(['append', '--new', '--title', title, 'One']);
    expect((await bed.run(['ls', 'cheese'])).out).toBe('No tree fits.\n');
    expect((await bed.run(['ls', 'bread', '--limit', '1'])).out).toMatch(/There is more: add --cursor \S+\n$/);
  });
});
