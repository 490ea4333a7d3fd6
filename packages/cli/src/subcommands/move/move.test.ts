import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice move', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O17] hangs a branch elsewhere, and refuses a circle', async () => {
    const { tree, nodes } = await bed.grow('One', 'Two', 'Three');
    await bed.json(['move', tree, nodes[2] ?? '', 'root']);
    expect(await bed.json(['show', tree, nodes[2] ?? ''])).toMatchObject({ nodes: [{ id: nodes[2] }] });
    const circle = await bed.run(['move', tree, nodes[0] ?? '', nodes[1] ?? '', '--json']);
    expect(circle.code).not.toBe(0);
    expect(JSON.parse(circle.err)).toMatchObject({ error: { code: 'tree/cycle' } });
  });

  it('[O17] takes a branch to another tree as one act', async () => {
    const { tree, nodes } = await bed.grow('One', 'Two');
    const other = await bed.grow('Elsewhere');
    await bed.json(['move', tree, nodes[1] ?? '', '@', '--to', other.tree]);
    expect(await bed.json(['show', other.tree])).toMatchObject({ nodes: [{ text: 'Elsewhere' }, { text: 'Two' }] });
    expect(await bed.json(['tree', tree])).toMatchObject({ nodes: [{ id: nodes[0] }] });
  });
});
