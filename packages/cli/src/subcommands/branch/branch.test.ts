import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice branch', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O11] makes a node the one to grow from, and leaves a summary when one is given', async () => {
    const { tree, nodes } = await bed.grow('One', 'Two', 'Three');
    await bed.json(['branch', tree, '@~2']);
    expect(await bed.json(['show', tree])).toMatchObject({ activeNodeId: nodes[0] });
    await bed.json(['switch', tree, nodes[2] ?? '']);
    await bed.json(['branch', tree, nodes[0] ?? '', '--summary', 'Tried two and three.']);
    const { nodes: shown } = await bed.json(['show', tree]);
    expect(shown).toMatchObject([{ id: nodes[0] }, { kind: 'branch-summary' }]);
  });

  it('[O18] names the line that goes back, which takes no message along', async () => {
    const { tree, nodes } = await bed.grow('One', 'Two');
    const { out } = await bed.run(['branch', tree, nodes[0] ?? '']);
    const [, back = ''] = /^Go back with coppice (.*)\.$/m.exec(out) ?? [];
    expect((await bed.run(back.split(' '))).out).toContain(
      `Go back with coppice switch ${tree} ${nodes[0]} --exactly.`,
    );
    expect(await bed.json(['show', tree])).toMatchObject({ activeNodeId: nodes[1] });
    const again = await bed.run(['append', tree, '--parent', 'root', 'One']);
    expect(again.out).toBe(
      `That is said already; you are at ${nodes[0]}.\nGo back with coppice switch ${tree} ${nodes[1]} --exactly.\n`,
    );
    expect((await bed.run(['branch', tree, nodes[1] ?? '', '--summary', 'Not this.'])).out).toContain(
      'Take it back with',
    );
  });
});
