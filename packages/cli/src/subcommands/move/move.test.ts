import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice move', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O17] moves a branch below another message, and refuses a cycle', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two', 'Three');
    await fixture.json(['move', tree, nodes[2] ?? '', 'root']);
    expect(await fixture.json(['show', tree, nodes[2] ?? ''])).toMatchObject({ nodes: [{ id: nodes[2] }] });
    const circle = await fixture.run(['move', tree, nodes[0] ?? '', nodes[1] ?? '', '--json']);
    expect(circle.code).not.toBe(0);
    expect(JSON.parse(circle.err)).toMatchObject({ error: { code: 'tree/cycle' } });
  });

  it('[O17] moves a branch to another tree as one act', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two');
    const other = await fixture.createChat('Elsewhere');
    await fixture.json(['move', tree, nodes[1] ?? '', '@', '--to', other.tree]);
    expect(await fixture.json(['show', other.tree])).toMatchObject({ nodes: [{ text: 'Elsewhere' }, { text: 'Two' }] });
    expect(await fixture.json(['tree', tree])).toMatchObject({ nodes: [{ id: nodes[0] }] });
  });
});
