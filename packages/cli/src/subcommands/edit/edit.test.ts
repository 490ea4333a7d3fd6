import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice edit', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O14] adds a variant and keeps the old branch; saves only when asked', async () => {
    const { tree, nodes } = await bed.grow('One', 'Two');
    const edited = await bed.json(['edit', tree, nodes[0] ?? '', 'Uno']);
    expect(edited['nodeId']).not.toBe(nodes[0]);
    expect(await bed.json(['show', tree, nodes[1] ?? ''])).toMatchObject({ nodes: [{ text: 'One' }, { text: 'Two' }] });
    expect(await bed.json(['edit', tree, nodes[1] ?? '', '--in-place', 'Dos'])).toMatchObject({ nodeId: nodes[1] });
    expect(await bed.run(['edit', tree, '@', '--in-place', '--prefix', 'x'])).toMatchObject({ code: 2 });
  });
});
