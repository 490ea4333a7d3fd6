import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice cherry-pick', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O12] copies a range to the end of the active branch, even from another tree', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two', 'Three');
    const other = await fixture.createChat('Here');
    await fixture.json(['cherry-pick', other.tree, nodes[1] ?? '', '--to', nodes[2] ?? '', '--from', tree]);
    expect(await fixture.json(['show', other.tree])).toMatchObject({
      nodes: [{ text: 'Here' }, { text: 'Two' }, { text: 'Three' }],
    });
  });
});
