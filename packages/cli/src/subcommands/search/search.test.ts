import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice search', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O13] finds messages in every branch, each with the line that opens it', async () => {
    const { tree } = await bed.grow('One hundred', 'Two');
    await bed.json(['edit', tree, '@', '50% of one hundred']);
    expect(await bed.json(['search', 'hundred'])).toMatchObject({ items: [{ treeId: tree }, { treeId: tree }] });
    const { out } = await bed.run(['search', '50%']);
    expect(out).toMatch(new RegExp(`coppice show ${tree} [0-9a-f-]{36} --through`));
    expect((await bed.run(['search', 'nowhere'])).out).toContain('Nothing found.');
    expect(await bed.run(['search', 'x', '--role', 'nobody'])).toMatchObject({ code: 2 });
    expect(await bed.run(['search', ' '])).toMatchObject({
      code: 2,
      err: expect.stringContaining('nothing to look for'),
    });
  });
});
