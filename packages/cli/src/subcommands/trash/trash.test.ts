import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice trash', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O18] lists removed nodes and trees, and takes them for good', async () => {
    const { tree, nodes } = await bed.grow('One', 'Two');
    await bed.json(['rm', tree, '@']);
    expect(await bed.json(['trash', tree])).toMatchObject({ items: [{ nodeId: nodes[1], count: 1 }] });
    expect(await bed.json(['trash', tree, nodes[1] ?? '', '--purge'])).toMatchObject({ nodes: 1 });
    await bed.json(['rm', tree]);
    expect(await bed.json(['trash'])).toMatchObject({ items: [{ id: tree }] });
    await bed.json(['trash', tree, '--purge']);
    expect(await bed.run(['show', tree])).toMatchObject({ code: 3 });
    expect((await bed.run(['trash'])).out).toContain('The trash is empty.');
  });
});
